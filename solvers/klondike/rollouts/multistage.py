"""`multistage`: nested rollouts over K+ in stages, a heuristic and a nesting for each.

Bjarnason, Tadepalli, Fern 2007, *Searching Solitaire in Real Time*: the K+ state space of section
2.2 (`engine.klondike.kplus`), the heuristics H1 and H2 of Table 1
(`solvers.klondike.kplus.values`), the relaxed test for dead ends of section 4.1
(`solvers.klondike.kplus.relaxation`), the actions of section 4.4 (`solvers.klondike.kplus.actions`)
and the procedure of Figure 9. ``multistage(n0=1, n1=1)`` is the paper's n0=1;n1=1: H1 nested once,
then H2 nested once. `solvers.klondike.rollouts.nested_rollout` is H2 alone.

The procedure, for a state s, heuristics h0 … hz and nestings n0 … nz:

1. s won: WIN. s in a loop: LOSS. s a dead end, or n0 = −1, or time is up: h0(s).
2. s in the cache of h0 for n0 or more: h0(s) if h0 is the last, else go on with h1 … hz.
3. Give each action's result to the procedure with n0 − 1, and take the highest value, the first
   action of those that attain it. WIN ends it all.
4. LOSS, or, if h0 is not the last, no gain over h0(s): h0(s) if h0 is the last, else go on from s
   with h1 … hz.
5. Otherwise play that action and go back to 3.

Choices where the paper leaves room, with reasons (`RolloutReading` has the options;
`benchmarks/rollouts.py --readings` measures it):

- *Value of a dead end*: its h0, as in line 3 of Figure 9, so a greedy rollout may run into
  one, and ends there (Figure 4: "while s is not a dead-end"). Line 7's "while h0(s) is not LOSS"
  might mean that a dead end is worth LOSS; then n=0 wins 36 % of games (published: 16.17), with our
  reading 16.7 %. The two patterns that prove a starting deal dead, so that it is not searched, are
  those of `solvers.klondike.dead_ends.method`; in play only the relaxed test is made, since the
  other pattern is one of face-down cards and cannot appear later.
- *Local maximum*: Figure 9's line 11 asks for val < h0(s), so that a plateau would go on with h0;
  section 3.2 and Figure 7 speak of a local maximum, which a state on a plateau is. H1 counts many
  moves as nothing (a card from the stock to the tableau, a run onto another parent), so the two
  differ much: with ≤ n0=1;n1=1 wins about 75 % of games (published: 74.94) and takes 50 times as
  long at n0=2 (published: 58), with < it wins 61 % and takes 11 times as long. It is ≤ here.
- *Loops*: section 4.3 looks for s among the states on the path that the same heuristic explored at
  the same nesting. States further up the path are explored at a higher nesting, so one call of the
  procedure does not return to a state of its own: such a child is worth LOSS. (If loops were
  detected only after the choice, n=0 would win 14 %.)
- *Caches*: a state is kept while there is room, from when it is explored at nesting 1 or more, with
  the highest nesting it was explored at. Both caches are emptied for each game.
- *Pairs of actions*, the order among equals, and which moves count as reversible: see
  `solvers.klondike.kplus.actions`.
- *Time limit*: none unless `seconds` is given. Once they have passed in CPU time, every state is
  worth h0 at once, which plays the game to its end greedily; if that does not win, the outcome is
  ``gave_up``.

The nodes of a game are the states evaluated or explored.
"""

# mypy: allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time
from engine.klondike.flat import find_columns, new_position
from engine.klondike.flat import set_up as lay_out
from engine.klondike.kplus import MOST_MOVES, State, new_table, set_up
from engine.klondike.rules import KlondikeRules
from solvers.klondike.dead_ends.method import shows_pair
from solvers.klondike.kplus import actions as kplus_actions
from solvers.klondike.kplus.actions import FIRST_MOVE, MOST_ACTIONS, SECOND
from solvers.klondike.kplus.line import MOST_TURNS, write_standard
from solvers.klondike.kplus.relaxation import is_dead_end
from solvers.klondike.kplus.values import H1, value, weigh
from solvers.klondike.rollouts.search import (
    ENTRY,
    FRAME,
    KEPT,
    LEFT_OUT,
    LENGTH,
    LOST,
    META,
    NO_ROOM,
    NODES,
    PATH,
    PAUSED,
    PLAYS,
    ROLLOUT,
    SLOTS,
    VALUED,
    WON,
    RolloutWorkspace,
    Search,
    push,
    run,
)
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result
from solvers.pacing import chunk_for

