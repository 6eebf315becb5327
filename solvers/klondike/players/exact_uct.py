"""`exact-uct`: player of Klondike with hidden cards, by UCT over information sets.

A tree of information sets is grown from the current position, as in UCT (Kocsis and Szepesvári
2006): an edge is a step of the player, with one outcome for each card that may turn up. The player
adds these ideas:

- *Steps are those of the exact search* (`solvers.klondike.exact.position`): cards to the
  foundations, heads of columns that move away, cards of the stock that come down, and cards brought
  back where they are needed. The places of loose cards are not a choice, as they can be changed at
  any time; the stock is turned only for the card that is taken; safe cards go up at once. The
  proofs in `docs/search/` that this loses nothing hold here, too: they exchange only steps whose
  results are known.
- *Leaves are decided, not played out*: where a trajectory leaves the tree, a determinization is
  sampled uniformly, and the exact search decides within a small budget whether it can be won.
- *No clairvoyance inside the tree*: a card that turns up is sampled anew each time, so the value of
  a step averages over the cards that may turn up. Only leaves are evaluated with all cards known,
  which limits the trap of figure 2 of Bjarnason, Fern, Tadepalli 2009.
- *The tree is reused* from step to step: the subtree below the step taken and the card that turned
  up is the tree of the next decision.
- *Decisions by sequential halving* (Karnin, Koren, Somekh 2013): all remaining steps are tried in
  the same determinizations, and the worse half is dropped, until one is left. Common
  determinizations reduce the variance of the differences.
- *Once nothing is hidden*, the exact search plays.
- *A leaf left undecided* counts as lost.
The player is given the observation of the start, and each card that turns up; see `ExactUctPlayer`.
It also advises on any position (`Method.advise`), from what is seen of it: it then begins in the
middle, without what it would have learned by playing there.

Before the first redeal the stock may not be seen either. With unlimited redeals it costs nothing to
look: turning the stock to its end and the waste over leads back to a position from which the same
cards can be drawn, if nothing lies in the waste, or as many cards as whole turns bring; otherwise
the cards that lie under the waste's top in the turns to come are given up, and the chance of
turning is slightly too high. So the chance of a move for a player that does not know the stock is
the mean, over all orders of the unseen cards, of the best chance after it for one that does.
`_advise` takes that mean over some orders drawn at random.
"""

# mypy: allow-untyped-calls

