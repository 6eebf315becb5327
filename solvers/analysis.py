"""Which moves of a position keep its win: a verdict beside each legal move.

A decider (`solvers.choice.decider`) is asked about the position and those after its moves. Four
facts save most of that work:

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import BadInput
from engine.game import Move, Position
from engine.games import game_of
from engine.replay import positions
from solvers.choice import Ability, capable
from solvers.deciding import (
    FIRST_NODES,
    MORE,
    SETTLED,
    Budget,
    Decision,
    DecisionSearch,
    Ending,
    Known,
    ending_of,
    nothing,
)
from solvers.deciding import Verdict as Verdict
from solvers.outcome import Outcome, Result
from solvers.regret import Regret, RegretKind, find_regret

# Nodes that a search for the move that lost a game enters at first for each of its positions.
_REGRET_NODES = 16_000


@dataclass(frozen=True, slots=True)
class MarkedMove:
    """A legal move with the verdict on the position after it.

    Attributes:
        move: the move.
        after: the position after it.
        verdict: the verdict.
        length: moves of the shortest win found that begins with it, if the decider gave one.
        same_as: an earlier move to the same position but for the order of cells or columns.
    """

    move: Move
    after: Position
    verdict: Verdict
    length: int | None = None
    same_as: Move | None = None


def different(moves: Sequence[MarkedMove]) -> list[MarkedMove]:
    """The moves but for those that are the same as another."""
    return [each for each in moves if each.same_as is None]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A position with its legal moves, the best first.

    Attributes:
        verdict: on the position itself.
        moves: those that keep the win, then those not decided, then those that lose it; those that
            keep it by the length of the win found, else in the referee's order. Those that are the
            same as another come last.
        win: the moves of a win from here, if the decider gave one; the referee has replayed it.
        ending: what ended the search before everything was decided; None if everything is.
        is_shown: whether the win was made as short as those that people look at.
    """

    verdict: Verdict
    moves: tuple[MarkedMove, ...]
    win: tuple[Move, ...] | None = None
    ending: Ending | None = None
    is_shown: bool = False

    @property
    def winning(self) -> int:
        """The number of moves known to keep the win, each that is the same as another left out."""
        return sum(each.verdict == Verdict.WINNABLE for each in different(self.moves))

    def decisions(self, position: Position) -> Iterator[tuple[Position, Decision]]:
        """The verdicts on the position and on those after its moves."""
        win = self.win or ()
        yield position, Decision(self.verdict, win, ending=self.ending, is_shown=self.is_shown)
        for each in self.moves:
            if each.verdict != Verdict.UNDECIDED:
                yield each.after, Decision(each.verdict)

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


@dataclass(frozen=True, slots=True)
class GameRegret:
    """The regret of a game, and what the search for it found out.

    Attributes:
        regret: the regret.
        ending: what ended the search before the regret was known; None if it is.
        decisions: the positions that were searched, with what came of it.
    """

    regret: Regret
    ending: Ending | None
    decisions: tuple[tuple[Position, Decision], ...]


def regret_of(
    start: Position, moves: Sequence[Move], budget: Budget, known: Known = nothing
) -> GameRegret:
    """Find the move at which a game was lost, or what ended the search for it.

    Args:
        start: the first position of the game.
        moves: the moves, which do not win it.
        budget: what all searches may cost together.
        known: what is known already of its positions.

    Raises:
        ReplayError: the referee forbids one of the moves.
        BadInput: the game was won, or no solver decides positions of the ruleset.
    """
    if capable(start.rules, Ability.DECIDE) is None:
        raise BadInput(f"no solver decides positions of {start.rules.slug}")
    reference = _ReferenceInTime(DecisionSearch(start.rules, budget), known)
    found = find_regret(start, moves, reference)
    while found.kind == RegretKind.UNDECIDED and reference.searches_longer():
        found = find_regret(start, moves, reference)
    ending = reference.ending if found.kind == RegretKind.UNDECIDED else None
    return GameRegret(found, ending, tuple(reference.decisions.items()))