MOST_NESTING = 6
# Nodes between two readings of the clock; about a millisecond.
_SLICE = 4_000
_UNLIMITED = 2**62


class RolloutReading(NamedTuple):
    """Reading of the paper where it leaves room; the module docstring explains the defaults.

    Attributes:
        pairs: NEEDED, ANY, NONE or SINGLE of `solvers.klondike.kplus.actions`.
        loops: LEFT_OUT or LOSE of `solvers.klondike.rollouts.search`.
        dead: VALUED, LOST_AT_ONCE or UNTESTED of the same.
        plateaus: 1 if a state with no better child is a local maximum, 0 if all must be worse.
        capacity: nodes in each cache.
    """

    pairs: int = kplus_actions.NEEDED
    loops: int = LEFT_OUT
    dead: int = VALUED
    plateaus: int = 1
    capacity: int = 5_000


THE_PAPER = RolloutReading()


class RolloutResult(NamedTuple):
    """Result of the search of one deal.

    Attributes:
        won: whether the search found a win.
        expired: whether the time limit was reached.
        nodes: states evaluated or explored.
        plays: actions played in rollouts.
        seconds: CPU time.
        moves: packed standard moves if won.
    """

    won: bool
    expired: bool
    nodes: int
    plays: int
    seconds: float
    moves: bytes | None


class Rollouts:
    """Multistage nested rollouts under given rules, deal after deal.

    Args:
        rules: with unlimited redeals and worrying back.
        levels: the nesting of each stage.
        first: H1 or H2, the heuristic of the first stage; the others follow it.
        seconds: CPU time for a game, 0 for no limit.
        reading: reading of the paper.
    """

    def __init__(
        self,
        rules: KlondikeRules,
        levels: tuple[int, ...],
        first: int,
        seconds: int = 0,
        reading: RolloutReading = THE_PAPER,
    ) -> None:
        self.rules = rules
        self.seconds = seconds
        nesting = np.zeros(2, dtype=np.int64)
        nesting[: len(levels)] = levels
        self.search = Search(len(levels), first, nesting, *reading)
        self.table = new_table(rules.draw, rules.partial_runs)
        self.work = new_rollout_workspace()
        self.games = 1  # 0 marks a free entry of the caches
        self._load_kernels()

    def _load_kernels(self) -> None:
        """Compile or load every kernel, so that no CPU time of a game includes it."""
        cards = np.arange(52, dtype=np.uint8)
        self._begin(cards)
        run(self.search, self.table, self.work, self.games, 0, False, MOST_ACTIONS)
        self.work.meta[:] = 0
        self._moves(cards)

    def _begin(self, cards: NDArray[np.uint8]) -> bool:
        """Push the first frame of a deal; False if the deal is a dead end."""
        work, table, search = self.work, self.table, self.search
        state = State(*(int(part) for part in set_up(cards, table)))
        weigh(cards, work.turning)
        work.meta[:] = 0
        worth = int(value(state, table, work.turning, search.first))
        push(state, 0, int(search.levels[0]), worth, search, table, work, self.games)
        return not (is_dead_end(state, table) or shows_pair(cards))

    def play(self, cards: NDArray[np.uint8]) -> RolloutResult:
        """Search the deal, uint8[52] in flat order."""
        start = solving_time()
        self.games += 1  # marks the entries of the caches that belong to this game
        won = expired = False
        if self._begin(cards):
            while True:
                limit = _UNLIMITED
                if self.seconds and not expired:
                    limit = int(self.work.meta[NODES]) + _SLICE
                ended = run(
                    self.search, self.table, self.work, self.games, limit, expired, MOST_ACTIONS
                )
                if ended == NO_ROOM:
                    self.work = with_more_room(self.work)
                elif ended == PAUSED:
                    expired = solving_time() - start >= self.seconds
                else:
                    won = ended == WON
                    assert won or ended == LOST
                    break
        moves = self._moves(cards) if won else None
        meta = self.work.meta
        return RolloutResult(
            won, expired, int(meta[NODES]), int(meta[PLAYS]), solving_time() - start, moves
        )

    def _moves(self, cards: NDArray[np.uint8]) -> bytes:
        """Convert the actions along the path into packed standard moves."""
        line: list[int] = []
        for action in self.work.path[: self.work.meta[LENGTH], PATH - 1]:
            if action >= 0:
                line.append(int(action) & FIRST_MOVE)
                if action >> SECOND:
                    line.append((int(action) >> SECOND) - 1)
        piles = new_position()
        lay_out(cards, self.rules.draw, piles)
        column_of = np.zeros(52, dtype=np.int64)
        find_columns(piles, column_of)
        moves = np.zeros(len(line) + MOST_TURNS, dtype=np.uint8)
        count = write_standard(piles, np.array(line, dtype=np.int64), len(line), column_of, moves)
        assert count >= 0
        return moves[:count].tobytes()


