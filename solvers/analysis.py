"""Which moves of a position keep its win: a verdict beside each legal move.

A decider (`solvers.registry.decider`) is asked about the position and those after its moves; as a
rule it is a judge, which decides by complete search. Four facts save most of that work:

- *Whatever wins after a move wins before it*, by making the move first. So a position that is lost
  stays lost by every move, and one of whose moves keeps the win is won.
- *A position is lost if every move loses it*, unless it is won already.
- *The first move of a win keeps the win.*
- *A move that can be taken back changes no verdict*: by the first fact a win after it is a win
  before it, and taking it back makes a win before it one after it. A move can be taken back if the
  game says so (`engine.game.Actions.is_reversible`), or if a single move leads from the position
  after it to an equal position, which is looked up by the referee.

What is left is asked with few nodes for every move at first, then with more for those
undecided, so that one hard move does not use up the time of the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.errors import BadInput
from engine.game import Move, Position
from engine.games import game_of
from engine.replay import positions
from solvers.deciding import (
    FIRST_NODES,
    MORE,
    SETTLED,
    Budget,
    Decision,
    DecisionSearch,
    Ending,
    Known,
    decide,
    ending_of,
    nothing,
)
from solvers.deciding import Verdict as Verdict
from solvers.outcome import Outcome, Result
from solvers.registry import Ability, capable
from solvers.regret import Regret, RegretKind, find_regret


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
        ending: what ended the search before everything was decided; None if everything is.
    """

    verdict: Verdict
    moves: tuple[MarkedMove, ...]
    win: tuple[Move, ...] | None = None
    ending: Ending | None = None

    @property
    def winning(self) -> int:
        """The number of moves known to keep the win."""
        return sum(each.verdict == Verdict.WINNABLE for each in self.moves)

    @property
    def complete(self) -> bool:
        """Whether the position and every move are decided."""
        return Verdict.UNDECIDED not in (self.verdict, *(each.verdict for each in self.moves))


def analyse(position: Position, budget: Budget, known: Known = nothing) -> Analysis:
    """Decide a position and the position after each of its legal moves.

    Args:
        position: any position of a game; without a decider for its ruleset nothing is decided.
        budget: what it may cost in all, see `solvers.deciding.Budget`; with no time at all nothing
            is searched.
        known: what is known already of these positions.

    Raises:
        BadInput: the decider does not take the position.
    """
    return _Inquiry(position, budget, known).analysis()


def decide_by_all_means(position: Position, budget: Budget) -> Decision:
    """Decide a position; where a player lost its game, by games after each move, too.

    The decision names no solver, so that it can be pickled.

    Raises:
        BadInput: the decider does not take the position.
    """
    found = decide(position, budget)
    if found.ending == Ending.GAME:
        further = analyse(position, budget, {position: found}.get)
        found = Decision(Verdict.UNDECIDED, (), found.nodes, further.ending)
        if further.verdict == Verdict.WINNABLE:
            best = further.moves[0]
            won = decide(best.after, Budget(0.0))
            found = Decision(Verdict.WINNABLE, (best.move, *won.win), won.nodes)
    return replace(found, solver=None)


def regret_of(
    start: Position,
    moves: Sequence[Move],
    budget: Budget,
    known: Known = nothing,
    learn: Callable[[Position, Decision], None] | None = None,
) -> tuple[Regret, Ending | None]:
    """Find the move at which a game was lost, or what ended the search for it.

    Args:
        start: the first position of the game.
        moves: the moves, which do not win it.
        budget: what all searches may cost together.
        known: what is known already of its positions.
        learn: told of each position that is searched, and what came of it.

    Raises:
        ReplayError: the referee forbids one of the moves.
        BadInput: the game was won, or no solver decides positions of the ruleset.
    """
    if capable(start.rules, Ability.JUDGE) is None:
        raise BadInput(f"no solver decides positions of {start.rules.slug}")
    judge_in_time = _JudgeInTime(DecisionSearch(start.rules, budget), known, learn)
    found = find_regret(start, moves, judge_in_time)
    return found, judge_in_time.ending if found.kind == RegretKind.UNDECIDED else None


class _JudgeInTime:
    """Decides positions as long as there is time; then it gives up."""

    def __init__(
        self,
        search: DecisionSearch,
        known: Known,
        learn: Callable[[Position, Decision], None] | None,
    ) -> None:
        self.search = search
        self.known = known
        self.learn = learn
        self.ending: Ending | None = None

    def decide_position(self, position: Position) -> Result:
        found = self.known(position)
        if found is None or found.verdict == Verdict.UNDECIDED:
            if self.search.left <= 0:
                found = Decision(Verdict.UNDECIDED, ending=Ending.TIME)
            else:
                found = self.search.decide(position)
                if self.learn is not None:
                    self.learn(position, found)
        self.ending = found.ending
        results = {Verdict.WINNABLE: Result.WON, Verdict.UNWINNABLE: Result.UNWINNABLE}
        return results.get(found.verdict, Result.GAVE_UP)


def regret_and_decisions(
    start: Position, moves: Sequence[Move], budget: Budget, known: Known
) -> tuple[Regret, Ending | None, list[tuple[Position, Decision]]]:
    """`regret_of`, and what was decided on the way, without solvers, so that it can be pickled."""
    decided: list[tuple[Position, Decision]] = []

    def learn(position: Position, found: Decision) -> None:
        decided.append((position, replace(found, solver=None)))

    return *regret_of(start, moves, budget, known, learn), decided


def can_be_taken_back(before: Position, move: Move, after: Position) -> bool:
    """Whether play can lead from the position after a legal move back to the one before it."""
    if game_of(before.rules).load_actions().is_reversible(before, move):
        return True
    return any(after.play(back) == before for back in after.legal_moves())


