"""Is this position winnable? One answer for all who ask: pages, the board, the API, commands.

First what is known: the catalogue's verdict on the deal that a position was reached from, the
stored win while the game is on it, and what an earlier search of this process found. Then a search
(`solvers.deciding`). A win is shown with its moves, which the referee has replayed: a stored one,
and that of a search for verdicts alone, is made shorter before (`shown_win`). A loss is the end
of a complete search, and of a starting deal often a dead end. What the budget does not suffice for
is undecided, and the answer says what ended the search.

Whatever is reached from a lost position is lost, too, so that an unwinnable deal decides every
position reached from it; and each position along a win is won by the rest of it.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from cachetools import LRUCache

from engine.errors import BadInput
from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.intake import ReadEntry
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from solvers.analysis import GameRegret, MarkedMove, analyse, regret_of
from solvers.choice import Ability, capable, decider
from solvers.deciding import (
    Budget,
    Decision,
    DecisionSearch,
    Ending,
    Verdict,
    dead_end_words,
    ending_words,
    limit_of,
)
from solvers.outcome import DeadEnd
from solvers.solver import configure

# What reads a catalogue takes as long to load as most answers without one.
if TYPE_CHECKING:
    from catalogue.reading.deal_detail import DealOutcome
    from catalogue.store import Catalogue

# Time for the answer, and for each further ruleset.
MILLISECONDS = 1_000.0
FURTHER_MILLISECONDS = 250.0
# MiB of memory of a search that takes longer than the usual one.
_LONG_MIB = 256
# Of a search that is to find a shorter win than a known one.
_SHORTENING_NODES = 100_000
# Positions that a process remembers.
_REMEMBERED = 20_000

_DECIDING = {"winnable": "won", "unwinnable": "unwinnable"}

# Subject of a question: the verdict alone, the moves of a win, or the verdict after each move.
Subject = Literal["verdict", "solution", "moves"]
# Opens the catalogue, if there is one.
Source = Callable[[], "Catalogue | None"]
# Moves made one after another from a position, as a face shows them.
WriteMoves = Callable[[Position, Sequence[Move]], list[Any]]


def usual_budget(milliseconds: float | None = None) -> Budget:
    """The budget of an answer within that time, by default MILLISECONDS."""
    usual = MILLISECONDS if milliseconds is None else milliseconds
    return Budget(usual, memory_mib=_LONG_MIB) if usual > MILLISECONDS else Budget(usual)


@dataclass(frozen=True, slots=True)
class Question:
    """A position under a ruleset, how it was reached, and what the answer may cost.

    Attributes:
        start: the position that was given.
        position: the one that is asked about, after the line.
        line: the moves made from the start.
        deal: the starting deal, if the start is that of one.
        name: its name, if it has one; else deals with the same cards are looked for.
        about: the subject.
        budget: cost of a search; by default the usual one.
    """

    start: Position
    position: Position
    line: tuple[Move, ...] = ()
    deal: Deal | None = None
    name: str | None = None
    about: Subject = "solution"
    budget: Budget = field(default_factory=usual_budget)

    @classmethod
    def of(
        cls, entry: ReadEntry, line: Sequence[Move] = (), about: Subject = "solution"
    ) -> "Question":
        """The question about a deal or position that was read, and moves made from there.

        Raises:
            BadInput: a card is not known, or a move is illegal.
        """
        start, moves = entry.position, tuple(line)
        return cls(start, replay(start, moves), moves, entry.deal, entry.name, about)

    @property
    def rules(self) -> Rules:
        """The ruleset."""
        return self.position.rules

    @property
    def is_deal(self) -> bool:
        """Whether the position is the start of a deal."""
        return self.deal is not None and not self.line

    def within(self, budget: Budget) -> "Question":
        """The question with another budget."""
        return replace(self, budget=budget)

    def under(self, rules: Rules) -> "Question":
        """The question about the starting deal under another ruleset."""
        assert self.deal is not None
        start = game_of(rules).start(self.deal, rules)
        budget = Budget(FURTHER_MILLISECONDS)
        return Question(start, start, (), self.deal, self.name, budget=budget)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question about a position.

    Attributes:
        question: the question.
        verdict: the verdict; undecided, from the catalogue, if it was only attempted.
        win: the moves of a win; empty without one, and where only the verdict is stored.
        moves: the legal moves with their verdicts, the best first, if these were asked for.
        source: where the verdict comes from.
        solver: who decided, with its version, or could not; None if none decides.
        nodes: positions that were entered to decide it, if that is known.
        dead_end: why a starting deal cannot be won, if a test for it tells.
        since: when that was stored, if it was and the time is known.
        follows_from: slug of the ruleset under which the solver has decided it, if the verdict
            follows from there.
        ending: what ended a search before all that was asked for was known.
    """

    question: Question
    verdict: Verdict
    win: tuple[Move, ...] = ()
    moves: tuple[MarkedMove, ...] = ()
    source: Literal["search", "catalogue"] = "search"
    solver: str | None = None
    nodes: int | None = None
    dead_end: DeadEnd | None = None
    since: datetime | None = None
    follows_from: str | None = None
    ending: Ending | None = None

    @classmethod
    def of(cls, question: Question, found: Decision) -> "Answer":
        """The answer that a search gives."""
        solver = named(question.rules)
        nodes, ending = found.nodes, found.ending
        return cls(question, found.verdict, found.win, solver=solver, nodes=nodes, ending=ending)

    @property
    def reason(self) -> str | None:
        """Why it is not decided, or the dead end of the deal, in words without a full stop."""
        question = self.question
        if self.ending is not None:
            return ending_words(self.ending, question.budget, question.rules)
        return dead_end_words(question.deal, question.rules, self.dead_end)

    @property
    def limit(self) -> str | None:
        """The limit that ended the search, in words; None if a larger one would not help."""
        return limit_of(self.ending, self.question.budget)

    def as_data(self, write: WriteMoves = lambda _, moves: list(map(str, moves))) -> dict[str, Any]:
        """The answer as plain data, with its moves as a face writes them."""
        position, about = self.question.position, self.question.about
        data: dict[str, Any] = {
            "rules": position.rules.slug,
            "verdict": self.verdict,
            "won": position.is_won,
            "source": self.source,
            "solver": self.solver,
            "follows_from": self.follows_from,
            "nodes": self.nodes,
            "ending": self.ending,
            "limit": self.limit,
            "reason": self.reason,
        }
        if about != "verdict":  # the win behind a verdict is not made as short as one that is shown
            data["length"] = len(self.win) if self.win or position.is_won else None
        if about == "solution":
            data["moves"] = write(position, self.win)
        elif about == "moves":
            data["complete"] = self.ending is None
            data["moves"] = [
                {
                    "move": write(position, [each.move])[0],
                    "verdict": each.verdict,
                    "length": each.length,
                    "wins": each.after.is_won,
                    "same_as": None if each.same_as is None else write(position, [each.same_as])[0],
                }
                for each in self.moves
            ]
            data["safe"] = write(position, safe_moves(position))
        return data


