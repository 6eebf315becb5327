"""`yan-heuristic`: the heuristic by scores and priorities of Yan et al. (2004), section 4.1.

Yan, Diaconis, Rusmevichientong, Van Roy, *Solitaire: Man Versus Machine*. Of all legal moves, take
those of the highest score; of these, those of the highest priority; of these, one at random:

| move                                                   | score | priority |
|--------------------------------------------------------|-------|----------|
| tableau to foundation                                  |   5   |    0     |
| waste to tableau                                       |   5   |    1     |
| … a king while its matching queens lie face down       |   0   |   −1     |
| run that turns a card; k face-down cards in its column |   0   |  k + 1   |
| run that empties its column                            |   0   |    1     |
| foundation to tableau                                  |  −10  |    0     |
| all others: waste to foundation, turning the stock, redealing | 0 | 0     |

Choices where the paper leaves room, with reasons (`YanReading` has the options; `benchmarks/yan.py`
measures the alternatives):

- *Matching queen.* The paper's example puts a queen of diamonds on the king of spades, so a queen
  matches if it can be built on the king: every king has two. Priority 1 applies if the queen is in
  the pile, in the talon, on a foundation or face up; this test comes first, so a king is held back
  only while both of its queens lie face down.
- *Footnote 4, second kind of moves*: those that could juggle a block between two build stacks.
  All face-up cards move together, so a block that has been laid on another has become one with it
  and cannot be moved back. The only run that can go to and fro is one that begins with a king and
  has nothing under it, between empty columns: only that is disabled. (Every other run either turns
  a card or empties its column.)
- *Third kind*, foundation to tableau: the paper calls these moves practically disabled, because a
  move between pile and talon is almost always available and has the higher score. When stock and
  waste are both empty and no other move is left, they would go back and forth for ever; the game
  is lost instead.
- *First kind*: when the move chosen is a redeal and no card has moved since the last one (or since
  the start), the game is lost.

The score of a king whose queens lie face down is 0 for a move up, too, as section 4.1 states for
any card move.

**Results.** With this reading it wins about 4.5 % of deals, not the published 13.05 % ± 0.88. No
other reading tried comes near: `benchmarks/yan.py --readings` prints their shares, the highest
(Windows Klondike's 5 points for turning a card, and 5 for a move from the waste to a foundation)
being 10.6 %. The default is therefore the literal text, not the nearest result.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time
from engine.kernels.decorators import inlined_kernel, kernel, search_kernel
from engine.kernels.rng import mix_bits, random_below, seed_rng
from engine.klondike.flat import (
    COLUMN,
    DEPTH,
    DOWN,
    DOWN_FROM,
    HEIGHT,
    MOVES,
    PLAYED,
    POSITION,
    REDEAL,
    RUN,
    SIZE,
    STOCK,
    TURN,
    UNPLAYED,
    UP,
    WASTE,
    WASTE_DOWN,
    WASTE_UP,
    set_up,
)
from engine.klondike.rules import KlondikeRules
from engine.klondike.whole_runs import accepts, goes_up, is_won, play, run_card, top_card
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome, Result


class YanReading(NamedTuple):
    """Reading of the paper where it leaves room or may omit something; the default is literal.

    Attributes:
        waste_up: score of a move from the waste to a foundation.
        turning: score of a run that turns a card (5 in Windows Klondike).
        queens: number of a king's two queens that must lie face down to hold it back: 1, 2, or 3,
            which holds back none.
        tries_down: whether a rollout tries moves from a foundation to the tableau.
        fixed_ties: if above 0, ties are not broken at random each time: the move of a position is a
            function of the position and this number.
    """

    waste_up: int = 0
    turning: int = 0
    queens: int = 2
    tries_down: int = 1
    fixed_ties: int = 0


THE_PAPER = YanReading()

# Bound on the moves of a game. At most 24 cards leave the waste and 52 reach a foundation;
# a run turns one of 21 cards or empties a column, and each of the 7 columns must be refilled by
# a king before it is emptied again: at most 11 times. So fewer than 110 cards or runs move, each
# pass through the stock but the last has one of them, and a pass is at most 24 turns and a redeal.
LONGEST = 4096

# Rating of moves that are never made: worse than any score.
_NEVER = -1_000_000
_KING = 12
# Where the best moves from columns are kept apart: there are never more than 26 of one rating (two
# places for each of seven runs, or twelve for kings), and nine others.
_SECOND = 48


def wins(
    deals: NDArray[np.uint8],
    *,
    random_seed: int = 0,
    draw: int = 3,
    reading: YanReading = THE_PAPER,
) -> NDArray[np.bool_]:
    """Play deals uint8[n, 52]; returns which are won, bool[n]."""
    won = np.zeros(len(deals), dtype=np.bool_)
    _play_block(np.ascontiguousarray(deals), draw, random_seed, reading, won)
    return won


@cache
def _load_kernels() -> None:
    """Compile or load every kernel, so that no CPU time of a game includes it."""
    _play(np.arange(52, dtype=np.uint8)[None, :], 3, 0)


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    _load_kernels()
    return _play(np.ascontiguousarray(deals), rules.draw, values["random_seed"])


def _play(deals: NDArray[np.uint8], draw: int, random_seed: int) -> list[Outcome]:
    position = np.zeros(POSITION, dtype=np.int64)
    moves = np.zeros(MOVES, dtype=np.int64)
    rng = np.zeros(2, dtype=np.int64)
    record = np.zeros(LONGEST, dtype=np.uint8)
    outcomes = []
    for cards in deals:
        start = solving_time()
        set_up(cards, draw, position)
        seed_rng(cards, random_seed, rng)
        won, length = play_out(position, rng, THE_PAPER, moves, record)
        packed = record[:length].tobytes() if won else None
        cpu_ms = (solving_time() - start) * 1000
        result = Result.WON if won else Result.LOST
        outcomes.append(Outcome(result, nodes=length, cpu_ms=cpu_ms, moves=packed))
    return outcomes


def plays(rules: KlondikeRules) -> bool:
    """Whether the rules are those of the paper, with any number of cards drawn at once."""
    return (
        rules.has_usual_tableau
        and not rules.partial_runs
        and rules.redeals is None
        and rules.worrying_back
    )


METHOD = Method(
    slug="yan-heuristic",
    version=1,
    summary="Scored and prioritised moves, ties at random; nodes are the moves it makes",
    game="klondike",
    sees="deal",
    source="Yan, Diaconis, Rusmevichientong, Van Roy 2004, section 4.1",
    parameters=(
        Parameter("random_seed", 0, 0, 2**31 - 1, "which of the equally good moves are taken"),
    ),
    rulesets="klondike-yan, with any number of cards drawn at once",
    plays=plays,
    chunk=10_000,
    solve=_solve,
)


@kernel
def _play_block(cards, draw, random_seed, reading, won):
    """Play each deal of uint8[n, 52]; writes won bool[n]."""
    position = np.zeros(POSITION, dtype=np.int64)
    moves = np.zeros(MOVES, dtype=np.int64)
    rng = np.zeros(2, dtype=np.int64)
    record = np.zeros(LONGEST, dtype=np.uint8)
    for row in range(cards.shape[0]):
        set_up(cards[row], draw, position)
        seed_rng(cards[row], random_seed, rng)
        won[row], _ = play_out(position, rng, reading, moves, record)


@search_kernel
def play_out(position, rng, reading, moves, record):
    """Play by the heuristic from a position, in place, to a win or loss.

    Args:
        position: int64[POSITION], a position of `engine.klondike.flat`.
        rng: int64[2], state of the generator; advanced.
        reading: a `YanReading`.
        moves: int64[MOVES], scratch.
        record: uint8[LONGEST]; the moves played are written to its front.

    Returns:
        Whether the game is won, and the number of moves played.
    """
    length = 0
    moved = True
    fitting = best = ties = 0
    while not (moved and is_won(position)):
        if moved:
            fitting, best, ties = _favourites_of_columns(position, reading, moves)
        count = _favourites_of_all(position, reading, moves, fitting, best, ties)
        move = _pick_one(position, rng, reading, moves, count)
        if move < 0:
            return False, length
        play(position, move)
        moved = move > REDEAL
        record[length] = move
        length += 1
    return True, length


@search_kernel
def choose(position, rng, reading, moves):
    """The move of the heuristic, or −1 if it gives the game up; arguments as for `play_out`."""
    count = favourites(position, reading, moves)
    return _pick_one(position, rng, reading, moves, count)


@search_kernel
def favourites(position, reading, moves):
    """Write the legal moves of the best rating to moves, in byte order; returns their number.

    The other moves are not generated: most cards fit nowhere, which one bit of the set of those
    that fit somewhere shows.
    """
    fitting, best, ties = _favourites_of_columns(position, reading, moves)
    return _favourites_of_all(position, reading, moves, fitting, best, ties)


@inlined_kernel
def _pick_one(position, rng, reading, moves, count):
    """One of the best moves at random, or −1 if that loses."""
    if count == 0:
        return -1
    move = moves[0]
    if count > 1:
        if reading.fixed_ties > 0:
            move = moves[settled(position, reading.fixed_ties, count)]
        else:
            move = moves[random_below(rng, count)]
    if move == REDEAL and position[PLAYED] == 0:
        return -1
    return move


@search_kernel
def settled(position, number, bound):
    """An integer below a bound, as a function of a position and a number."""
    mixed = mix_bits(number)
    for at in range(PLAYED):
        mixed = mix_bits(mixed ^ int(position[at]))
    for at in range(HEIGHT, STOCK + position[UNPLAYED]):
        mixed = mix_bits(mixed ^ int(position[at]))
    for column in range(7):
        for at in range(position[SIZE + column]):
            mixed = mix_bits(mixed ^ int(position[COLUMN + DEPTH * column + at]))
    return mixed * bound >> 32


@inlined_kernel
def _favourites_of_columns(position, reading, moves):
    """Write the best of the moves from columns, which do not change while the stock is turned.

    Returns:
        The set of the `_class` of cards that fit somewhere, the best rating, and the number of
        moves that have it, which are in moves from `_SECOND` on.
    """
    fitting = 0
    rising = 0
    for column in range(7):
        size = position[SIZE + column]
        if size == 0:
            fitting |= 3 << 2 * _KING
        else:
            top = int(position[COLUMN + DEPTH * column + size - 1])
            if position[HEIGHT + (top & 3)] == top >> 2:
                rising |= 1 << column
            if top >= 4:  # no card goes onto an ace
                fitting |= 1 << (_class(top) - 2 ^ 1)
    best = _NEVER
    ties = 0
    if rising:
        for column in range(7):
            if rising >> column & 1:
                best, ties = _enter(position, UP + column, reading, moves, best, ties)
    if best > 16 * reading.turning + 7:  # no run is rated higher: six face-down cards and one
        return fitting, best, ties
    for source in range(7):
        if position[SIZE + source] > 0:
            card = run_card(position, source)
            if fitting >> _class(card) & 1:
                for target in range(7):
                    if target != source and accepts(position, target, card):
                        move = RUN + 7 * source + target
                        best, ties = _enter(position, move, reading, moves, best, ties)
    return fitting, best, ties


@inlined_kernel
def _enter(position, move, reading, moves, best, ties):
    """Add a move if its rating is the best so far; returns the best rating and its number."""
    rating = rate(position, move, reading)
    if rating == _NEVER or rating < best:
        return best, ties
    if rating > best:
        ties = 0
    moves[_SECOND + ties] = move
    return rating, ties + 1


@inlined_kernel
def _favourites_of_all(position, reading, moves, fitting, best, ties):
    """Write `favourites`, given those of the columns; returns their number."""
    unplayed = position[UNPLAYED]
    waste = position[WASTE]
    top = best
    if unplayed > 0 and top < 0:
        top = 0
    rises = fits = False
    up = down = _NEVER
    if waste > 0:
        card = position[STOCK + waste - 1]
        rises = goes_up(position, card)
        if rises:
            up = rate(position, WASTE_UP, reading)
        fits = fitting >> _class(card) & 1 == 1
        if fits:
            down = rate(position, WASTE_DOWN, reading)  # the same for each column
        top = max(top, up, down)
    if top == _NEVER:
        return 0
    count = 0
    if unplayed > 0 and top == 0:
        moves[0] = TURN if waste < unplayed else REDEAL
        count = 1
    if rises and up == top:
        moves[count] = WASTE_UP
        count += 1
    if fits and down == top:
        for column in range(7):
            if accepts(position, column, card):
                moves[count] = WASTE_DOWN + column
                count += 1
    if best == top:
        for at in range(ties):
            moves[count + at] = moves[_SECOND + at]
        count += ties
    return count


@inlined_kernel
def _class(card):
    """Number of the rank and colour of a card, below 26."""
    return int(card) >> 2 << 1 | int(card) & 1


@inlined_kernel
def rate(position, move, reading):
    """Score and priority of a legal move as one number: 16 times the score, plus the priority."""
    if move == WASTE_UP:
        card = position[STOCK + position[WASTE] - 1]
        return 0 if _waits(position, card, reading) else 16 * reading.waste_up
    if WASTE_DOWN <= move < UP:
        card = position[STOCK + position[WASTE] - 1]
        return -1 if _waits(position, card, reading) else 16 * 5 + 1
    if UP <= move < DOWN_FROM:
        return 0 if _waits(position, top_card(position, move - UP), reading) else 16 * 5
    if DOWN_FROM <= move < RUN:
        return _NEVER
    if move >= RUN:
        source = (move - RUN) // 7
        down = position[DOWN + source]
        card = run_card(position, source)
        if down > 0:
            score = 0 if _waits(position, card, reading) else reading.turning
            return 16 * score + down + 1
        return _NEVER if card >> 2 == _KING else 1
    return 0


@search_kernel
def _waits(position, card, reading):
    """Whether a card is a king that is held back until its queens are available."""
    if card >> 2 != _KING:
        return False
    hidden = 0
    for column in range(7):
        for at in range(position[DOWN + column]):
            other = position[COLUMN + DEPTH * column + at]
            if other >> 2 == _KING - 1 and (other ^ card) & 1 == 1:
                hidden += 1
    return hidden >= reading.queens
