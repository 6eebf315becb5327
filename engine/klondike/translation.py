"""Translation of games of Klondike to a ruleset that theirs implies, move by move.

`engine.klondike.rules.implies` says why every move can be made under the laxer rules; here it is
done. First each turn becomes the turns that bring as many cards to the waste, which only takes
counting them. Then, where any card may go to an empty column, moves of kings to one are written
with a number of cards, for which the columns must be known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.cards import rank, suit
from engine.klondike.moves import MOST_IN_PART, REDEAL, TURN, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules

_ACE = 0
_FROM_WASTE = (KlondikeKind.WASTE_UP, KlondikeKind.WASTE_DOWN)


def translate(
    start: KlondikePosition, moves: Iterable[KlondikeMove], lax: KlondikeRules
) -> tuple[KlondikeMove, ...]:
    """The moves of a game as they are made under rules that its own imply.

    They end in the same position, but for the order of the columns and for aces that went to their
    foundations before; a win ends in a win.

    Args:
        start: where the game begins, under its own rules.
        moves: legal from there, one by one.
        lax: rules that those of `start` imply.
    """
    strict = start.rules
    if strict.draw != lax.draw:
        moves = _in_turns_of(lax.draw, start, moves)
    if strict.spaces != "any" and lax.spaces == "any":
        moves = _with_numbers(replace(start, rules=replace(strict, draw=lax.draw)), moves, lax)
    return tuple(moves)


def _in_turns_of(
    draw: int, start: KlondikePosition, moves: Iterable[KlondikeMove]
) -> Iterator[KlondikeMove]:
    """The game with each turn as turns of fewer cards; the last turn of a stock may be partial."""
    stock, waste = len(start.stock), len(start.waste)
    for move in moves:
        if move == TURN:
            turned = min(start.rules.draw, stock)
            stock, waste = stock - turned, waste + turned
            yield from [TURN] * -(-turned // draw)
            continue
        if move == REDEAL:
            stock, waste = waste, 0
        elif move.kind in _FROM_WASTE:
            waste -= 1
        yield move


def _with_numbers(
    before: KlondikePosition, moves: Iterable[KlondikeMove], lax: KlondikeRules
) -> Iterator[KlondikeMove]:
    """The game with runs to empty columns written as a number of cards to the first of these."""
    here = replace(before, rules=lax)
    where = list(range(len(here.up)))  # the column there of each column of the game
    for move in moves:
        after = before.play(move)
        for made in _there(move, before, after, here, where):
            here = here.play(made)
            yield made
        before = after


def _there(
    move: KlondikeMove,
    before: KlondikePosition,
    after: KlondikePosition,
    here: KlondikePosition,
    where: list[int],
) -> list[KlondikeMove]:
    """The moves that stand for a move; `where` is brought up to date."""
    match move.kind:
        case KlondikeKind.UP:
            gone = _went_before(before.up[move.source][-1:], here)
            return [] if gone else [move._replace(source=where[move.source])]
        case KlondikeKind.WASTE_DOWN | KlondikeKind.DOWN:
            return [move._replace(target=where[move.target])]
        case KlondikeKind.RUN:
            source, target = where[move.source], where[move.target]
            if before.up[move.target]:
                moved = after.up[move.target][len(before.up[move.target]) :]
                gone = _went_before(moved, here)
                return [] if gone else [KlondikeMove(KlondikeKind.RUN, source, target)]
            first = here.up.index(())
            other = where.index(first)
            where[move.target], where[other] = first, target
            cards = len(here.up[source])
            if cards <= MOST_IN_PART:
                return [KlondikeMove(KlondikeKind.PART, source, cards=cards)]
            ace = KlondikeMove(KlondikeKind.UP, source)
            return [ace, KlondikeMove(KlondikeKind.PART, source, cards=MOST_IN_PART)]
    return [move]


def _went_before(moved: tuple[int, ...], here: KlondikePosition) -> bool:
    """Whether what the game moves is an ace that is on its foundation already."""
    return len(moved) == 1 and rank(moved[0]) == _ACE and here.foundations[suit(moved[0])] > 0