import threading
from collections import deque
from collections.abc import Callable, Mapping
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN as UNSEEN
from engine.cardset import ALL, BIT_OF_CARD
from engine.kernels.compiling import solving_time
from engine.kernels.rng import seed_rng
from engine.klondike.flat import flatten, new_position, set_up
from engine.klondike.moves import (
    KlondikeKind,
    KlondikeMove,
    pack_solution,
    unpack_solution,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.seen import fill_in, stand_in
from engine.klondike.stock_turns import every_table, index_stock
from engine.replay import positions
from solvers.advice import Advice, Calibration
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import USUAL, load
from solvers.klondike.exact.position import DOWN
from solvers.klondike.exact.rules import USUAL_RULESETS, has_usual_rules
from solvers.klondike.exact.searching import BY_STOCKS
from solvers.klondike.exact.steps import MOVES_PER_FRAME
from solvers.klondike.exact.unfold import LONGEST, unfold
from solvers.klondike.exact.workspace import new_workspaces
from solvers.klondike.players import exact_uct_search as kernel
from solvers.klondike.players.exact_uct_search import (
    ObservedPosition,
    PositionHistory,
    UctSettings,
    UctWorkspace,
)
from solvers.klondike.players.game import FACE_DOWN, HIDDEN, seen_at_start
from solvers.klondike.players.step_policy import new_policy
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result
from solvers.pacing import chunk_for
from solvers.search_tree import (
    COUNT,
    FIRST,
    NODE,
    NONE,
    OUTCOME,
    PARTS,
    TIMES,
    WINS,
    new_tree,
    step_of,
    with_more_room,
)

# Memory of the exact search of a leaf, in MiB, and the exploration constant.
_MEBIBYTES = 64
EXPLORATION = 0.5
# Budget of the exact search once nothing is hidden.
_LAST_NODES = 10_000_000
_LAST = {"nodes": _LAST_NODES, "memory_mib": _MEBIBYTES}

# What `unfold` takes for usual rules, under which parts of runs move.
_PLAYED = *USUAL[:2], False

# Orders of the unseen cards where the stock is among them; the trajectories for each position are
# this share of the usual ones.
_ORDERS = 30
_SHARE = 10
_TURNING = (KlondikeKind.TURN, KlondikeKind.REDEAL)

# What the share of the trajectories that were won is worth as a chance to win; see `Calibration`.
# Leaves are decided with all cards known, so that shares are too high while many cards are hidden.
# Fitted by `benchmarks/hint_calibration.py --fit` to games of the default player at draws 3 and 1.
_OFFSET, _SLOPE, _EACH_FACE_DOWN = 1.372, 0.965, -0.1026

_KING = 12
_FEW = 1 << 15
_MANY = 1 << 26


class ExactUctPlayer:
    """Player of one game at a time.

    Args:
        settings: of `solvers.klondike.players.exact_uct_search`.
    """

    def __init__(self, settings: UctSettings) -> None:
        self.settings = settings
        draw = settings.draw
        known = new_layout()
        # The stock is known, so the exact search shares its tables.
        shown = new_layout()._replace(
            stock_sets=known.stock_sets, stock_index=known.stock_index, suit_of=known.suit_of
        )
        outer, inner = new_workspaces(draw, _MEBIBYTES)
        self.work = UctWorkspace(
            known,
            shown,
            np.zeros(6, dtype=np.int64),
            outer,
            inner,
            np.zeros(2, dtype=np.int64),
            every_table(draw),
            np.zeros(52, dtype=np.int64),
            np.zeros((7, 6), dtype=np.int64),
            np.zeros(MOVES_PER_FRAME, dtype=np.int64),
            np.zeros(MOVES_PER_FRAME, dtype=np.int64),
            np.zeros(3, dtype=np.int64),
            np.zeros(MOVES_PER_FRAME, dtype=np.int64),
            np.zeros((4096, 2), dtype=np.int64),
            _new_history(),
            _new_history(),
            np.zeros(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(MOVES_PER_FRAME, dtype=np.int64),
            new_policy(),
        )
        self.tree = new_tree(_FEW)
        self.position = ObservedPosition(0, 0, 0, 0, 0, -1)
        self.node = 0

    @property
    def nodes(self) -> int:
        """Positions entered since the game began, in trajectories and by the exact search."""
        return int(self.work.counts.sum())

    def begin(self, seen: NDArray[np.uint8], random_seed: int) -> None:
        """Begin a game.

        Args:
            seen: uint8[52], the deal in flat order, HIDDEN for a card that lies face down.
            random_seed: seeds the generator, together with the observation.
        """
        work = self.work
        known = work.known
        seed_rng(seen, random_seed, work.rng)
        work.counts[:] = 0
        work.history.used[0] = 0
        known.column_of[:] = -1
        index_stock(seen[28:], 24, known.stock_sets, known.stock_index)
        loose = heads = columns = 0
        top = -1
        for column in range(7):
            top += column + 1
            bit = int(BIT_OF_CARD[seen[top]])
            if column == 0 and seen[top] >> 2 == _KING:
                loose = 1 << bit  # nothing lies under it, so it may move to any empty column
                continue
            heads |= 1 << bit
            columns |= (column + 1) << (4 * column)
            known.column_of[bit] = column
        self.position = ObservedPosition(0, loose, heads, columns, (1 << 24) - 1, -1)
        self.tree.counts[:] = 0
        kernel.note(self.position, self.position, work.history)
        draw = self.settings.draw
        self.node = int(kernel.new_node(self.position, draw, work, work.history, self.tree))

    def begin_at(self, shown: KlondikePosition, random_seed: int) -> None:
        """Begin in the middle of a game.

        Args:
            shown: of `engine.klondike.seen.stand_in`: which cards are face down in which order is
                not looked at.
            random_seed: seeds the generator, together with what is seen.
        """
        work = self.work
        known = work.known
        flat = new_position()
        flatten(shown, flat)
        start = np.zeros(9, dtype=np.int64)
        tables = known.below, known.stock_sets, known.stock_index, known.column_of
        load(flat, start, *USUAL, *tables)
        up, loose, heads, columns, stock = (int(part) for part in start[:5])
        # Of the hidden cards nothing is known, not even their column.
        known.below[:] = 0
        for bit in range(52):
            if not (heads >> bit) & 1:
                known.column_of[bit] = -1
        seen = np.full(52, HIDDEN, dtype=np.uint8)
        for zone, piles in enumerate((shown.up, (shown.waste + shown.stock,))):
            for number, pile in enumerate(piles):
                for level, card in enumerate(pile):
                    seen[card] = 128 * zone + 16 * number + level
        seed_rng(seen, random_seed, work.rng)
        work.counts[:] = 0
        work.history.used[0] = 0
        self.position = ObservedPosition(up, loose, heads, columns, stock, -1)
        self.tree.counts[:] = 0
        kernel.note(self.position, self.position, work.history)
        self.node = int(
            kernel.new_node(self.position, self.settings.draw, work, work.history, self.tree)
        )

    def explore(self) -> list[tuple[list[int], int, int]]:
        """Think about the position; for each play its steps, wins and trajectories, the best first.

        The best is the one that `choose` chooses. A single step gets all trajectories. A card that
        is brought back from the foundations is of no use by itself, so that a play goes on with the
        most tried step after it.
        """
        best = self.choose()
        if best < 0:
            return []
        edges = self.edges_of(self.node)
        if len(edges) == 1:
            self._try(best)
        table = self.tree.edges
        found = [
            (self._play(edge), round(table[edge, WINS] / PARTS), int(table[edge, TIMES]))
            for edge in edges
        ]
        chosen = found.pop(best - edges[0])
        return [chosen, *sorted(found, key=lambda each: (-each[2], -each[1]))]

    def edges_of(self, node: int) -> range:
        """The edges of a node."""
        first = int(self.tree.nodes[node, FIRST])
        return range(first, first + int(self.tree.nodes[node, COUNT]))

    def _play(self, edge: int) -> list[int]:
        """The steps of an edge and, while a card has just been brought back, of what follows."""
        play = [self.step_of(edge)]
        while play[-1] >> 6 == DOWN:
            outcome = int(self.tree.edges[edge, OUTCOME])
            node = int(self.tree.outcomes[outcome, NODE]) if outcome >= 0 else NONE
            if node < 0 or not len(self.edges_of(node)):
                break
            edge = max(self.edges_of(node), key=lambda each: int(self.tree.edges[each, TIMES]))
            play.append(self.step_of(edge))
        return play

    def _try(self, edge: int) -> None:
        """Play trajectories through an edge, which is the only one."""
        done = 0
        while done < self.settings.trajectories:
            if not kernel.has_room(self.tree):
                self._make_room()
            kernel.arrange(self.position, self.work)
            won = kernel.grow(self.position, self.node, edge, self.settings, self.work, self.tree)
            if won < 0:
                self._make_room()
            else:
                done += 1

    def steps(self) -> list[int]:
        """The steps of the position."""
        return [self.step_of(edge) for edge in self.edges_of(self.node)]

    @property
    def sees_all(self) -> bool:
        """Whether the observation determines the hidden cards."""
        return int(kernel.unseen(self.position, self.work.known)).bit_count() <= 1

    def finish(self) -> list[int] | None:
        """The steps that win once all cards are known; None if the search finds none."""
        work = self.work
        kernel.arrange(self.position, work)
        won = kernel.winnable(self.position, self.settings.draw, _LAST_NODES, work)
        return work.outer.line[: work.report[1]].tolist() if won else None

    def choose(self) -> int:
        """Choose an edge; −1 if there is no step."""
        if self.tree.nodes[self.node, COUNT] == 0:
            return -1
        goes_on = False
        while True:
            edge = kernel.think(
                self.position, self.node, goes_on, self.settings, self.work, self.tree
            )
            if edge >= 0:
                return int(edge)
            self._make_room()
            goes_on = True

    def step_of(self, edge: int) -> int:
        """The step of an edge."""
        return int(step_of(edge, self.tree))

    def digs(self, step: int) -> bool:
        """Whether a step turns a card up."""
        return bool(kernel.digs(self.position, step, self.work.known))

    def go_on(self, edge: int, card: int) -> None:
        """Take the step of an edge; `card` is the bit of the card that turned up, or −1."""
        while not kernel.has_room(self.tree):
            self._make_room()
        position, node = kernel.go_down(
            self.position, edge, card, self.settings, self.work, self.tree
        )
        assert node >= 0, "a game cannot be in this many positions"
        self.position, self.node = ObservedPosition(*(int(part) for part in position)), int(node)

    def _make_room(self) -> None:
        if len(self.tree.nodes) >= _MANY:
            raise RuntimeError(f"a tree of more than {_MANY} nodes")
        self.tree = with_more_room(self.tree)


def _new_history() -> PositionHistory:
    return PositionHistory(np.zeros((4096, 3), dtype=np.int64), np.zeros(1, dtype=np.int64))


def play_deal(
    cards: NDArray[np.uint8],
    player: ExactUctPlayer,
    random_seed: int,
    choose: Callable[[], int] | None = None,
) -> tuple[bool, bytes]:
    """Play a deal uint8[52]; returns whether it is won, and the packed standard moves.

    This function is the croupier: it alone knows the deal, and shows the player the cards that turn
    up. choose: chooses in place of the player, see `ExactUctPlayer.choose`.
    """
    hidden = [
        [int(BIT_OF_CARD[card]) for card in cards[FACE_DOWN[column == _COLUMN_OF_PLACE]]]
        for column in range(7)
    ]
    player.begin(seen_at_start(cards), random_seed)
    won, line = _play_on(player, hidden, choose or player.choose)
    return won, _moves(cards, player.settings.draw, line)


def play_position(
    position: KlondikePosition, player: ExactUctPlayer, random_seed: int
) -> tuple[bool, tuple[KlondikeMove, ...]]:
    """Play on from a position; returns whether it is won, and the standard moves.

    As `play_deal`, it alone knows the face-down cards.
    """
    hidden = [[int(BIT_OF_CARD[card]) for card in column] for column in position.down]
    player.begin_at(stand_in(position.observation(), position.rules), random_seed)
    won, line = _play_on(player, hidden, player.choose)
    return won, _moves_of(line, position)


def _play_on(
    player: ExactUctPlayer, hidden: list[list[int]], choose: Callable[[], int]
) -> tuple[bool, list[int]]:
    """Play a game that has begun to its end, given the face-down cards of each column.

    Returns whether it is won, and the steps.
    """
    line: list[int] = []
    while player.position.up != ALL:
        if player.sees_all:
            rest = player.finish()
            return rest is not None, line + (rest or [])
        edge = choose()
        if edge < 0:
            return False, line
        step = player.step_of(edge)
        card = -1
        if player.digs(step):
            card = hidden[int(player.work.known.column_of[step & 63])].pop()
        player.go_on(edge, card)
        line.append(step)
    return True, line


# The column of each of the places FACE_DOWN.
_COLUMN_OF_PLACE = np.repeat(np.arange(7), np.arange(7))


def _moves(cards: NDArray[np.uint8], draw: int, line: list[int]) -> bytes:
    """Convert steps from the start of a deal into packed standard moves."""
    piles = new_position()
    set_up(cards, draw, piles)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    steps = np.array(line, dtype=np.int64)
    count = unfold(piles, steps, len(line), *_PLAYED, np.zeros(52, dtype=np.int64), moves)
    assert count >= 0, "a step that cannot be played was taken"
    return moves[:count].tobytes()


class _ThreadPlayer(threading.local):
    """The player of each thread, kept because its workspace is large."""

    player: ExactUctPlayer | None = None


_kept = _ThreadPlayer()


def _player(rules: KlondikeRules, values: Values) -> ExactUctPlayer:
    """The player of this thread, with these settings."""
    return player_with(
        UctSettings(rules.draw, values["trajectories"], EXPLORATION, values["nodes"])
    )


def player_with(settings: UctSettings) -> ExactUctPlayer:
    """The player of this thread, with these settings."""
    player = _kept.player
    if player is None or player.settings.draw != settings.draw:
        player = _kept.player = ExactUctPlayer(settings)
        play_deal(np.arange(52, dtype=np.uint8), player, 0)  # loads every kernel
    player.settings = settings
    return player


def _advise(observation: Mapping[str, Any], rules: KlondikeRules, values: Values) -> list[Advice]:
    """Advise on the plays from a position in mid-game; see `solvers.method.Method`."""
    shown = stand_in(observation, rules)
    if UNSEEN not in observation["stock"]:
        return _advise_on(shown, values)
    # With the same cards for all moves, their differences vary less than their chances.
    chances: dict[KlondikeMove, list[float]] = {}
    fewer = {**values, "trajectories": max(1, values["trajectories"] // _SHARE)}
    for number in range(_ORDERS):
        position = fill_in(observation, rules, Random(f"{values['random_seed']}:{number}"))
        for move in position.legal_moves():
            chance = _best_chance(position.play(move), fewer)
            chances.setdefault(move, []).append(chance)
    found = [_mean(move, each, fewer["trajectories"]) for move, each in chances.items()]
    # Of equal chances, in per cent, a move for which the stock need not be looked at.
    return sorted(
        found,
        key=lambda each: (-round(100 * (each.chance or 0.0)), each.moves[0].kind in _TURNING),
    )


def _best_chance(position: KlondikePosition, values: Values) -> float:
    """The chance of the best play for a player that has seen the stock, but no face-down card."""
    if position.is_won:
        return 1.0
    plays = _advise_on(stand_in(position.observation(), position.rules), values)
    return plays[0].chance or 0.0 if plays else 0.0


def _mean(move: KlondikeMove, chances: list[float], trajectories: int) -> Advice:
    """The advice on a move with the mean of chances, and its standard error."""
    spread = stdev(chances) / sqrt(len(chances))
    total = trajectories * len(chances)
    return Advice((move,), round(fmean(chances) * total), total, spread=spread)


def _advise_on(shown: KlondikePosition, values: Values) -> list[Advice]:
    """Advise on the plays from the stand-in of what is seen, for a player that knows the stock."""
    player = _player(shown.rules, values)
    player.begin_at(shown, values["random_seed"])
    if not player.sees_all:
        face_down = sum(map(len, shown.down))
        calibration = Calibration(_OFFSET + _EACH_FACE_DOWN * face_down, _SLOPE)
        return [
            Advice(_moves_of(play, shown), wins, trajectories, calibration=calibration)
            for play, wins, trajectories in player.explore()
        ]
    # At most one card is hidden, so that the stand-in is the position itself.
    found = []
    for step in player.steps():
        moves = _moves_of([step], shown)
        after = deque(positions(shown, moves), maxlen=1).pop()
        outcome = BY_STOCKS.solve_position(after, _LAST)
        decided = outcome.result in (Result.WON, Result.UNWINNABLE)
        rest = unpack_solution(outcome.moves) if outcome.moves is not None else ()
        found.append(Advice(moves + rest, int(outcome.result == Result.WON), 1, certain=decided))
    return sorted(found, key=lambda advice: (-advice.wins, len(advice.moves)))


def _moves_of(steps: list[int], position: KlondikePosition) -> tuple[KlondikeMove, ...]:
    """The standard moves of some steps from a position."""
    piles = new_position()
    flatten(position, piles)
    line = np.array(steps, dtype=np.int64)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    count = unfold(piles, line, len(line), *_PLAYED, np.zeros(52, dtype=np.int64), moves)
    assert count >= 0, "a step that cannot be played"
    return unpack_solution(moves[:count].tobytes())


def solve_by(player: ExactUctPlayer, deals: NDArray[np.uint8], random_seed: int) -> list[Outcome]:
    """Play deals uint8[n, 52]."""
    outcomes = []
    for cards in np.ascontiguousarray(deals):
        start = solving_time()
        won, moves = play_deal(cards, player, random_seed)
        seconds = solving_time() - start
        outcomes.append(Outcome.of_game(won, moves, player.nodes, seconds))
    return outcomes


def solve_position_by(
    player: ExactUctPlayer, position: KlondikePosition, random_seed: int
) -> Outcome:
    """Play on from a position in mid-game; see `solvers.method.Method`.

    Raises:
        BadInput: the position is none that a table could show.
    """
    position.checked()
    start = solving_time()
    won, moves = play_position(position, player, random_seed)
    return Outcome.of_game(won, pack_solution(moves), player.nodes, solving_time() - start)


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    return solve_by(_player(rules, values), deals, values["random_seed"])


def _solve_position(position: KlondikePosition, values: Values) -> Outcome:
    return solve_position_by(_player(position.rules, values), position, values["random_seed"])


METHOD = Method(
    slug="exact-uct",
    version=1,
    summary="UCT over observations, leaves decided by exact search; sees no face-down card",
    game="klondike",
    sees="observation",
    source=None,
    parameters=(
        Parameter("trajectories", 1000, 1, 10_000_000, "trajectories for a decision"),
        Parameter("nodes", 1000, 1, 10**9, "positions that exact search may enter for a leaf"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets=USUAL_RULESETS,
    plays=has_usual_rules,
    chunk=chunk_for(lambda values: 0.5 * values["trajectories"]),
    solve=_solve,
    solve_position=_solve_position,
    advise=_advise,
    # Four strengths; more games of those that are quick.
    ladder=tuple(
        {"trajectories": trajectories, "random_seed": number}
        for trajectories, games in ((15, 2), (30, 2), (60, 2), (250, 1))
        for number in range(games)
    ),
)