class Knowledge:
    """Knowledge of positions reached from the start of a question before anything is searched.

    Args:
        question: the question.
        source: opens the catalogue, which is not asked if that or the asking fails.
    """

    def __init__(self, question: Question, source: Source) -> None:
        self.question = question
        # Of the deal, if anything is stored.
        self.stored: Answer | None = None
        # For each position along the stored win, how many of its moves lead there.
        self._line: dict[Position, int] = {}
        if question.deal is None:
            return
        from catalogue.database import answering

        with suppress(BadInput), answering():
            cat = source()
            self.stored = None if cat is None else known(question, cat)
        if self.stored is not None and self.stored.win:
            self._line = _along(question.start, self.stored.win)

    def __call__(self, position: Position) -> Decision | None:
        """The decision of the catalogue or of a search of this process on a position, if any."""
        found, remembered = self.of(position), _memory.of(position)
        if found is None:
            return remembered
        if remembered is not None and remembered.win:
            is_shorter = remembered.is_shown and len(remembered.win) <= len(found.win)
            if is_shorter or not found.win:
                return remembered
        return Decision(found.verdict, found.win, found.nodes or 0)

    def of(self, position: Position) -> Answer | None:
        """The answer of the catalogue on a position; None unless that is a verdict."""
        stored = self.stored
        if stored is None or stored.verdict == Verdict.UNDECIDED:
            return None
        if position == self.question.start:
            return stored
        later = replace(stored, win=(), nodes=None, dead_end=None)
        if stored.verdict == Verdict.UNWINNABLE:
            return later
        at = self._line.get(position)
        return None if at is None else replace(later, win=stored.win[at:])

    def shown(self, position: Position) -> Decision | None:
        """As a call, but a win is as short as those that people look at."""
        found = self(position)
        if found is None or not found.win or found.is_shown:
            return found
        return replace(found, win=shown_win(position, found.win, found.nodes), is_shown=True)


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
        return replace(found, win=found.win[at:])

    def add(self, position: Position, found: Decision) -> None:
        """Remember a verdict, or what more time would not change."""
        is_settled = found.ending == Ending.NO_SOLVER
        if position.is_won or (found.verdict == Verdict.UNDECIDED and not is_settled):
            return
        line = _along(position, found.win) if found.win else {position: 0}
        with self._lock:
            for reached, at in line.items():
                kept = self._found.get(reached)
                if kept is None or _is_better(found, at, *kept):
                    self._found[reached] = found, at

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._found.clear()