class _Inquiry:
    """The analysis of one position, within its budget."""

    def __init__(self, position: Position, budget: Budget, known: Known) -> None:
        self.position = position
        self.known = known
        self.search = DecisionSearch(position.rules, budget)
        self.nodes = FIRST_NODES
        self.verdict = Verdict.WINNABLE if position.is_won else Verdict.UNDECIDED
        self.win: tuple[Move, ...] | None = () if position.is_won else None
        # Positions of which more nodes would tell nothing else.
        self.settled: set[Position] = set()
        self.ending = Ending.NO_SOLVER if self.search.solver is None else None

    def analysis(self) -> Analysis:
        """Ask until everything is decided or the time is over."""
        legal = list(self.position.legal_moves())
        after = [self.position.play(move) for move in legal]
        verdicts = [Verdict.UNDECIDED] * len(legal)
        lengths: list[int | None] = [None] * len(legal)
        self._recall(legal, after, verdicts, lengths)
        # Without a solver there is nothing to conclude from.
        same = [
            self.search.solver is not None and can_be_taken_back(self.position, move, reached)
            for move, reached in zip(legal, after, strict=True)
        ]
        while True:
            goes_on = self.verdict != Verdict.UNDECIDED or self.decide()
            self._follow(legal, verdicts, lengths, same)
            for at in range(len(legal)):
                if verdicts[at] != Verdict.UNDECIDED or same[at] or after[at] in self.settled:
                    continue
                if self.verdict == Verdict.UNWINNABLE or not goes_on:
                    break
                outcome = self._ask(after[at])
                goes_on = outcome is not None
                if outcome is not None:
                    verdicts[at] = _verdict_of(outcome)
                    if outcome.moves is not None:
                        lengths[at] = 1 + game_of(self.position.rules).length(outcome.moves)
            self._follow(legal, verdicts, lengths, same)
            asked = [
                reached
                for verdict, reached, taken_back in zip(verdicts, after, same, strict=True)
                if verdict == Verdict.UNDECIDED and not taken_back
            ]
            if self.verdict == Verdict.UNDECIDED:
                asked.append(self.position)
            if not goes_on or self.settled.issuperset(asked):
                break
            self.nodes *= MORE
        order = {Verdict.WINNABLE: 0, Verdict.UNDECIDED: 1, Verdict.UNWINNABLE: 2}
        marked = [MarkedMove(*each) for each in zip(legal, after, verdicts, lengths, strict=True)]
        marked.sort(key=lambda each: (order[each.verdict], each.length or 10**9))
        found = Analysis(self.verdict, tuple(marked), self.win)
        return found if found.complete else replace(found, ending=self.ending)

    def _recall(
        self,
        legal: Sequence[Move],
        after: Sequence[Position],
        verdicts: list[Verdict],
        lengths: list[int | None],
    ) -> None:
        """Take over what is known of the position and of those after its moves."""
        found = None if self.position.is_won else self.known(self.position)
        if found is not None:
            self.verdict = found.verdict
            self._settle(self.position, found.ending)
            self.win = found.win or None
        for at, reached in enumerate(after):
            found = None if self.verdict == Verdict.UNWINNABLE else self.known(reached)
            if found is not None:
                verdicts[at] = found.verdict
                self._settle(reached, found.ending)
                lengths[at] = 1 + len(found.win) if found.win else None

    def _settle(self, position: Position, ending: Ending | None) -> None:
        """Note what ended a search of a position; the time, once it is over, is the reason."""
        if ending is None:
            return
        if self.ending != Ending.TIME:
            self.ending = ending
        if ending in SETTLED:
            self.settled.add(position)

    def decide(self) -> bool:
        """Ask about the position itself; false if there is no time or no solver."""
        if self.position in self.settled:
            return True
        outcome = self._ask(self.position)
        if outcome is None:
            return False
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
            verdicts[at] = Verdict.WINNABLE
            lengths[at] = min(lengths[at] or len(self.win), len(self.win))
        if self.verdict == Verdict.UNDECIDED:
            if Verdict.WINNABLE in verdicts:
                self.verdict = Verdict.WINNABLE
            elif all(each == Verdict.UNWINNABLE for each in verdicts) or any(
                each == Verdict.UNWINNABLE and taken_back
                for each, taken_back in zip(verdicts, same, strict=True)
            ):
                self.verdict = Verdict.UNWINNABLE
        for at in range(len(legal)):
            if self.verdict == Verdict.UNWINNABLE or same[at]:
                verdicts[at] = self.verdict

    def _ask(self, position: Position) -> Outcome | None:
        """Have a position decided; None if there is no time or no solver."""
        if position.is_won:
            return Outcome(Result.WON, 0, None, b"")
        search = self.search
        if search.solver is None:
            return None
        nodes = self.nodes
        # Fewer than the round's if the time left suffices for fewer only, as long as they are more
        # than in the round before; halved, so that there are few solvers to keep.
        while nodes * MORE > self.nodes and search.affordable(nodes) < nodes:
            nodes //= 2
        if search.left <= 0 or nodes * MORE <= self.nodes:
            self.ending = Ending.TIME
            return None
        outcome = search.ask(position, nodes)
        self._settle(position, ending_of(outcome, nodes))
        return outcome


def _verdict_of(outcome: Outcome) -> Verdict:
    if outcome.result == Result.WON:
        return Verdict.WINNABLE
    return Verdict.UNWINNABLE if outcome.result == Result.UNWINNABLE else Verdict.UNDECIDED
