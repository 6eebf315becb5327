"""Is this position winnable? One answer for all who ask: pages, the board, the API, commands.

First what is known: the catalogue's verdict on the deal that a position was reached from, the
stored win while the game is on it, and what an earlier search of this process found. Then a search
(`solvers.deciding`). A win is shown with its moves, which the referee has replayed; a loss is the
end of a complete search, and of a starting deal often a dead end. What the budget does not suffice
for is undecided, and the answer says what ended the search.

Whatever is reached from a lost position is lost, too, so that an unwinnable deal decides every
position reached from it; and each position along a win is won by the rest of it.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import numpy as np
from cachetools import LRUCache

from catalogue.reading.deal_detail import DealOutcome, deal_detail
from catalogue.store import Catalogue, answering
from engine.errors import BadInput
from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.replay import positions
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from solvers.advice import Advice
from solvers.analysis import Analysis, analyse
from solvers.deciding import Budget, Decision, DecisionSearch, Ending, Verdict, ending_words
from solvers.outcome import DeadEnd
from solvers.registry import Ability, Solver, capable, decider

# Time for the answer, and for each further ruleset.
MILLISECONDS = 1_000.0
FURTHER_MILLISECONDS = 250.0
# MiB of memory of a search that takes longer than the usual one.
_LONG_MIB = 256
# Positions that a process remembers.
_REMEMBERED = 20_000

_DECIDING = {"winnable": "won", "unwinnable": "unwinnable"}


@dataclass(frozen=True, slots=True)
class Origin:
    """The starting deal that a position was reached from, by no or some legal moves.

    Attributes:
        deal: the deal.
        name: its name, if it has one; else deals with the same cards are looked for.
    """

    deal: Deal
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about a position under a ruleset.

    Attributes:
        ruleset: slug.
        verdict: the verdict; unknown, from the catalogue, if it was only attempted.
        moves: those of a win; empty without one, and where only the verdict is stored.
        source: where the verdict comes from.
        solver: who decided, with its version, or could not; None if no solver plays the ruleset.
        nodes: positions that were entered to decide it, if that is known.
        dead_end: why a starting deal cannot be won, if a test for it tells.
        since: when that was stored, if it was and the time is known.
        follows_from: slug of the ruleset under which the solver has decided it, if the verdict
            follows from there.
        ending: what ended a search without a verdict.
        reason: the same in words, without a full stop; None if there is a verdict.
    """

    ruleset: str
    verdict: Verdict
    moves: tuple[Move, ...] = ()
    source: Literal["search", "catalogue"] = "search"
    solver: str | None = None
    nodes: int | None = None
    dead_end: DeadEnd | None = None
    since: datetime | None = None
    follows_from: str | None = None
    ending: Ending | None = None
    reason: str | None = None


class Knowledge:
    """Knowledge of positions reached from a deal before anything is searched.

    Args:
        origin: the deal; None if it is not known.
        rules: the ruleset.
        cat: the catalogue; None without one.

    Raises:
        BadInput: the catalogue cannot be asked.
    """

    def __init__(self, origin: Origin | None, rules: Rules, cat: Catalogue | None = None) -> None:
        self.start: Position | None = None
        # Of the deal, if anything is stored.
        self.stored: Answer | None = None
        # For each position along the stored win, how many of its moves lead there.
        self._line: dict[Position, int] = {}
        if origin is None or cat is None:
            return
        self.start = game_of(rules).start(origin.deal, rules)
        self.stored = known(cat, origin.name, origin.deal, rules)
        if self.stored is not None and self.stored.moves:
            self._line = _along(self.start, self.stored.moves)

    def __call__(self, position: Position) -> Decision | None:
        """The decision of the catalogue or of a search of this process on a position, if any."""
        found = self.of(position)
        if found is None or not (found.moves or found.verdict == Verdict.UNWINNABLE):
            remembered = _memory.of(position)
            if found is None or (remembered is not None and remembered.win):
                return remembered
        return Decision(found.verdict, found.moves, found.nodes or 0)

    def of(self, position: Position) -> Answer | None:
        """The answer of the catalogue on a position; None unless that is a verdict."""
        stored = self.stored
        if stored is None or stored.verdict == Verdict.UNDECIDED:
            return None
        if position == self.start:
            return stored
        if stored.verdict == Verdict.UNWINNABLE:
            return _of_later(stored, ())
        at = self._line.get(position)
        return None if at is None else _of_later(stored, stored.moves[at:])


