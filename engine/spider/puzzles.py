"""Plays of Spider for puzzles, and the themes of a play.

A move is *for good* if no move takes it back: the card below the cards that leave does not take
them again, a face-down card turns up, a run is completed, or a row is dealt. A *play* is a card
moved for good, with the cards on it, after moves that can be taken back. Plays are told apart by
the place where the card lies in the puzzle, since each card is there up to eight times.

Puzzles begin once all rows are dealt: before that hardly any play can be proved to lose. From then
on columns are alike, so that positions that differ in their order are one.
"""

from collections.abc import Hashable, Iterator, Sequence

from engine.cards import card_name, rank
from engine.game import PuzzlePlays
from engine.puzzle_search import plays_of
from engine.replay import positions, replay
from engine.spider.moves import SpiderKind, SpiderMove, run
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules

Moves = tuple[SpiderMove, ...]

DOING = {
    "turn-up": "Turn a face-down card up",
    "fill-column": "Move cards to an empty column",
}
LEAVING = {
    "face-down": "Leave a face-down card for later",
}


def fits(rules: SpiderRules) -> bool:
    """Whether puzzles can be made: with more suits too many plays are not proved to lose."""
    return rules.suits == 1


def begins(position: SpiderPosition) -> bool:
    """Whether puzzles may be made of a position: once no row is left."""
    return not position.stock


def is_for_good(position: SpiderPosition, move: SpiderMove) -> bool:
    """Whether a legal move cannot be taken back."""
    return _is_for_good(position, move, position.play(move))


def _is_for_good(position: SpiderPosition, move: SpiderMove, after: SpiderPosition) -> bool:
    if move.kind is SpiderKind.DEAL:
        return True
    up = position.up[move.source]
    if len(up) > move.cards:
        if rank(up[-move.cards - 1]) != rank(up[-move.cards]) + 1:
            return True
    elif position.down[move.source]:
        return True
    return after.completed != position.completed


def plays(position: SpiderPosition) -> Iterator[tuple[str, Moves]]:
    """The plays of a position without rows to come, the simplest first.

    None is there twice that leads to the same position, but for the order of columns.

    Yields:
        the card that is moved for good, and the moves of the play.

    Raises:
        TooManyPlays: the open cards have too many arrangements.
    """
    for moves in plays_of(position, _moves, _key, _is_for_good):
        yield card_of(position, moves), moves


def card_of(position: SpiderPosition, moves: Sequence[SpiderMove]) -> str:
    """The card that a play from a position moves for good, and the column where it lay there."""
    places = [[(card, column) for card in up] for column, up in enumerate(position.up)]
    for move in moves[:-1]:
        places[move.target] += places[move.source][-move.cards :]
        del places[move.source][-move.cards :]
    card, column = places[moves[-1].source][-moves[-1].cards]
    return f"{card_name(card)} of column {column + 1}"


def themes_of_doing(position: SpiderPosition, moves: Sequence[SpiderMove]) -> Iterator[str]:
    """Those of `DOING` that a play from a position has."""
    tables = list(positions(position, moves))
    table, move, after = tables[-2], moves[-1], tables[-1]
    if _count_down(after) < _count_down(table):
        yield "turn-up"
    if not table.up[move.target]:
        yield "fill-column"


def themes_of_leaving(
    position: SpiderPosition,
    moves: Sequence[SpiderMove],
    others: Sequence[Sequence[SpiderMove]],
) -> Iterator[str]:
    """Those of `LEAVING` that a play from a position has, beside plays of other cards."""
    down = _count_down(position)
    if _count_down(replay(position, moves)) == down and any(
        _count_down(replay(position, each)) < down for each in others
    ):
        yield "face-down"


def _moves(position: SpiderPosition) -> Iterator[SpiderMove]:
    """The legal moves without those that are alike: to one of several empty columns, or a whole
    column to one.
    """
    empty = next((column for column, up in enumerate(position.up) if not up), None)
    for source, up in enumerate(position.up):
        for count in range(1, position.run_length(source) + 1):
            for target, onto in enumerate(position.up):
                if target == source:
                    continue
                if onto:
                    fits_on = rank(onto[-1]) == rank(up[-count]) + 1
                else:
                    fits_on = target == empty and (count < len(up) or bool(position.down[source]))
                if fits_on:
                    yield run(source, target, count)


def _key(position: SpiderPosition) -> Hashable:
    """A position without rows to come, but for the order of its columns."""
    return tuple(sorted(zip(position.down, position.up, strict=True)))


def _count_down(position: SpiderPosition) -> int:
    return sum(map(len, position.down))


PUZZLES = PuzzlePlays(
    DOING,
    LEAVING,
    is_for_good,
    plays,
    card_of,
    themes_of_doing,
    themes_of_leaving,
    fits,
    begins,
)
