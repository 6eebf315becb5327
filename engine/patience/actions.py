"""Kinds of moves of patience games for people, and the moves that are safe."""

from engine.cards import is_red, suit
from engine.game import Actions
from engine.patience.groups import group_moves
from engine.patience.layout import CELL, FOUNDATION, HOLE, RESERVE, STOCK, WASTE
from engine.patience.moves import TURN, PatienceMove
from engine.patience.referee import PatiencePosition

WORDS = {
    "turn": "stock turned or dealt",
    "up": "card to its foundation",
    "run-up": "run to its foundation",
    "back": "foundation card back",
    "hole": "card into the hole",
    "cell": "card to a cell",
    "column": "cards to another column",
    "empty": "cards to an empty column",
    "from-cell": "cell card to a column",
    "from-reserve": "reserve card to a column",
    "from-waste": "waste card to a column",
    "pile": "pile onto a pile",
    "gap": "card into a gap",
}


def action_of(before: PatiencePosition, move: PatienceMove) -> str:
    """Key of `WORDS` for a legal move from a position."""
    source, target, count = move
    if move == TURN:
        return "turn"
    if before.rules.options.accordion:
        return "pile"
    if before.rules.options.sequences:
        return "gap"
    if target >= FOUNDATION:
        return "run-up" if count > 1 else "up"
    if target == HOLE:
        return "hole"
    if source >= FOUNDATION:
        return "back"
    if target >= CELL:
        return "cell"
    if source < CELL:
        return "column" if before.columns[target] else "empty"
    if source < RESERVE:
        return "from-cell"
    return "from-reserve" if source < STOCK else "from-waste" if source == WASTE else "turn"


def is_reversible(before: PatiencePosition, move: PatienceMove) -> bool:
    """Whether a move can be taken back at once; False is always safe.

    Only moves between columns and cells are looked at.
    """
    o = before.rules.options
    source, target, count = move
    if move == TURN or o.accordion or o.sequences or source >= RESERVE or target >= RESERVE:
        return False
    after = before.play(move)
    back = PatienceMove(target, source, count)
    return after.why_illegal(back) is None and after.play(back) == before


def is_safe(before: PatiencePosition, move: PatienceMove) -> bool:
    """Whether a legal move sends a card up that is never needed again.

    Safe is a card of which all that could be built on it have gone up: the cards one rank lower of
    the suits that `Options.building` lets lie on it. Where a win is known, leave out the moves that
    move the card, and take it out of the groups that it ends. What is left can be played after the
    card has gone up: no card is ever built on it, since none that fits comes back; where it lay, a
    cell or a column is free instead, or the card below it is; and a group without its last card
    moves as the group does. That holds where cards move one by one or as parts of groups, go onto
    what their first card fits, and no card comes back from a foundation; where nothing is turned or
    dealt from a stock, no empty column forces a move, and there is one deck.
    """
    o = before.rules.options
    source, target, count = move
    if (
        target < FOUNDATION
        or source >= STOCK
        or count > 1
        or o.two_decks
        or o.complete_runs
        or o.spaces.startswith("auto")
        or o.groups in ("whole-pile", "maximal-group", "any-order")
        or o.groups_onto != "building"
        or o.stock
        or o.removable
    ):
        return False
    if o.building in ("same-suit", "no-build"):
        return True
    card = before.open_cards(source)[-1]
    height = before.foundations[suit(card)]
    others = [
        before.foundations[other]
        for other in range(4)
        if other != suit(card) and (o.building == "any-suit" or is_red(other) != is_red(card))
    ]
    return min(others) >= height


def preference(before: PatiencePosition, move: PatienceMove) -> int:
    """Place of a legal move among those of a card: the foundations, a card, a space, a cell."""
    source, target, _ = move
    if source >= FOUNDATION:
        return 4
    if target >= HOLE:
        return 0
    if target >= CELL:
        return 3
    return 1 if target < len(before.columns) and before.columns[target] else 2


def first_alike(before: PatiencePosition, move: PatienceMove) -> PatienceMove:
    """The same move to the first free cell, or to the first empty column.

    Rows of the stock are dealt from the left: where they are, columns have an order.
    """
    o = before.rules.options
    if o.accordion or o.sequences:
        return move
    if CELL <= move.target < RESERVE:
        return move._replace(target=CELL + before.cells.index(None))
    has_order = bool(o.stock) and o.stock_to == "tableau piles"
    if move.target < CELL and not before.columns[move.target] and not has_order:
        return move._replace(target=before.columns.index(()))
    return move


ACTIONS = Actions(
    WORDS,
    action_of,
    is_reversible,
    is_safe=is_safe,
    group_moves=group_moves,
    preference=preference,
    first_alike=first_alike,
    ups=frozenset({"up", "run-up"}),
)