def _is_better(new: Decision, at: int, kept: Decision, kept_at: int) -> bool:
    """Whether a decision, from a move of its win on, takes the place of one that is kept."""
    if not new.win or not kept.win:
        return bool(new.win)
    rank, kept_rank = (
        (not new.is_shown, len(new.win) - at),
        (not kept.is_shown, len(kept.win) - kept_at),
    )
    return rank < kept_rank


_memory = _DecisionMemory()


def remember(*decisions: tuple[Position, Decision]) -> None:
    """Have all who ask this process know of decisions, and of each position along a win."""
    for position, found in decisions:
        _memory.add(position, found)


def remembered(position: Position) -> Decision | None:
    """The decision of a search of this process on a position, if it is still known."""
    return _memory.of(position)


def forget() -> None:
    """Forget what searches found."""
    _memory.clear()


def known(question: Question, cat: "Catalogue") -> Answer | None:
    """The answer of the catalogue on the starting deal; None without one, or a contradiction.

    Raises:
        BadInput: the catalogue cannot be asked.
    """
    deal, rules = question.deal, question.rules
    if deal is None:
        return None
    from catalogue.reading.deal_detail import deal_detail

    try:
        detail = deal_detail(cat, question.name or deal.digest, game_of(rules), quick_seconds=0)
    except BadInput as error:
        if question.name is not None or error.__cause__ is not None:
            raise
        return None
    status = detail.status(rules.slug)
    if status is None or status.alarm:
        return None
    here = [each for each in detail.outcomes if each.ruleset == rules.slug]
    wanted = _DECIDING.get(status.status)
    matching = [each for each in here if wanted is None or each.result == wanted]
    if not matching:
        return None
    best = detail.best(rules.slug)
    # Of those that say the same, the one whose moves or reason are shown, else the first stored.
    dead = next((each for each in matching if each.dead_end is not None), None)
    shown = best if wanted == "won" and best is not None else dead or min(matching, key=_stored)
    return Answer(
        question,
        Verdict.UNDECIDED if wanted is None else Verdict(status.status),
        () if shown.moves is None else tuple(detail.game.unpack(shown.moves)),
        (),
        "catalogue",
        f"{shown.solver} v{shown.version}",
        status.nodes,
        shown.dead_end,
        shown.created_at,
        shown.follows_from,
    )


def _stored(outcome: "DealOutcome") -> tuple[bool, float]:
    at = outcome.created_at
    return at is None, 0.0 if at is None else at.timestamp()