class _ReferenceInTime:
    """Decides positions as long as there is time; then it gives up.

    Each position may take a number of nodes at first, and more when all are asked again, so that
    one that is hard does not use up the time of the others.
    """

    def __init__(self, search: DecisionSearch, known: Known) -> None:
        self.search = search
        self.known = known
        self.nodes = _REGRET_NODES
        self.decisions: dict[Position, Decision] = {}
        # What ended the last search without a verdict, and whether it was for any the nodes.
        self.ending: Ending | None = None
        self.lacked_nodes = False

    def searches_longer(self) -> bool:
        """Allow more nodes for each position, if they may tell more."""
        most = self.search.budget.nodes
        if not self.lacked_nodes or self.ending == Ending.TIME:
            return False
        if most is not None and self.nodes >= most:
            return False
        self.nodes, self.lacked_nodes = MORE * self.nodes, False
        return True

    def decide_position(self, position: Position) -> Result:
        found = self.decisions.get(position) or self.known(position)
        if found is None or (found.verdict == Verdict.UNDECIDED and found.ending not in SETTLED):
            found = self._search(position)
        self.ending = found.ending or self.ending
        results = {Verdict.WINNABLE: Result.WON, Verdict.UNWINNABLE: Result.UNWINNABLE}
        return results.get(found.verdict, Result.GAVE_UP)

    def _search(self, position: Position) -> Decision:
        if self.search.left <= 0:
            return Decision(Verdict.UNDECIDED, ending=Ending.TIME)
        found = self.search.decide(position, nodes=self.nodes)
        self.decisions[position] = found
        self.lacked_nodes |= found.ending == Ending.NODES
        return found


def can_be_taken_back(before: Position, move: Move, after: Position) -> bool:
    """Whether play can lead from the position after a legal move back to the one before it."""
    if game_of(before.rules).load_actions().is_reversible(before, move):
        return True
    return any(after.play(back) == before for back in after.legal_moves())


@dataclass(slots=True)
class _Candidate:
    """A legal move as far as it is known.

    Attributes:
        move: the move.
        after: the position after it.
        same: whether it can be taken back, so that its verdict is that of the position.
        verdict: the verdict on the position after it.
        length: moves of the shortest win found that begins with it.
    """

    move: Move
    after: Position
    same: bool
    verdict: Verdict = Verdict.UNDECIDED
    length: int | None = None


