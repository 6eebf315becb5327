"""`exact-uct`: player of Klondike with hidden cards, by UCT over information sets.

A tree of information sets is grown from the current position, as in UCT (Kocsis and Szepesvári
2006): an edge is a step of the player, with one outcome for each card that may turn up. The player
adds these ideas:

- *Steps are those of the exact search* (`solvers.klondike.exact.position`): cards to the
  foundations, heads of columns that move away, cards of the stock that come down, and cards brought
  back where they are needed. The places of loose cards are not a choice, as they can be changed at
  any time; the stock is turned only for the card that is taken; safe cards go up at once. The
  proofs in `docs/search.md` that this loses nothing hold here, too: they exchange only steps whose
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

The player is given the observation of the start, and each card that turns up; see `ExactUctPlayer`.
"""

# mypy: allow-untyped-calls

import threading
import time

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD
from engine.klondike.flat import new_position, set_up
from engine.klondike.rules import KlondikeRules
from engine.klondike.stock_turns import every_table, index_stock
from engine.rng import seed_rng
from solvers.klondike.exact.method import RULESETS, new_layout, plays
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
from solvers.klondike.players.game import FACE_DOWN, seen_at_start
from solvers.outcome import Outcome
from solvers.pacing import chunk_for
from solvers.registry import Method, Parameter, Values
from solvers.search_tree import COUNT, new_tree, step_of, with_more_room

# Memory of the exact search of a leaf, in MiB, and the exploration constant.
_MEBIBYTES = 64
_EXPLORATION = 0.5
# Budget of the exact search once nothing is hidden.
_LAST_NODES = 10_000_000

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
        assert node >= 0, "a game cannot be in so many positions"
        self.position, self.node = ObservedPosition(*(int(part) for part in position)), int(node)

    def _make_room(self) -> None:
        if len(self.tree.nodes) >= _MANY:
            raise RuntimeError(f"a tree of more than {_MANY} nodes")
        self.tree = with_more_room(self.tree)


def _new_history() -> PositionHistory:
    return PositionHistory(np.zeros((4096, 3), dtype=np.int64), np.zeros(1, dtype=np.int64))


def play_deal(
    cards: NDArray[np.uint8], player: ExactUctPlayer, random_seed: int
) -> tuple[bool, bytes]:
    """Play a deal uint8[52]; returns whether it is won, and the packed standard moves.

    This function is the croupier: it alone knows the deal, and shows the player the cards that turn
    up.
    """
    hidden = [
        [int(BIT_OF_CARD[card]) for card in cards[FACE_DOWN[column == _COLUMN_OF_PLACE]]]
        for column in range(7)
    ]
    player.begin(seen_at_start(cards), random_seed)
    line: list[int] = []
    while player.position.up != ALL:
        if player.sees_all:
            rest = player.finish()
            won = rest is not None
            return won, _moves(cards, player.settings.draw, line + (rest or []))
        edge = player.choose()
        if edge < 0:
            return False, _moves(cards, player.settings.draw, line)
        step = player.step_of(edge)
        card = -1
        if player.digs(step):
            card = hidden[int(player.work.known.column_of[step & 63])].pop()
        player.go_on(edge, card)
        line.append(step)
    return True, _moves(cards, player.settings.draw, line)


# The column of each of the places FACE_DOWN.
_COLUMN_OF_PLACE = np.repeat(np.arange(7), np.arange(7))


def _moves(cards: NDArray[np.uint8], draw: int, line: list[int]) -> bytes:
    """Convert steps from the start of a deal into packed standard moves."""
    piles = new_position()
    set_up(cards, draw, piles)
    moves = np.zeros(LONGEST, dtype=np.uint8)
    steps = np.array(line, dtype=np.int64)
    count = unfold(piles, steps, len(line), np.zeros(52, dtype=np.int64), moves)
    assert count >= 0, "a step that cannot be played was taken"
    return moves[:count].tobytes()


class _ThreadPlayer(threading.local):
    """The player of each thread, kept because its workspace is large."""

    player: ExactUctPlayer | None = None


_kept = _ThreadPlayer()


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    settings = UctSettings(rules.draw, values["trajectories"], _EXPLORATION, values["nodes"])
    player = _kept.player
    if player is None or player.settings.draw != rules.draw:
        player = _kept.player = ExactUctPlayer(settings)
        play_deal(np.arange(52, dtype=np.uint8), player, 0)  # loads every kernel
    player.settings = settings
    outcomes = []
    for cards in np.ascontiguousarray(deals):
        start = time.thread_time()
        won, moves = play_deal(cards, player, values["random_seed"])
        seconds = time.thread_time() - start
        outcomes.append(Outcome.of_game(won, moves, player.nodes, seconds))
    return outcomes


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
    rulesets=RULESETS,
    plays=plays,
    chunk=chunk_for(lambda values: 0.5 * values["trajectories"]),
    solve=_solve,
)
