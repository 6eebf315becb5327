"""Plays of patience games of open cards for puzzles, and the themes of a play.

A move is *for good* if no move takes it back at once: the card below does not take it again, a
column becomes empty which it cannot go back to, or it goes to its foundation. A *play* is a card
moved for good, with the cards on it, after moves that can be taken back, such as one from a cell
to a column.

Positions that differ in the order of cells, or of columns, are one.
"""

from collections.abc import Hashable, Iterator, Sequence

from engine.cards import card_name
from engine.game import PuzzlePlays
from engine.patience.actions import first_alike, is_reversible
from engine.patience.layout import CELL, FOUNDATION, layout_of
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from engine.puzzle_search import plays_of
from engine.replay import replay

Moves = tuple[PatienceMove, ...]

DOING = {
    "to-cell": "Put a card in a cell",
    "fill-column": "Move cards to an empty column",
}
# Where cards lie on those of their own suit alone, all that could go up have gone before.
LEAVING = {
    "hold-back": "Leave a card off its foundation",
}


def fits(rules: PatienceRules) -> bool:
    """Whether puzzles can be made: one deck, all open, cards move one by one and to cells.

    Where groups move, too few plays are proved to lose within a second; without cells there are
    few moves that can be taken back. No card may come back from its foundation, since such moves
    are not looked for.
    """
    o = rules.options
    moves_alone = o.groups == "no" and o.cells > 0
    is_plain = o.foundations and not (o.two_decks or o.removable)
    return moves_alone and is_plain and not layout_of(o).hidden


def is_for_good(position: PatiencePosition, move: PatienceMove) -> bool:
    """Whether a legal move cannot be taken back at once."""
    return not is_reversible(position, move)


def plays(position: PatiencePosition) -> Iterator[tuple[str, Moves]]:
    """The plays of a position, none twice that lead to the same one, the simplest first.

    Yields:
        the card that is moved for good, and the moves of the play.

    Raises:
        TooManyPlays: the cards have too many arrangements.
    """
    for moves in plays_of(position, _moves, _key, lambda table, move, _: is_for_good(table, move)):
        yield card_of(position, moves), moves


def card_of(position: PatiencePosition, moves: Sequence[PatienceMove]) -> str:
    """The card that a play from a position moves for good, of a group the one under the others."""
    table, move = replay(position, moves[:-1]), moves[-1]
    return card_name(table.open_cards(move.source)[-move.cards])


def themes_of_doing(position: PatiencePosition, moves: Sequence[PatienceMove]) -> Iterator[str]:
    """Those of `DOING` that a play from a position has."""
    table, move = replay(position, moves[:-1]), moves[-1]
    if CELL <= move.target < FOUNDATION:
        yield "to-cell"
    if move.target < CELL and not table.columns[move.target]:
        yield "fill-column"


def themes_of_leaving(
    position: PatiencePosition,
    moves: Sequence[PatienceMove],
    others: Sequence[Sequence[PatienceMove]],
) -> Iterator[str]:
    """Those of `LEAVING` that a play from a position has, beside plays of other cards."""
    if moves[-1].target < FOUNDATION and any(each[-1].target >= FOUNDATION for each in others):
        yield "hold-back"


def _moves(position: PatiencePosition) -> Iterator[PatienceMove]:
    """The legal moves without those that are alike but for the order of cells and columns."""
    return (move for move in position.legal_moves() if move == first_alike(position, move))


def _key(position: PatiencePosition) -> Hashable:
    """A position but for the order of its columns and cells."""
    cells = frozenset(position.cells)
    return tuple(sorted(position.columns)), cells, position.reserve, position.foundations


def puzzles_of(options: Options) -> PuzzlePlays:
    """Plays and themes under the options of a game."""
    leaving = {} if options.building == "same-suit" else LEAVING
    return PuzzlePlays(
        DOING, leaving, is_for_good, plays, card_of, themes_of_doing, themes_of_leaving, fits
    )
