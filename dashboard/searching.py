"""Searches that pages ask for: short ones that they wait for, long ones in the background.

No search runs in the thread of a page, of which each visitor has one: a thread keeps the memory of
a solver. Short ones share the threads of `dashboard.api`; long ones have a single thread, so that
they wait for each other and nobody else for them.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from dashboard.api import TOO_MANY, in_pool
from engine.errors import BadInput
from engine.game import Rules
from engine.games import games
from engine.rulesets import parse_ruleset
from solvers.registry import adviser, explainer, judge

T = TypeVar("T")

# Long searches that wait or run.
LONG_MOST = 8
# Results of long searches that are kept, for pages that are drawn again.
_KEPT = 128

_long = ThreadPoolExecutor(1, thread_name_prefix="long-search")
_begun: "OrderedDict[Hashable, Future[Any]]" = OrderedDict()
_lock = threading.Lock()


def wait_for(work: Callable[[], T]) -> T:
    """Have a short search done, and wait for it.

    Raises:
        BadInput: too many wait already, or an error of the search.
    """
    doing = in_pool(work)
    if doing is None:
        raise BadInput(TOO_MANY)
    return doing.result()


def begin(key: Hashable, work: Callable[[], T]) -> "Future[T]":
    """Begin a long search, unless one of the same key was begun before.

    Raises:
        BadInput: too many wait already.
    """
    with _lock:
        if key in _begun:
            _begun.move_to_end(key)
            return _begun[key]
        if sum(not each.done() for each in _begun.values()) >= LONG_MOST:
            raise BadInput(
                f"{LONG_MOST} long searches wait or run on this server already: ask again later"
            )
        for old in [each for each, doing in _begun.items() if doing.done()][: -_KEPT or None]:
            del _begun[old]
        doing = _begun[key] = _long.submit(work)
        return doing


def begun(key: Hashable) -> "Future[Any] | None":
    """The long search of a key, if it was begun."""
    return _begun.get(key)


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


def warm_up() -> None:
    """Load the kernels that pages need first, compiling them on a new machine."""
    for game in games():
        rules = parse_ruleset(game.rulesets.default)
        for find in (judge, explainer, adviser):
            solver = find(rules)
            if solver is not None:
                # Whoever asks first is told what is wrong with it.
                with suppress(Exception):
                    solver.warm_up(rules)


def waiting_words(rules: Rules) -> str:
    """What a page says while it waits for a search."""
    solver = judge(rules)
    if solver is None or solver.is_warm:
        return "Searching …"
    return (
        "The solver is being loaded, then it searches. On a new machine it is compiled first, "
        "which takes up to a minute, once …"
    )