def shown_win(position: Position, win: tuple[Move, ...], nodes: int) -> tuple[Move, ...]:
    """A win from a position as people see it, not longer than a known one; 20 to 60 ms of search.

    That of an earlier answer, if there is one. Where no solver makes wins shorter, the one that
    decides searches again as for people, who get the shorter one.

    Args:
        position: the position.
        win: the known one.
        nodes: of the search that found it, which are kept with the shorter one.
    """
    kept = _memory.of(position)
    if kept is not None and kept.is_shown and kept.win and len(kept.win) <= len(win):
        return kept.win
    able = capable(position.rules, Ability.SHORTEST)
    if able is not None and able.method.shortest is not None:
        short = able.method.shortest.shorten(position, win)
    else:
        short = _shorter_win(position, win)
    assert replay(position, short).is_won, "a win made shorter is none"
    remember((position, Decision(Verdict.WINNABLE, short, nodes, is_shown=True)))
    return short


def _shorter_win(position: Position, win: tuple[Move, ...]) -> tuple[Move, ...]:
    """The shorter of a win and that which the deciding solver shows, if it soon finds one."""
    solver = decider(position.rules)
    if solver is None or not solver.method.shown or not solver.is_ready(position.rules):
        return win
    values = {**dict(solver.values), **solver.method.shown}
    if "nodes" in values:
        values["nodes"] = _SHORTENING_NODES
    moves = configure(solver.method, values).solve_position(position).moves
    found = None if moves is None else game_of(position.rules).unpack(moves)
    return win if found is None or len(found) >= len(win) else found


def without_catalogue() -> "Catalogue | None":
    """No catalogue."""
    return None


def answer(question: Question, source: Source = without_catalogue) -> Answer:
    """The answer to a question: what the catalogue or an earlier search knows, else a search.

    Raises:
        BadInput: the position is none that a table could show.
    """
    before, position = Knowledge(question, source), question.position
    stored, is_shown = before.of(position), question.about != "verdict"
    earlier = before.shown(position) if is_shown else before(position)
    if stored is not None and stored.win and earlier is not None:
        stored = replace(stored, win=earlier.win)
    if question.about == "moves":
        marked = analyse(position, question.budget, before)
        remember(*marked.decisions(position))
        known = stored or Answer(question, marked.verdict, solver=named(question.rules))
        return replace(known, win=marked.win or (), moves=marked.moves, ending=marked.ending)
    if stored is not None and (
        stored.win or stored.verdict == Verdict.UNWINNABLE or question.about == "verdict"
    ):
        return stored
    found = None if position.is_won else earlier
    if found is None or (found.verdict == Verdict.WINNABLE and not found.win):
        deal = question.deal if question.is_deal else None
        search = DecisionSearch(question.rules, question.budget, is_shown=is_shown)
        found = search.decide(position, deal)
        remember((position, found))
    if found.verdict == Verdict.UNDECIDED and stored is not None:
        # That it can be won is all that is stored.
        return replace(stored, ending=found.ending)
    return Answer.of(question, found)


def regret(question: Question, source: Source = without_catalogue) -> GameRegret:
    """The move of the line after which no win was possible any more.

    Raises:
        BadInput: the line ends in a win, or no solver decides positions of the ruleset.
    """
    before = Knowledge(question, source)
    found = regret_of(question.start, question.line, question.budget, before)
    remember(*found.decisions)
    return found


def named(rules: Rules) -> str | None:
    """Who decides positions of a ruleset, as answers name it: its method with the version."""
    who = decider(rules)
    return None if who is None else f"{who.method.slug} v{who.method.version}"


def explained(found: Answer) -> Answer:
    """The answer with the dead end of a starting deal that cannot be won, if a test tells."""
    deal = found.question.deal if found.question.is_deal else None
    if deal is None or found.verdict != Verdict.UNWINNABLE or found.dead_end is not None:
        return found
    return replace(found, dead_end=dead_end_of(deal, found.question.rules))


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
