"""Plays of Klondike for puzzles, and the themes of a play.

A move is *for good* if no move takes it back at once: a card leaves the stock, a face-down card
turns up, or a column becomes empty which only a king can take. A *play* is a card moved for good,
after turns of the stock and after moves that can be taken back, such as a card brought back from
its foundation.

Positions between which moves lead that can be taken back are won or lost together. Turns of the
stock may lose where more than one card is turned; they belong to the play that they prepare. A
card of a column that is moved for good after some turns can be so before them, which leaves more,
so that stock is turned here for cards of the stock alone.
"""

from collections.abc import Iterator, Sequence

from engine.cards import card_name
from engine.game import PuzzlePlays, TooManyPlays
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.replay import positions, replay

Moves = tuple[KlondikeMove, ...]

DOING = {
    "worrying-back": "Bring a card back from the foundations",
    "king": "Bring a king to an empty column",
    "empty-column": "Empty a column",
    "longest-column": "Dig in the longest column",
}
LEAVING = {
    "hold-back": "Leave a card off its foundation",
    "face-down": "Leave a face-down card for later",
    "pass-by": "Turn past a card that could be played",
}

# Arrangements of the open cards that are looked at.
_MOST = 64
_TURNS = (KlondikeKind.TURN, KlondikeKind.REDEAL)
_OF_WASTE = (KlondikeKind.WASTE_UP, KlondikeKind.WASTE_DOWN)
_UP = (KlondikeKind.WASTE_UP, KlondikeKind.UP)
_MOVES_OF_WASTE = (
    WASTE_UP,
    *(KlondikeMove(KlondikeKind.WASTE_DOWN, 0, column) for column in range(7)),
)


def is_for_good(position: KlondikePosition, move: KlondikeMove) -> bool:
    """Whether a legal move is more than a turn of the stock, and cannot be taken back at once."""
    if move.kind in _OF_WASTE:
        return True
    if move.kind in _TURNS or move.kind is KlondikeKind.DOWN:
        return False
    if move.kind is KlondikeKind.UP and not position.rules.worrying_back:
        return True
    cards = position.up[move.source]
    if _taken(position, move) < len(cards):
        return move.kind is not KlondikeKind.UP and not position.rules.partial_runs
    return bool(position.down[move.source]) or not position.rules.fills(cards[0])


def plays(position: KlondikePosition) -> Iterator[tuple[str, Moves]]:
    """The plays of a position, none twice that lead to the same one, the simplest first.

    Yields:
        the card that is moved for good, and the moves of the play.

    Raises:
        TooManyPlays: see `_arrangements`.
    """
    stocks = list(_turned(position))
    reached: set[KlondikePosition] = set()
    for arranged, before in _arrangements(position):
        for move in arranged.legal_moves():
            if move.kind not in _OF_WASTE and is_for_good(arranged, move):
                after = arranged.play(move)
                if after not in reached:
                    reached.add(after)
                    yield _card(arranged, move), (*before, move)
        for turns in stocks:
            table = arranged
            for turn in turns:
                table = table.play(turn)
            for move in _MOVES_OF_WASTE:
                if table.why_illegal(move) is None:
                    after = table.play(move)
                    if after not in reached:
                        reached.add(after)
                        yield _card(table, move), (*before, *turns, move)


def card_of(position: KlondikePosition, moves: Sequence[KlondikeMove]) -> str:
    """The card that a play from a position moves for good."""
    return _card(replay(position, moves[:-1]), moves[-1])


def themes_of_doing(position: KlondikePosition, moves: Sequence[KlondikeMove]) -> Iterator[str]:
    """Those of `DOING` that a play from a position has."""
    tables = list(positions(position, moves))
    table, move, after = tables[-2], moves[-1], tables[-1]
    if any(each.kind is KlondikeKind.DOWN for each in moves):
        yield "worrying-back"
    if move.kind not in _UP and not table.up[move.target]:
        yield "king"
    columns = range(len(after.up))
    if any(table.up[column] and not after.up[column] for column in columns):
        yield "empty-column"
    deepest = max(map(len, table.down))
    turned = [column for column in columns if len(after.down[column]) < len(table.down[column])]
    rivals = [column for column in columns if len(table.down[column]) == deepest]
    if deepest > 1 and turned == rivals:
        yield "longest-column"


def themes_of_leaving(
    position: KlondikePosition,
    moves: Sequence[KlondikeMove],
    others: Sequence[Sequence[KlondikeMove]],
) -> Iterator[str]:
    """Those of `LEAVING` that a play from a position has, beside plays of other cards."""
    last = moves[-1]
    if last.kind not in _UP and any(each[-1].kind in _UP for each in others):
        yield "hold-back"
    if not _turns_up(position, moves) and any(_turns_up(position, each) for each in others):
        yield "face-down"
    turns = _count_turns(moves)
    if last.kind in _OF_WASTE and any(
        each[-1].kind in _OF_WASTE and _count_turns(each) < turns for each in others
    ):
        yield "pass-by"


def _card(position: KlondikePosition, move: KlondikeMove) -> str:
    """The card that a move takes, of a run the one that the others lie on."""
    if move.kind in _OF_WASTE:
        return card_name(position.waste[-1])
    return card_name(position.up[move.source][-_taken(position, move)])


def _taken(position: KlondikePosition, move: KlondikeMove) -> int:
    """The number of cards that a move takes from its column."""
    if move.kind is KlondikeKind.UP:
        return 1
    if move.kind is KlondikeKind.PART:
        return move.cards
    return len(position.play(move).up[move.target]) - len(position.up[move.target])


def _turns_up(position: KlondikePosition, moves: Sequence[KlondikeMove]) -> bool:
    """Whether a play turns a face-down card up."""
    return sum(map(len, replay(position, moves).down)) < sum(map(len, position.down))


def _count_turns(moves: Sequence[KlondikeMove]) -> int:
    return sum(move.kind in _TURNS for move in moves)


def _turned(position: KlondikePosition) -> Iterator[Moves]:
    """Turns of the stock that bring different wastes about, none first."""
    seen: set[Sequence[int]] = set()
    turns: Moves = ()
    while position.waste not in seen:
        seen.add(position.waste)
        yield turns
        turn = TURN if position.stock else REDEAL
        if position.why_illegal(turn) is not None:
            return
        position, turns = position.play(turn), (*turns, turn)


def _arrangements(position: KlondikePosition) -> Iterator[tuple[KlondikePosition, Moves]]:
    """The positions that moves lead to which can be taken back, without turns of the stock.

    Raises:
        TooManyPlays: there are more than `_MOST`.
    """
    waiting: list[tuple[KlondikePosition, Moves]] = [(position, ())]
    reached = {position}
    for table, before in waiting:
        yield table, before
        for move in table.legal_moves():
            if move.kind not in _TURNS and not is_for_good(table, move):
                after = table.play(move)
                if after not in reached:
                    if len(reached) == _MOST:
                        raise TooManyPlays
                    reached.add(after)
                    waiting.append((after, (*before, move)))


PUZZLES = PuzzlePlays(
    DOING, LEAVING, is_for_good, plays, card_of, themes_of_doing, themes_of_leaving
)
