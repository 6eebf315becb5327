"""Exhaustive search over the referee's moves, and random late positions to test it on."""

import random
from collections.abc import Callable, Hashable, Sequence

from engine.cards import DECK, rank
from engine.klondike.deal import COLUMNS
from engine.klondike.moves import KlondikeKind
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules

_ORDER = {
    KlondikeKind.UP: 0,
    KlondikeKind.WASTE_UP: 0,
    KlondikeKind.RUN: 1,
    KlondikeKind.PART: 1,
    KlondikeKind.WASTE_DOWN: 1,
    KlondikeKind.TURN: 2,
    KlondikeKind.REDEAL: 2,
    KlondikeKind.DOWN: 3,
}


def naive_verdict(
    start: KlondikePosition,
    most: int,
    *,
    allows: Callable[[KlondikePosition, KlondikePosition], bool] | None = None,
) -> bool | None:
    """Whether `start` can be won, by entering every position that can be reached.

    None if there are more than `most` of them. Redeals are not counted where they are unlimited,
    or no two positions would ever be equal. Positions that differ in the order of columns alone
    count once: no rule asks for it.

    allows: of a position and the one after a move, whether the move may be made; then columns with
        face-down cards stay in their places.
    """
    unlimited = start.rules.redeals is None
    key_of = _in_any_order if allows is None else _in_place
    seen = {key_of(start)}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        if position.is_won:
            return True
        moves = sorted(position.legal_moves(), key=lambda move: -_ORDER[move.kind])
        for move in moves:
            after = position.play(move)
            if allows is not None and not allows(position, after):
                continue
            if unlimited and after.redeals_used:
                after = KlondikePosition(
                    after.rules, after.down, after.up, after.foundations, after.stock, after.waste
                )
            key = key_of(after)
            if key not in seen:
                if len(seen) == most:
                    return None
                seen.add(key)
                waiting.append(after)
    return False


def turns_in_order(
    order: Sequence[int], ordered: Sequence[int], waits: bool
) -> Callable[[KlondikePosition, KlondikePosition], bool]:
    """Whether a move turns up cards in an order, see `exact_plain.method.Turning`."""

    def allows(position: KlondikePosition, after: KlondikePosition) -> bool:
        left = [min(len(down), count) for down, count in zip(position.down, ordered, strict=True)]
        turned = sum(ordered) - sum(left)
        turns = [k for k in range(COLUMNS) if len(after.down[k]) < left[k]]
        others = sum(map(len, position.down)) - sum(left)
        if turns and turned == 0 and waits and others:
            return False
        return not turns or turned >= len(order) or turns == [order[turned]]

    return allows


def _in_place(position: KlondikePosition) -> Hashable:
    """The position; columns without face-down cards, which turn up none, in any order."""
    columns = list(zip(position.down, position.up, strict=True))
    others = tuple(sorted(up for down, up in columns if not down))
    placed = tuple(column if column[0] else () for column in columns)
    heights, stock, waste = position.foundations, position.stock, position.waste
    return placed, others, heights, stock, waste, position.redeals_used


def _in_any_order(position: KlondikePosition) -> Hashable:
    columns = tuple(sorted(zip(position.down, position.up, strict=True)))
    heights, stock, waste = position.foundations, position.stock, position.waste
    return columns, heights, stock, waste, position.redeals_used


def random_late_position(
    random_state: random.Random, rules: KlondikeRules, cards_left: int
) -> KlondikePosition:
    """A position with this many cards off the foundations, scattered at random.

    Every place a card can be in during play occurs: face down, face up in a run of any length,
    in the stock, in the waste. Not all such positions arise from a deal; the rules apply to all.
    In half of them low cards lie under high ones in every column, so that many are lost.
    """
    heights = [13, 13, 13, 13]
    for _ in range(cards_left):
        heights[random_state.choice([s for s in range(4) if heights[s] > 0])] -= 1
    left = [card for card in DECK if card >> 2 >= heights[card & 3]]
    random_state.shuffle(left)
    hard = random_state.random() < 0.5
    in_stock = random_state.randint(0, min(24, cards_left // 3 if hard else cards_left * 2 // 3))
    stock, left = left[:in_stock], left[in_stock:]
    if hard:
        left.sort(key=lambda card: rank(card) + 4 * random_state.random())
    waste_size = random_state.randint(0, in_stock)

    # As dealt: each card goes to some column face down, the last of each turned face up.
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    loose: list[int] = []
    for card in left:
        open_columns = [k for k in range(COLUMNS) if len(columns[k]) < k + 1]
        if not open_columns or random_state.random() < (0.05 if hard else 0.3):
            loose.append(card)
        elif hard:
            columns[min(open_columns, key=lambda k: len(columns[k]) - k / 8)].append(card)
        else:
            columns[random_state.choice(open_columns)].append(card)
    up = [column[-1:] for column in columns]
    # Then cards on one another, highest first, wherever they fit; what fits nowhere: the stock.
    for card in sorted(loose, reverse=True):
        fits = [
            k
            for k in range(COLUMNS)
            if (rules.builds(card, up[k][-1]) if up[k] else rules.fills(card))
        ]
        if fits:
            up[random_state.choice(fits)].append(card)
        else:
            stock.append(card)
    if len(stock) > 24:
        return random_late_position(random_state, rules, cards_left)
    return KlondikePosition(
        rules,
        down=tuple(tuple(column[:-1]) for column in columns),
        up=tuple(tuple(pile) for pile in up),
        foundations=(heights[0], heights[1], heights[2], heights[3]),
        stock=tuple(stock[waste_size:]),
        waste=tuple(stock[:waste_size]),
    ).checked()
