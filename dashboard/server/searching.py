"""Searches that pages ask for: short ones that they wait for, long ones in the background.

No search runs in the thread of a page, of which each visitor has one: a thread keeps the memory of
a solver. Short ones share threads with those of the board; long ones have a single thread, so
that they wait for each other and nobody else for them. A position is searched for long in a process
of its own (`solvers.apart`), which is ended when the search is cancelled.
"""

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

from cachetools import LRUCache

from catalogue import chances
from catalogue.asking import Answer, Knowledge, Question, Source, remember, without_catalogue
from dashboard.http_api.lanes import Lane
from dashboard.http_api.problems import Problem
from engine.errors import BadInput
from engine.game import Rules
from engine.games import games
from engine.rulesets import parse_ruleset
from solvers import apart
from solvers.advice import Advice
from solvers.analysis import GameRegret, regret_of
from solvers.choice import Ability, as_shown, capable, decider
from solvers.deciding import Decision, Ending, Verdict, decide
from solvers.regret import Regret, RegretKind
from solvers.solver import Solver

T = TypeVar("T")

# Long searches that wait or run.
LONG_MOST = 8
# Seconds that a search may take; all but the first in the background.
BUDGETS = (1, 10, 100, 1_000)
# Results of long searches, and plays, that are kept for pages that are drawn again.
_KEPT = 128

# Searches that somebody waits for. A pool of its own: each thread keeps the memory of a solver.
SHORT = Lane("analysis", max(2, os.cpu_count() or 1), waiting=64, patience=60.0, nice=0)
_long = ThreadPoolExecutor(1, thread_name_prefix="long-search")
# Kernels are compiled for all searches.
_compiling = ThreadPoolExecutor(1, thread_name_prefix="compiling")
_begun: "OrderedDict[Hashable, _Search]" = OrderedDict()
_plays: LRUCache[str, list[Advice] | None] = LRUCache(_KEPT)
_lock = threading.Lock()


class _Search(NamedTuple):
    """A long search, and the event that ends it if its work is in a process of its own."""

    doing: "Future[Any]"
    cancelled: threading.Event


def wait_for(work: Callable[[], T]) -> T:
    """Have a short search done, and wait for it.

    Raises:
        BadInput: too many wait already, or an error of the search.
    """
    try:
        return SHORT.begin(work).result()
    except Problem as problem:
        raise BadInput(str(problem)) from None


def plays_by_chance(observation: Mapping[str, Any], rules: Rules) -> list[Advice] | None:
    """The plays of `catalogue.chances.plays_by_chance`, the same for all who ask this process.

    Games are played for a time, so that a page that is drawn again would show other numbers.

    Raises:
        BadInput: what is seen is impossible, or too many wait already.
    """
    key = json.dumps([rules.slug, observation], sort_keys=True)
    with _lock:
        if key in _plays:
            return _plays[key]
    found = wait_for(partial(chances.plays_by_chance, observation, rules))
    with _lock:
        _plays[key] = found
    return found


def begin(key: Hashable, work: Callable[[], T], pool: ThreadPoolExecutor = _long) -> "Future[T]":
    """Begin a long search, unless one of the same key was begun before.

    Raises:
        BadInput: too many wait already.
    """
    return _begin(key, lambda _cancelled: work(), pool)


def _begin(
    key: Hashable, work: Callable[[threading.Event], T], pool: ThreadPoolExecutor = _long
) -> "Future[T]":
    """The same with a work that is given the event that cancels it."""
    with _lock:
        if key in _begun:
            _begun.move_to_end(key)
            return _begun[key].doing
        if sum(not each.doing.done() for each in _begun.values()) >= LONG_MOST:
            raise BadInput(
                f"{LONG_MOST} long searches wait or run on this server already: ask again later"
            )
        ended = [each for each, search in _begun.items() if search.doing.done()]
        for old in ended[: -_KEPT or None]:
            del _begun[old]
        cancelled = threading.Event()
        doing = pool.submit(work, cancelled)
        _begun[key] = _Search(doing, cancelled)
        return doing


