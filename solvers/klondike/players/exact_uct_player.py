"""Player of `exact-uct` and `policy-uct`: one game at a time, and the croupier who deals it.

`solvers.klondike.players.exact_uct` documents the method, `exact_uct_search` has its kernels.
"""

# mypy: allow-untyped-calls

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD
from engine.kernels.compiling import solving_time
from engine.kernels.rng import seed_rng
from engine.klondike.flat import flatten, new_position, set_up
from engine.klondike.moves import (
    KlondikeMove,
    pack_solution,
    unpack_solution,
)
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.seen import stand_in
from engine.klondike.stock_turns import every_table, index_stock
from solvers.klondike.exact.layout import new_layout
from solvers.klondike.exact.load import USUAL, load
from solvers.klondike.exact.position import DOWN
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
from solvers.klondike.players.step_policy import SCALE, new_policy
from solvers.method import Values
from solvers.outcome import Outcome
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
MEBIBYTES = 64
EXPLORATION = 0.5
# Budget of the exact search once nothing is hidden.
LAST_NODES = 10_000_000

# What `unfold` takes for usual rules, under which parts of runs move.
_PLAYED = *USUAL[:2], False

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
        outer, inner = new_workspaces(draw, MEBIBYTES)
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
        most tried step after it. With a policy, wins are the share with the policy counted in,
        times the trajectories.
        """
        best = self.choose()
        if best < 0:
            return []
        edges = self.edges_of(self.node)
        if len(edges) == 1:
            self._try(best)
        times = self.tree.edges[edges.start : edges.stop, TIMES].astype(np.int64)
        wins = self.tree.edges[edges.start : edges.stop, WINS] / PARTS
        if self.settings.prior > 0 and len(edges) > 1 and self.position.brought < 0:
            wins = self._with_policy(wins, times, best - edges[0])
        found = [
            (self._play(edge), round(won), int(tried))
            for edge, won, tried in zip(edges, wins, times, strict=True)
        ]
        chosen = found.pop(best - edges[0])
        return [chosen, *sorted(found, key=lambda each: (-each[2], -each[1]))]

    def _with_policy(
        self, wins: NDArray[np.float64], times: NDArray[np.int64], best: int
    ) -> NDArray[np.float64]:
        """The wins of the steps, the policy counted in, whose differences are those to the best."""
        draw, prior = self.settings.draw, self.settings.prior
        logits = np.array(
            [kernel.rate(self.position, step, draw, self.work) for step in self.steps()]
        )
        tried = np.maximum(times, 1)
        rated = np.clip(wins[best] / tried[best] + SCALE * (logits - logits[best]), 0, 1)
        found: NDArray[np.float64] = times * (wins + prior * rated) / (times + prior)
        return found

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

    def load_kernels(self) -> None:
        """Call every kernel that a game or advice may call."""
        cards = np.arange(52, dtype=np.uint8)
        play_deal(cards, self, 0)
        self.begin(seen_at_start(cards), 0)
        kernel.arrange(self.position, self.work)
        kernel.winnable(self.position, self.settings.draw, 1, self.work)
        self._try(self.edges_of(self.node)[0])
        kernel.rate(self.position, self.steps()[0], self.settings.draw, self.work)

    @property
    def sees_all(self) -> bool:
        """Whether the observation determines the hidden cards."""
        return int(kernel.unseen(self.position, self.work.known)).bit_count() <= 1

    def finish(self) -> list[int] | None:
        """The steps that win once all cards are known; None if the search finds none."""
        work = self.work
        kernel.arrange(self.position, work)
        won = kernel.winnable(self.position, self.settings.draw, LAST_NODES, work)
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
    return won, moves_of(line, position)


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


def player_with(settings: UctSettings) -> ExactUctPlayer:
    """The player of this thread, with these settings."""
    player = _kept.player
    if player is None or player.settings.draw != settings.draw:
        player = _kept.player = ExactUctPlayer(
            settings._replace(trajectories=1, nodes=1, prior=1, inner_prior=1)
        )
        player.load_kernels()
    player.settings = settings
    return player


def moves_of(steps: list[int], position: KlondikePosition) -> tuple[KlondikeMove, ...]:
    """The standard moves of some steps from a position."""
    piles = new_position()
    flatten(position, piles)
    line = np.array(steps, dtype=np.int64)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    count = unfold(piles, line, len(line), *_PLAYED, np.zeros(52, dtype=np.int64), moves)
    assert count >= 0, "a step that cannot be played"
    return unpack_solution(moves[:count].tobytes())


@dataclass(frozen=True)
class CroupierGames:
    """How a method plays games; see `solvers.method.Method`.

    player: makes its player for a ruleset and values of parameters.
    """

    player: Callable[[KlondikeRules, Values], ExactUctPlayer]

    def solve(
        self, deals: NDArray[np.uint8], rules: KlondikeRules, values: Values
    ) -> list[Outcome]:
        """Play deals uint8[n, 52]."""
        player = self.player(rules, values)
        outcomes = []
        for cards in np.ascontiguousarray(deals):
            start = solving_time()
            won, moves = play_deal(cards, player, values["random_seed"])
            seconds = solving_time() - start
            outcomes.append(Outcome.of_game(won, moves, player.nodes, seconds))
        return outcomes

    def solve_position(self, position: KlondikePosition, values: Values) -> Outcome:
        """Play on from a position in mid-game.

        Raises:
            BadInput: the position is none that a table could show.
        """
        position.checked()
        player = self.player(position.rules, values)
        start = solving_time()
        won, moves = play_position(position, player, values["random_seed"])
        return Outcome.of_game(won, pack_solution(moves), player.nodes, solving_time() - start)
