"""Which moves of a position keep its win: a verdict beside each legal move.

A judge (`solvers.registry.judge`) decides the position and the positions after its moves by
complete search. Four facts save most of that work:

- *Whatever wins after a move wins before it*, by making the move first. So a position that is lost
  stays lost by every move, and one of whose moves keeps the win is won.
- *A position is lost if every move loses it*, unless it is won already.
- *The first move of a win keeps the win.*
- *A move that can be taken back changes no verdict*: by the first fact a win after it is a win
  before it, and taking it back makes a win before it one after it. A move can be taken back if the
  game says so (`engine.game.Actions.is_reversible`), or if a single move leads from the position
  after it to an equal position, which is looked up by the referee.

What is left is asked of the judge with few nodes for every move at first, then with more for those
undecided, so that one hard move does not use up the time of the others.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from engine.errors import BadInput
from engine.game import Move, Position
from engine.games import game_of
from engine.replay import positions
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result
from solvers.registry import Method, Solver, configure, judge
from solvers.regret import Regret, find_regret

# Nodes for each question at first; each further round allows so many times more.
_FIRST_NODES = 1_000
_MORE = 8
_MOST_NODES = 4_096_000
# MiB of a judge's memory: of these there is one a thread.
_MEMORY_MIB = 64


class Verdict(StrEnum):
    """Whether a position can be won; of a move, whether the position after it can."""

    WIN = "win"
    LOSS = "loss"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class MarkedMove:
    """A legal move with the verdict on the position after it.

    Attributes:
        move: the move.
        after: the position after it.
        verdict: the verdict.
        length: moves of the shortest win found that begins with it, if the judge gave one.
    """

    move: Move
    after: Position
    verdict: Verdict
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A position with its legal moves, the best first.

    Attributes:
        verdict: on the position itself.
        moves: those that keep the win, then those not decided, then those that lose it; those that
            keep it by the length of the win found, else in the referee's order.
        win: the moves of a win from here, if the judge gave one; the referee has replayed it.
    """

    verdict: Verdict
    moves: tuple[MarkedMove, ...]
    win: tuple[Move, ...] | None = None

    @property
    def winning(self) -> int:
        """The number of moves known to keep the win."""
        return sum(each.verdict == Verdict.WIN for each in self.moves)

    @property
    def complete(self) -> bool:
        """Whether the position and every move are decided."""
        return Verdict.UNKNOWN not in (self.verdict, *(each.verdict for each in self.moves))


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on a position.

    Attributes:
        verdict: the verdict.
        win: the moves of a win; none unless it is one, or the position is won already.
        nodes: positions that the judge entered to answer the last question about it.
    """

    verdict: Verdict
    win: tuple[Move, ...]
    nodes: int


def analyse(position: Position, milliseconds: float = 250.0) -> Analysis:
    """Decide a position and the position after each of its legal moves.

    Args:
        position: any position of a game; without a judge for its ruleset nothing is decided.
        milliseconds: time by the clock after which no further question is asked; one that is being
            asked is answered first, and no question is larger than what the time left should
            suffice for.

    Raises:
        BadInput: the judge does not take the position.
    """
    return _Inquiry(position, milliseconds).analysis()


def win_from(position: Position, milliseconds: float = 1000.0) -> tuple[Verdict, tuple[Move, ...]]:
    """Find a win from a position; its moves have been replayed by the referee.

    Returns the verdict, and the moves, none unless it is a win.

    Raises:
        BadInput: the judge does not take the position.
    """
    found = decide(position, milliseconds)
    return found.verdict, found.win


def decide(
    position: Position, milliseconds: float = 1000.0, *, memory_mib: int = _MEMORY_MIB
) -> Decision:
    """Decide a position; the moves of a win have been replayed by the referee.

    Args:
        position: any position of a game; without a judge for its ruleset nothing is decided.
        milliseconds: time by the clock, as in `analyse`.
        memory_mib: MiB of the judge's memory, which the thread keeps.

    Raises:
        BadInput: the judge does not take the position.
    """
    if position.is_won:
        return Decision(Verdict.WIN, (), 0)
    run = _Inquiry(position, milliseconds, memory_mib)
    while run.verdict == Verdict.UNKNOWN and run.nodes <= run.most_nodes and run.decide():
        run.nodes *= _MORE
    return Decision(run.verdict, run.win or (), run.entered)


def regret_of(start: Position, moves: Sequence[Move], milliseconds: float) -> Regret:
    """Find the move at which a game was lost, within a time by the clock.

    Raises:
        ReplayError: the referee forbids one of the moves.
        BadInput: the game was won, or no solver decides positions of the ruleset.
    """
    if _judge_of(start.rules.slug) is None:
        raise BadInput(f"no solver decides positions of {start.rules.slug}")
    return find_regret(start, moves, _JudgeInTime(time.perf_counter() + milliseconds / 1000))


@dataclass(frozen=True, slots=True)
class _JudgeInTime:
    """Decides positions until a time by `time.perf_counter`; then it gives up."""

    deadline: float

    def decide_position(self, position: Position) -> Result:
        found = decide(position, 1000 * (self.deadline - time.perf_counter()))
        results = {Verdict.WIN: Result.WON, Verdict.LOSS: Result.UNWINNABLE}
        return results.get(found.verdict, Result.GAVE_UP)


def can_be_taken_back(before: Position, move: Move, after: Position) -> bool:
    """Whether play can lead from the position after a legal move back to the one before it."""
    if game_of(before.rules).load_actions().is_reversible(before, move):
        return True
    return any(after.play(back) == before for back in after.legal_moves())


class _Inquiry:
    """The analysis of one position, within its time."""

    def __init__(
        self, position: Position, milliseconds: float, memory_mib: int = _MEMORY_MIB
    ) -> None:
        self.position = position
        self.memory_mib = memory_mib
        self.method = _judge_of(position.rules.slug)
        # Not before the judge is loaded, which may take seconds the first time.
        self.deadline = time.perf_counter() + milliseconds / 1000
        self.nodes = _FIRST_NODES
        # More than that is too much to begin in a second, and too little in a minute.
        self.most_nodes = max(_MOST_NODES, int(_MOST_NODES * milliseconds / 1000))
        self.entered = 0
        self.verdict = Verdict.WIN if position.is_won else Verdict.UNKNOWN
        self.win: tuple[Move, ...] | None = () if position.is_won else None
        # Nodes that the judge enters in a second, as far as it has been seen.
        self.speed = 0.0

    def analysis(self) -> Analysis:
        """Ask until everything is decided or the time is over."""
        legal = list(self.position.legal_moves())
        after = [self.position.play(move) for move in legal]
        verdicts = [Verdict.UNKNOWN] * len(legal)
        lengths: list[int | None] = [None] * len(legal)
        # Without a judge there is nothing to conclude from.
        same = [
            self.method is not None and can_be_taken_back(self.position, move, reached)
            for move, reached in zip(legal, after, strict=True)
        ]
        while self.nodes <= _MOST_NODES:
            goes_on = self.verdict != Verdict.UNKNOWN or self.decide()
            self._follow(legal, verdicts, lengths, same)
            for at in range(len(legal)):
                if verdicts[at] != Verdict.UNKNOWN or same[at]:
                    continue
                if self.verdict == Verdict.LOSS or not goes_on:
                    break
                outcome = self._ask(after[at])
                goes_on = outcome is not None
                if outcome is not None:
                    verdicts[at] = _verdict_of(outcome)
                    if outcome.moves is not None:
                        lengths[at] = 1 + game_of(self.position.rules).length(outcome.moves)
            self._follow(legal, verdicts, lengths, same)
            if not goes_on or Verdict.UNKNOWN not in (self.verdict, *verdicts):
                break
            self.nodes *= _MORE
        order = {Verdict.WIN: 0, Verdict.UNKNOWN: 1, Verdict.LOSS: 2}
        marked = [MarkedMove(*each) for each in zip(legal, after, verdicts, lengths, strict=True)]
        marked.sort(key=lambda each: (order[each.verdict], each.length or 10**9))
        return Analysis(self.verdict, tuple(marked), self.win)

    def decide(self) -> bool:
        """Ask about the position itself; false if there is no time or no judge."""
        outcome = self._ask(self.position)
        if outcome is None:
            return False
        self.entered = outcome.nodes
        self.verdict = _verdict_of(outcome)
        if outcome.moves is not None:
            self.win = tuple(game_of(self.position.rules).unpack(outcome.moves))
            *_, end = positions(self.position, self.win)
            assert end.is_won, "the judge gave a win that is none"
        return True

    def _follow(
        self,
        legal: Sequence[Move],
        verdicts: list[Verdict],
        lengths: list[int | None],
        same: Sequence[bool],
    ) -> None:
        """Draw all conclusions; see the module docstring."""
        if self.win:
            at = legal.index(self.win[0])
            verdicts[at] = Verdict.WIN
            lengths[at] = min(lengths[at] or len(self.win), len(self.win))
        if self.verdict == Verdict.UNKNOWN:
            if Verdict.WIN in verdicts:
                self.verdict = Verdict.WIN
            elif all(each == Verdict.LOSS for each in verdicts):
                self.verdict = Verdict.LOSS
        for at in range(len(legal)):
            if self.verdict == Verdict.LOSS or same[at]:
                verdicts[at] = self.verdict

    def _ask(self, position: Position) -> Outcome | None:
        """Have the judge decide a position; None if there is no time or no judge."""
        if position.is_won:
            return Outcome(Result.WON, 0, None, b"")
        left = self.deadline - time.perf_counter()
        if self.method is None or left <= 0:
            return None
        nodes = self.nodes
        # Fewer than the round's if the time left suffices for fewer only, as long as they are more
        # than in the round before; halved, so that there are few solvers to keep.
        while self.speed and nodes > self.speed * left:
            nodes //= 2
            if nodes * _MORE <= self.nodes:
                return None
        since = time.perf_counter()
        outcome = _judge(self.method, nodes, self.memory_mib).solve_position(position)
        spent = time.perf_counter() - since
        if outcome.nodes >= _FIRST_NODES:
            self.speed = outcome.nodes / spent
        return outcome


def _verdict_of(outcome: Outcome) -> Verdict:
    if outcome.result == Result.WON:
        return Verdict.WIN
    return Verdict.LOSS if outcome.result == Result.UNWINNABLE else Verdict.UNKNOWN


def configured_judge(ruleset: str, nodes: int, memory_mib: int) -> Solver | None:
    """The judge of a ruleset with so many nodes and so much memory, loaded; None without one."""
    method = _judge_of(ruleset)
    return None if method is None else _judge(method, nodes, memory_mib)


@cache
def _judge_of(ruleset: str) -> Method | None:
    rules = parse_ruleset(ruleset)
    found = judge(rules)
    if found is None:
        return None
    found.prepare(rules)
    return found.method


@lru_cache(maxsize=256)
def _judge(method: Method, nodes: int, memory_mib: int) -> Solver:
    """The judge with so many nodes and so much memory, if its method has these parameters."""
    names = {parameter.name for parameter in method.parameters}
    wanted = {"nodes": nodes, "memory_mib": memory_mib}
    return configure(method, {name: value for name, value in wanted.items() if name in names})
