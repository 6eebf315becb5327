"""Complete search of Gaps, in which cards go to the right of their next lower card.

A card lies where it was dealt, or to the right of a place where its next lower card can lie, so it
has few places; a position is the place of each card. `docs/search/unfounded.md` proves what is left
out:

- A card that can go to its last place, and whose leaving takes no place from the next card, goes
  there at once [home].
- A position is dead when a card cannot reach its last place though no place is ever taken
  [relaxed].
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.patience.layout import row_suit
from engine.patience.rules import Options
from solvers.patience.attempts import Attempts, Piles, packed
from solvers.patience.gaps_beam import new_beam, search_beam
from solvers.patience.gaps_relaxation import freedom
from solvers.patience.table import (
    DEAD,
    DEPTH,
    FULL,
    HELD,
    NODES,
    OWN,
    RESTART,
    SEED,
    WON,
    forget,
    probe_words,
    random_bits,
    save_words,
    sort_in,
)

# Scalars: the highest rank, whether each row has its suit.
HIGHEST, FIXED = range(OWN, OWN + 2)
_NONE = -1
_SUITS = 4
_KEY_BITS = 62
# Scores of moves: for each card that can leave its place, for a card that goes to its last one, for
# a gap at the start of a row, for one that nothing can fill, for a two that leaves the start of a
# row for another, and what random numbers add.
_OF_FREE, _HOME, _OPENS, _BLOCKS, _SHIFTS, _VARIES = 4, 100, 50, 30, 300, 60
_LONGEST = 1 << 18  # moves of a path; memory that is not written to costs nothing
_PERIOD = 2000  # nodes of the first attempt
_WIDTHS = (300, 3000, 30000)  # of the beams that follow where no row has its suit


class GapsWorkspace(NamedTuple):
    """A search of one deal; a place is ``row * highest rank + column``.

    Attributes:
        where: int64[4 · ranks], the place of each card.
        card_at: int64[4 · ranks], the card at each place, or -1.
        gaps: int64[4], the gaps.
        value: int64[4 · ranks, 4 · ranks], what a card at a place adds to the key.
        word: int64[4 · ranks], to which word of it.
        starts: int64[4], the first places of rows where a suit may begin, as a set.
        keys: int64[n, words], the key at each depth.
        moves_of, after, made, sources: of each depth: its moves' first place and end, the move
            made, and whence.
        moves, scores: the moves of all depths: ``card * 256 + gap's number``.
        state: int64[OWN + 2], the scalars.
    """

    where: NDArray[np.int64]
    card_at: NDArray[np.int64]
    gaps: NDArray[np.int64]
    value: NDArray[np.int64]
    word: NDArray[np.int64]
    starts: NDArray[np.int64]
    keys: NDArray[np.int64]
    moves_of: NDArray[np.int64]
    after: NDArray[np.int64]
    made: NDArray[np.int64]
    sources: NDArray[np.int64]
    moves: NDArray[np.int64]
    scores: NDArray[np.int64]
    state: NDArray[np.int64]


@inlined_kernel
def _make(depth, move, workspace):
    """Make a move at a depth and write the key after it."""
    card, number = move >> 8, move & 255
    source, target = workspace.where[card], workspace.gaps[number]
    workspace.made[depth] = move
    workspace.sources[depth] = source
    workspace.where[card] = target
    workspace.card_at[target] = card
    workspace.card_at[source] = _NONE
    workspace.gaps[number] = source
    keys = workspace.keys
    for word in range(keys.shape[1]):
        keys[depth + 1, word] = keys[depth, word]
    keys[depth + 1, workspace.word[card]] += (
        workspace.value[card, target] - workspace.value[card, source]
    )


@inlined_kernel
def _take_back(depth, workspace):
    """Take back the move made at a depth."""
    card, number = workspace.made[depth] >> 8, workspace.made[depth] & 255
    target, source = workspace.where[card], workspace.sources[depth]
    workspace.card_at[target] = _NONE
    workspace.card_at[source] = card
    workspace.where[card] = source
    workspace.gaps[number] = target


@inlined_kernel
def _home(card, gap, workspace):
    """Whether a gap is the last place of a card, all lower cards of its suit lying at theirs."""
    ranks = workspace.state[HIGHEST]
    start = gap - (card >> 2) + 1
    if gap % ranks != (card >> 2) - 1:
        return False
    for rank in range(1, card >> 2):
        if workspace.card_at[start + rank - 1] != 4 * rank + (card & 3):
            return False
    return workspace.starts[card & 3] >> start & 1 == 1


@search_kernel
def _add_moves(depth, table, workspace):
    """Write the moves of a position in the order in which they are tried, the last first."""
    where, card_at, gaps = workspace.where, workspace.card_at, workspace.gaps
    moves, scores, state = workspace.moves, workspace.scores, workspace.state
    ranks = state[HIGHEST]
    first = top = workspace.moves_of[depth]
    for number in range(4):
        gap = gaps[number]
        if gap % ranks > 0:
            left = card_at[gap - 1]
            low, high = left + 4, left + 5
            if left < 0 or high > 4 * ranks:
                continue
        else:
            low, high = 4, 8
        for card in range(low, high):
            source = where[card]
            if card < 8 and not workspace.starts[card & 3] >> gap & 1:
                continue
            is_home = _home(card, gap, workspace)
            is_safe = (
                state[FIXED]
                and is_home
                and (
                    card >= 4 * ranks - 4
                    or source % ranks == ranks - 1
                    or card_at[source + 1] == card + 4
                )
            )
            move = card << 8 | number
            state[NODES] += 1
            _make(depth, move, workspace)
            score = -1
            if not probe_words(table, workspace.keys[depth + 1]):
                score = freedom(workspace.where, workspace.gaps, workspace.starts, state[HIGHEST])
            _take_back(depth, workspace)
            if is_safe:
                workspace.after[depth] = first
                if score >= 0:
                    moves[first] = move
                    workspace.after[depth] = first + 1
                return
            if score < 0:
                continue
            score *= _OF_FREE
            if is_home:
                score += _HOME
            if source % ranks == 0:
                score += _OPENS if card >= 8 else -_SHIFTS
            elif card_at[source - 1] < 0 or card_at[source - 1] >= 4 * ranks - 4:
                score -= _BLOCKS
            if state[SEED] != 0:
                score += random_bits(state) % _VARIES
            sort_in(moves, scores, first, top, move, score)
            top += 1
    workspace.after[depth] = top


@inlined_kernel
def _is_won(workspace):
    """Whether each row is a suit from two to the highest rank."""
    where, ranks = workspace.where, workspace.state[HIGHEST]
    for suit in range(4):
        place = where[4 + suit]
        if place % ranks != 0:
            return False
        for rank in range(2, ranks):
            if where[4 * rank + suit] != place + rank - 1:
                return False
    return True


@search_kernel
def search(table, limit, workspace):
    """Attempts from the start.

    Returns:
        WON, with the moves in ``made[:DEPTH]`` and `sources`; DEAD; RESTART after `limit` nodes;
        FULL when the table has no room.
    """
    state, keys = workspace.state, workspace.keys
    words = keys.shape[1]
    room = table.shape[0] // words * 3 // 4
    depth = 0
    state[DEPTH] = 0
    if _is_won(workspace):
        return WON
    if freedom(workspace.where, workspace.gaps, workspace.starts, state[HIGHEST]) < 0:
        return DEAD
    status = DEAD
    entered = True
    while True:
        if entered:
            if state[HELD] >= room or state[NODES] >= limit or depth + 2 >= keys.shape[0]:
                status = FULL if state[HELD] >= room else RESTART
                break
            save_words(table, keys[depth])
            state[HELD] += 1
            workspace.moves_of[depth] = workspace.after[depth - 1] if depth > 0 else 0
            _add_moves(depth, table, workspace)
            entered = False
        if workspace.after[depth] == workspace.moves_of[depth]:
            if depth == 0:
                return DEAD
            depth -= 1
            _take_back(depth, workspace)
            continue
        workspace.after[depth] -= 1
        _make(depth, workspace.moves[workspace.after[depth]], workspace)
        if probe_words(table, keys[depth + 1]):
            _take_back(depth, workspace)
            continue
        depth += 1
        entered = True
        if _is_won(workspace):
            state[DEPTH] = depth
            break
    if state[DEPTH] > 0:
        status = WON
    while depth > 0:
        depth -= 1
        _take_back(depth, workspace)
        forget(table, keys[depth])
        state[HELD] -= 1
    return status


def plays(options: Options) -> bool:
    """Whether the search plays a ruleset: suits to the right of their next lower card."""
    return (
        options.sequences == _SUITS
        and options.sequence_direction == "L"
        and options.sequence_building == "same-suit"
        and not options.two_decks
        and options.max_rank > 2
    )


def begin(piles: Piles, options: Options) -> Attempts:
    """Prepare a search."""
    ranks = options.max_rank
    where = np.zeros(_SUITS * ranks, dtype=np.int64)
    card_at = np.full(_SUITS * ranks, _NONE, dtype=np.int64)
    gaps = []
    for place, card in enumerate(piles.places):
        if card is None or card < _SUITS:
            gaps.append(place)
        else:
            where[card], card_at[place] = place, card
    starts = [
        sum(
            1 << row * ranks
            for row in range(_SUITS)
            if not options.sequence_fixed_suit or row_suit(row) == suit
        )
        for suit in range(_SUITS)
    ]
    value, word = _values(where, starts, ranks)
    keys = np.zeros((_LONGEST, int(word.max()) + 1), dtype=np.int64)
    for card in range(_SUITS, _SUITS * ranks):
        keys[0, word[card]] += value[card, where[card]]
    keys[0, 0] += 1
    moves = _LONGEST * 16
    workspace = GapsWorkspace(
        where=where,
        card_at=card_at,
        gaps=np.array(gaps, dtype=np.int64),
        value=value,
        word=word,
        starts=np.array(starts, dtype=np.int64),
        keys=keys,
        moves_of=np.zeros(_LONGEST, dtype=np.int64),
        after=np.zeros(_LONGEST, dtype=np.int64),
        made=np.zeros(_LONGEST, dtype=np.int64),
        sources=np.zeros(_LONGEST, dtype=np.int64),
        moves=np.zeros(moves, dtype=np.int64),
        scores=np.zeros(moves, dtype=np.int64),
        state=np.zeros(OWN + 2, dtype=np.int64),
    )
    workspace.state[HIGHEST] = ranks
    workspace.state[FIXED] = options.sequence_fixed_suit

    beams = [] if options.sequence_fixed_suit else list(_WIDTHS)

    def attempt(table: NDArray[np.int64], limit: int, budget: int) -> int:
        status: int
        if beams and workspace.state[NODES] > 0:
            beam = new_beam(beams.pop(0), len(where))
            copies = where.copy(), workspace.gaps.copy(), card_at.copy()
            made, state = workspace.made, workspace.state
            status = search_beam(budget, ranks, workspace.starts, *copies, made, beam, state)
            return status
        status = search(table, limit, workspace)
        return status

    def moves_made() -> bytes:
        return packed(_moves(gaps, workspace))

    return Attempts(workspace.state, keys.shape[1], attempt, moves_made, _PERIOD)


def _values(
    where: NDArray[np.int64], starts: Sequence[int], ranks: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number that a card adds to the key at each of its places, and the word it adds to."""
    value = np.zeros((_SUITS * ranks, _SUITS * ranks), dtype=np.int64)
    word = np.zeros(_SUITS * ranks, dtype=np.int64)
    # One is added to the first word, which is never 0.
    words, unit = 0, 1
    for suit in range(_SUITS):
        places: set[int] = set()
        for rank in range(1, ranks):
            card = _SUITS * rank + suit
            if rank == 1:
                places = {row * ranks for row in range(_SUITS) if starts[suit] >> row * ranks & 1}
            else:
                places = {place + 1 for place in places if (place + 1) % ranks}
            places.add(int(where[card]))
            if unit * len(places) >= 1 << _KEY_BITS:
                words, unit = words + 1, 1
            word[card] = words
            for number, place in enumerate(sorted(places)):
                value[card, place] = number * unit
            unit *= len(places)
    return value, word


def _moves(first_gaps: Sequence[int], workspace: GapsWorkspace) -> Iterator[tuple[int, int]]:
    """The moves of the win, by places; the workspace is at the start again."""
    gaps, where = list(first_gaps), workspace.where.tolist()
    for move in workspace.made[: workspace.state[DEPTH]].tolist():
        card, number = move >> 8, move & 255
        yield where[card], gaps[number]
        where[card], gaps[number] = gaps[number], where[card]