def with_more_room(work: RolloutWorkspace) -> RolloutWorkspace:
    """Double the capacity of the path."""
    return work._replace(
        path=np.concatenate([work.path, np.zeros_like(work.path)]),
        actions=np.concatenate([work.actions, np.zeros_like(work.actions)]),
        scores=np.concatenate([work.scores, np.zeros_like(work.scores)]),
    )


def new_rollout_workspace() -> RolloutWorkspace:
    """Allocate the workspace of a search."""
    return RolloutWorkspace(
        meta=np.zeros(META, dtype=np.int64),
        # A frame for each nesting of both stages.
        frames=np.zeros((2 * (MOST_NESTING + 2), FRAME), dtype=np.int64),
        path=np.zeros((4096, PATH), dtype=np.int64),
        actions=np.zeros(8 * MOST_ACTIONS, dtype=np.int64),
        scores=np.zeros(8 * MOST_ACTIONS, dtype=np.int64),
        moves=np.zeros(MOST_MOVES + 1, dtype=np.int64),
        cache=np.zeros((2, SLOTS, ENTRY), dtype=np.int64),
        rollouts=np.zeros((KEPT, ROLLOUT), dtype=np.int64),
        turning=np.zeros((2, 52), dtype=np.int64),
    )


def solve_with(
    levels: tuple[int, ...],
    first: int,
    deals: NDArray[np.uint8],
    rules: KlondikeRules,
    seconds: int,
) -> list[Outcome]:
    """Solve deals for the registry; one outcome for each."""
    rollouts = Rollouts(rules, levels, first, seconds)
    outcomes = []
    for cards in np.ascontiguousarray(deals):
        game = rollouts.play(cards)
        result = Result.GAVE_UP if game.expired else Result.LOST
        outcomes.append(
            Outcome(
                Result.WON if game.won else result,
                nodes=game.nodes,
                cpu_ms=1000 * game.seconds,
                moves=game.moves,
            )
        )
    return outcomes


def plays(rules: KlondikeRules) -> bool:
    """Whether the rules are those of K+."""
    return rules.has_usual_tableau and rules.redeals is None and rules.worrying_back


RULESETS = (
    "every Klondike ruleset with unlimited redeals, worrying back, alternating colours "
    "and kings alone in empty columns"
)
SOURCE = "Bjarnason, Tadepalli, Fern 2007, sections 3 and 4"
SECONDS = Parameter("seconds", 0, 0, 86_400, "CPU time for a game; 0 is no limit")


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    return solve_with((values["n0"], values["n1"]), H1, deals, rules, values["seconds"])


METHOD = Method(
    slug="multistage",
    version=1,
    summary="Multistage nested rollouts over K+: H1 nested n0 times, then H2 nested n1 times",
    game="klondike",
    sees="deal",
    source=SOURCE,
    parameters=(
        Parameter("n0", 1, 0, MOST_NESTING, "nesting of rollouts with H1"),
        Parameter("n1", 1, 0, MOST_NESTING, "nesting of rollouts with H2"),
        SECONDS,
    ),
    rulesets=RULESETS,
    plays=plays,
    chunk=chunk_for(lambda values: 0.1 * 8.0 ** (1.5 * values["n0"] + values["n1"] / 2)),
    solve=_solve,
)