class _Inquiry:
    """The analysis of one position, within its budget."""

    def __init__(self, position: Position, budget: Budget, known: Known) -> None:
        self.position = position
        self.known = known
        self.search = DecisionSearch(position.rules, budget, is_shown=True)
        self.nodes = FIRST_NODES
        self.verdict = Verdict.WINNABLE if position.is_won else Verdict.UNDECIDED
        self.win: tuple[Move, ...] | None = () if position.is_won else None
        self.is_shown = False  # the win
        # Positions of which more nodes would tell nothing else.
        self.settled: set[Position] = set()
        self.ending = Ending.NO_SOLVER if self.search.solver is None else None
        first_alike = game_of(position.rules).load_actions().first_alike
        self.afters = {move: position.play(move) for move in position.legal_moves()}
        # Of each legal move that which is asked about.
        self.firsts = {move: first_alike(position, move) for move in self.afters}
        self.moves = [self._candidate(move) for move in dict.fromkeys(self.firsts.values())]

    def _candidate(self, move: Move) -> _Candidate:
        after = self.afters[move]
        # Without a solver there is nothing to conclude from.
        has_solver = self.search.solver is not None
        return _Candidate(move, after, has_solver and can_be_taken_back(self.position, move, after))

    def analysis(self) -> Analysis:
        """Ask until everything is decided or the time is over."""
        self._recall()
        while self._ask_all() and not self.settled.issuperset(self._open()):
            self.nodes *= MORE
        order = {Verdict.WINNABLE: 0, Verdict.UNDECIDED: 1, Verdict.UNWINNABLE: 2}
        candidates = {each.move: each for each in self.moves}
        marked = [
            MarkedMove(
                move,
                self.afters[move],
                candidates[first].verdict,
                candidates[first].length,
                None if move == first else first,
            )
            for move, first in self.firsts.items()
        ]
        marked.sort(key=lambda each: (order[each.verdict], each.length or 10**9))
        marked.sort(key=lambda each: each.same_as is not None)
        found = Analysis(self.verdict, tuple(marked), self.win, is_shown=self.is_shown)
        return found if found.complete else replace(found, ending=self.ending)

    def _open(self) -> Iterator[Position]:
        """The positions that are still to be asked about."""
        for each in self.moves:
            if each.verdict == Verdict.UNDECIDED and not each.same:
                yield each.after
        if self.verdict == Verdict.UNDECIDED:
            yield self.position

    def _ask_all(self) -> bool:
        """Ask about all that is not decided, with the nodes of this round; false out of time."""
        goes_on = self.verdict != Verdict.UNDECIDED or self.decide()
        self._follow()
        for each in self.moves:
            if each.verdict != Verdict.UNDECIDED or each.same or each.after in self.settled:
                continue
            if self.verdict == Verdict.UNWINNABLE or not goes_on:
                break
            outcome = self._ask(each.after)
            goes_on = outcome is not None
            if outcome is not None:
                each.verdict = Verdict.of(outcome.result)
                if outcome.moves is not None:
                    each.length = 1 + game_of(self.position.rules).length(outcome.moves)
        self._follow()
        return goes_on

    def _recall(self) -> None:
        """Take over what is known of the position and of those after its moves."""
        found = None if self.position.is_won else self.known(self.position)
        if found is not None:
            self.verdict = found.verdict
            self._settle(self.position, found.ending)
            self.win, self.is_shown = found.win or None, found.is_shown
        for each in self.moves:
            if self.verdict == Verdict.UNWINNABLE:
                break
            alike = (move for move, first in self.firsts.items() if first == each.move)
            all_known = (self.known(self.afters[move]) for move in alike)
            found = next((known for known in all_known if known is not None), None)
            if found is not None:
                each.verdict = found.verdict
                self._settle(each.after, found.ending)
                each.length = 1 + len(found.win) if found.win else None

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
        outcome = self._ask(self.position, is_shown=True)
        if outcome is None:
            return False
        self.is_shown = outcome.moves is not None
        self.verdict = Verdict.of(outcome.result)
        if outcome.moves is not None:
            self.win = tuple(game_of(self.position.rules).unpack(outcome.moves))
            *_, end = positions(self.position, self.win)
            assert end.is_won, "the decider gave a win that is none"
        return True

    def _follow(self) -> None:
        """Draw all conclusions; see the module docstring."""
        if self.win:
            made = self.firsts[self.win[0]]
            first = next(each for each in self.moves if each.move == made)
            first.verdict = Verdict.WINNABLE
            first.length = min(first.length or len(self.win), len(self.win))
        if self.verdict == Verdict.UNDECIDED:
            if any(each.verdict == Verdict.WINNABLE for each in self.moves):
                self.verdict = Verdict.WINNABLE
            elif all(each.verdict == Verdict.UNWINNABLE for each in self.moves) or any(
                each.verdict == Verdict.UNWINNABLE and each.same for each in self.moves
            ):
                self.verdict = Verdict.UNWINNABLE
        for each in self.moves:
            if self.verdict == Verdict.UNWINNABLE or each.same:
                each.verdict = self.verdict

    def _ask(self, position: Position, *, is_shown: bool = False) -> Outcome | None:
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
        outcome = search.ask(position, nodes, is_shown=is_shown)
        self._settle(position, ending_of(outcome, nodes))
        return outcome