def _of_later(stored: Answer, moves: tuple[Move, ...]) -> Answer:
    """The answer on a position reached from a deal by what is stored of the deal."""
    return Answer(
        stored.ruleset,
        stored.verdict,
        moves,
        "catalogue",
        stored.solver,
        since=stored.since,
        follows_from=stored.follows_from,
    )


def _along(start: Position, moves: tuple[Move, ...]) -> dict[Position, int]:
    """The positions along a win, each with the number of moves that lead there at last."""
    reached, found = start, {start: 0}
    for at, move in enumerate(moves, start=1):
        reached = reached.play(move)
        found[reached] = at
    return found


class _DecisionMemory:
    """Decisions of searches of this process, those asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: LRUCache[Position, tuple[Decision, int]] = LRUCache(_REMEMBERED)

    def of(self, position: Position) -> Decision | None:
        """The decision on a position; None if nothing is remembered."""
        with self._lock:
            kept = self._found.get(position)
        if kept is None:
            return None
        found, at = kept
        return Decision(found.verdict, found.win[at:], found.nodes, found.ending, found.solver)

    def add(self, position: Position, found: Decision) -> None:
        """Remember a verdict, or what more time would not change."""
        is_settled = found.ending in (Ending.GAME, Ending.NO_SOLVER)
        if position.is_won or (found.verdict == Verdict.UNDECIDED and not is_settled):
            return
        line = _along(position, found.win) if found.win else {position: 0}
        with self._lock:
            if not found.win and position in self._found:
                return  # what was found before may have the moves
            self._found.update((reached, (found, at)) for reached, at in line.items())

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._found.clear()


_memory = _DecisionMemory()


def remember(position: Position, found: Decision) -> None:
    """Have all who ask this process know of a verdict, and of each position along a win."""
    _memory.add(position, found)


def forget() -> None:
    """Forget what searches found."""
    _memory.clear()


def knowledge_of(origin: Origin | None, rules: Rules, cat: Catalogue | None) -> Knowledge:
    """Knowledge of positions reached from a deal; without the catalogue if it fails."""
    try:
        with answering():
            return Knowledge(origin, rules, cat)
    except BadInput:
        return Knowledge(origin, rules)


def known(cat: Catalogue, name: str | None, deal: Deal, rules: Rules) -> Answer | None:
    """The answer of the catalogue on a starting deal; None without one, or a contradiction.

    Args:
        cat: the catalogue.
        name: the deal's name, if it has one; else deals with the same cards are looked for.
        deal: the deal.
        rules: the ruleset.

    Raises:
        BadInput: the catalogue cannot be asked.
    """
    try:
        detail = deal_detail(cat, name or deal.digest, game_of(rules), quick_seconds=0)
    except BadInput as error:
        if name is not None or error.__cause__ is not None:
            raise
        return None
    status = detail.status(rules.slug)
    if status is None or status.alarm:
        return None
    here = [each for each in detail.outcomes if each.ruleset == rules.slug]
    wanted = _DECIDING.get(status.status)
    told = [each for each in here if wanted is None or each.result == wanted]
    if not told:
        return None
    best = detail.best(rules.slug)
    # Of those that say the same, the one whose moves or reason are shown, else the first stored.
    dead = next((each for each in told if each.dead_end is not None), None)
    shown = best if wanted == "won" and best is not None else dead or min(told, key=_stored)
    return Answer(
        rules.slug,
        Verdict.UNDECIDED if wanted is None else Verdict(status.status),
        () if shown.moves is None else tuple(detail.game.unpack(shown.moves)),
        "catalogue",
        f"{shown.solver} v{shown.version}",
        status.nodes,
        shown.dead_end,
        shown.created_at,
        shown.follows_from,
    )


def _stored(outcome: DealOutcome) -> tuple[bool, float]:
    at = outcome.created_at
    return at is None, 0.0 if at is None else at.timestamp()


def usual_budget(milliseconds: float | None = None) -> Budget:
    """The budget of an answer within that time, by default MILLISECONDS."""
    usual = MILLISECONDS if milliseconds is None else milliseconds
    return Budget(usual, memory_mib=_LONG_MIB) if usual > MILLISECONDS else Budget(usual)


def answer(
    position: Position,
    budget: Budget | None = None,
    deal: Deal | None = None,
    knowledge: Knowledge | None = None,
) -> Answer:
    """The answer on a position, known or found by a search within a budget (`usual_budget`).

    Args:
        position: the position.
        budget: what the search may cost.
        deal: the deal, if the position is the start of one: that is quicker.
        knowledge: what is known of positions reached from its deal; by default what searches of
            this process have found.

    Raises:
        BadInput: the position is none that a table could show.
    """
    rules, own = position.rules, usual_budget() if budget is None else budget
    before = Knowledge(None, rules) if knowledge is None else knowledge
    stored = before.of(position)
    if stored is not None and (stored.moves or stored.verdict == Verdict.UNWINNABLE):
        return stored
    found = None if position.is_won else before(position)
    if found is None or (found.verdict == Verdict.WINNABLE and not found.win):
        found = DecisionSearch(rules, own).decide(position, deal)
        remember(position, found)
    if found.verdict == Verdict.UNDECIDED and stored is not None:
        # That it can be won is all that is stored.
        return replace(stored, ending=found.ending)
    return answer_of(position, found, own)


def answer_of(position: Position, found: Decision, budget: Budget) -> Answer:
    """The answer that a search within a budget gives."""
    slug = position.rules.slug
    who = found.solver or decider(position.rules)
    return Answer(
        slug,
        found.verdict,
        found.win,
        "search",
        None if who is None else named(who),
        found.nodes,
        ending=found.ending,
        reason=None if found.ending is None else ending_words(found.ending, budget, who, slug),
    )


def marked_moves(
    position: Position, budget: Budget, knowledge: Knowledge | None = None
) -> Analysis:
    """The legal moves of a position, each with the verdict on the position after it.

    Raises:
        BadInput: the position is none that a table could show.
    """
    before = Knowledge(None, position.rules) if knowledge is None else knowledge
    found = analyse(position, budget, before)
    remember(position, Decision(found.verdict, found.win or (), ending=found.ending))
    for each in found.moves:
        if each.verdict != Verdict.UNDECIDED:
            remember(each.after, Decision(each.verdict))
    return found


def analysis_as_data(
    position: Position,
    found: Analysis,
    text: Callable[[Move, Position], str] = lambda move, _: str(move),
) -> dict[str, Any]:
    """The legal moves of a position with their verdicts as plain data.

    Args:
        position: the position.
        found: what is known of its moves.
        text: a move, given with the position before it, as text.
    """
    safe = list(safe_moves(position))
    return {
        "verdict": found.verdict,
        "won": position.is_won,
        "complete": found.complete,
        "moves": [
            {
                "move": text(each.move, position),
                "verdict": each.verdict,
                "length": each.length,
                "wins": each.after.is_won,
            }
            for each in found.moves
        ],
        "safe": [text(*each) for each in zip(safe, positions(position, safe), strict=False)],
    }


def named(solver: Solver) -> str:
    """A solver as answers name it: its method with the version."""
    return f"{solver.method.slug} v{solver.method.version}"


def explained(found: Answer, deal: Deal, rules: Rules) -> Answer:
    """The answer with the dead end of a starting deal that cannot be won, if a test tells."""
    if found.verdict != Verdict.UNWINNABLE or found.dead_end is not None:
        return found
    return replace(found, dead_end=dead_end_of(deal, rules))


def dead_end_of(deal: Deal, rules: Rules) -> DeadEnd | None:
    """Why a starting deal cannot be won, if a test for dead ends tells."""
    tests = capable(rules, Ability.EXPLAIN)
    if tests is None:
        return None
    (outcome,) = tests.solve(np.array([deal.as_array()]), rules)
    return outcome.dead_end


def other_rulesets(rules: Rules) -> list[Rules]:
    """The presets of a game other than these rules under which positions can be decided."""
    presets = map(parse_ruleset, game_of(rules).rulesets.presets)
    return [other for other in presets if other != rules and decider(other) is not None]


def under_another_ruleset(origin: Origin, rules: Rules, cat: Catalogue | None = None) -> Answer:
    """The answer for a starting deal under another ruleset than the one asked about."""
    start = game_of(rules).start(origin.deal, rules)
    knowledge = knowledge_of(origin, rules, cat)
    return answer(start, Budget(FURTHER_MILLISECONDS), origin.deal, knowledge)


def plays_with_hidden_cards(observation: Mapping[str, Any], rules: Rules) -> list[Advice] | None:
    """The plays of a position of which some cards are not known; None if no player advises.

    Raises:
        BadInput: what is seen is impossible.
    """
    player = capable(rules, Ability.ADVISE)
    return None if player is None else player.advise(observation, rules)