def begun(key: Hashable) -> "Future[Any] | None":
    """The long search of a key, if it was begun."""
    search = _begun.get(key)
    return None if search is None else search.doing


def result_of(key: Hashable, doing: "Future[T]") -> T:
    """The result of a long search that is done.

    Raises:
        BadInput: an error of the search, for as long as its result is kept.
        Exception: any other error, once; then the search can be begun again.
    """
    try:
        return doing.result()
    except BadInput:
        raise
    except Exception:
        forget(key)
        raise


def forget(key: Hashable) -> None:
    """Forget the result of a long search, so that it can be begun again."""
    with _lock:
        _begun.pop(key, None)


def key_of_longer(question: Question, about: str = "solution") -> Hashable:
    """The key of the search of `decide_longer` or, about the ``regret``, of `regret_longer`."""
    game = (question.start, question.line) if about == "regret" else question.position
    return about, game, question.budget


def decide_longer(question: Question) -> Answer | None:
    """The answer to a question that is searched in the background, None until it is there.

    The search is begun unless it was; all who ask later know what it found.

    Raises:
        BadInput: too many wait already, or an error of the search.
    """
    position = question.position
    work = partial(decide, position, question.budget, is_shown=True)
    try:
        found = _longer(key_of_longer(question), work, lambda new: remember((position, new)))
    except (apart.Cancelled, CancelledError):
        found = Decision(Verdict.UNDECIDED, ending=Ending.CANCELLED)
    return None if found is None else Answer.of(question, found)


def regret_longer(question: Question, source: Source) -> GameRegret | None:
    """The regret of a game that is searched for in the background, None until it is there.

    Raises:
        BadInput: too many wait already, or an error of the search.
    """
    key = key_of_longer(question, "regret")
    known = Knowledge(question, source if begun(key) is None else without_catalogue)
    work = partial(regret_of, question.start, question.line, question.budget, known)
    try:
        return _longer(key, work, lambda new: remember(*new.decisions))
    except (apart.Cancelled, CancelledError):
        return GameRegret(Regret(RegretKind.UNDECIDED), Ending.CANCELLED, ())


def _longer(key: Hashable, work: Callable[[], T], learn: Callable[[T], None]) -> T | None:
    """The result of a work in a process of its own, begun unless it was; None until it is done."""

    def do(cancelled: threading.Event) -> T:
        found = apart.call(work, cancelled)
        learn(found)
        return found

    doing = _begin(key, do)
    return result_of(key, doing) if doing.done() else None


def cancel(key: Hashable) -> None:
    """Cancel and forget a search in a process of its own, if it was begun."""
    with _lock:
        search = _begun.pop(key, None)
    if search is not None:
        search.cancelled.set()
        search.doing.cancel()


def _decider(rules: Rules) -> Solver | None:
    """Who decides positions of a ruleset, and whose wins people look at."""
    solver = decider(rules)
    return None if solver is None else as_shown(solver)


def compile_kernels(rules: Rules) -> Hashable | None:
    """Begin to compile what decides positions of a ruleset; its key, None if that is there."""
    solver = _decider(rules)
    if solver is None or solver.is_ready(rules):
        return None
    key = "kernels", rules.slug
    doing = begin(key, partial(solver.prepare, rules), _compiling)
    # The next caller is told why it failed.
    return None if doing.done() else key


def warm_up() -> None:
    """Load the kernels that pages need first, compiling them on a new machine."""
    for game in games():
        rules = parse_ruleset(game.rulesets.default)
        asked = (capable(rules, ability) for ability in (Ability.EXPLAIN, Ability.ADVISE))
        for solver in (decider(rules), _decider(rules), *asked):
            if solver is not None:
                # The first caller is told what is wrong with it.
                with suppress(Exception):
                    solver.warm_up(rules)


def waiting_words(rules: Rules) -> str:
    """The words of a page that waits for a search."""
    solver = _decider(rules)
    if solver is None or solver.is_warm(rules):
        return "Searching …"
    return (
        "The solver is being loaded, then it searches. On a new machine it is compiled first, "
        "which takes up to a minute, once …"
    )
