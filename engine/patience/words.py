"""Rules of patience games in sentences, for people who do not know the game."""

from collections.abc import Iterator

from engine.patience.rules import RANDOM, UNLIMITED, Options

_BUILDING = {
    "any-suit": "whatever its suit",
    "red-black": "of the other colour",
    "same-suit": "of the same suit",
}
_SPACES = {
    "any": "An empty column takes any card.",
    "kings": "An empty column takes a king, or whatever rank is the highest.",
    "no-build": "An empty column stays empty.",
    "auto-reserve-then-any": "An empty column takes the last card of the reserve at once, and any "
    "card when the reserve is empty.",
    "auto-reserve-then-waste": "An empty column takes the last card of the reserve at once, and "
    "that of the waste when the reserve is empty.",
    "auto-waste-then-stock": "An empty column takes the last card of the waste at once, else the "
    "next one of the stock, and any card when both are empty.",
}
_ORDERS = {
    "any-suit": "in order of rank",
    "red-black": "in order, the colours alternating",
    "same-suit": "in order and are of one suit",
}
_GROUPS = {
    "no": "Cards move one at a time.",
    "yes": "Cards that lie {} move together.",
    "whole-pile": "A column moves as a whole, if it lies {}.",
    "maximal-group": "All cards at the end of a column that lie {} move together.",
    "any-order": "A card moves with all that lie on it, whatever their order.",
}
_MEETINGS = {
    "same-rank": "have the same rank",
    "same-suit": "have the same suit",
    "red-black": "are of different colours",
    "any-suit": "are any cards",
}


def sentences(o: Options) -> str:
    """The rules of options, in sentences."""
    return " ".join(part.strip() for part in _sentences(o))


def _sentences(o: Options) -> Iterator[str]:
    decks = "Two decks" if o.two_decks else "A deck"
    yield f"{decks}, {o.deck} cards."
    if o.accordion:
        common = " or ".join(_MEETINGS[each] for each in o.accordion_building)
        steps = " or ".join(
            f"{move[1:]} to the {'left' if move[0] == 'L' else 'right'}"
            for move in o.accordion_moves
        )
        yield f"{o.accordion} cards lie in a row, each a pile."
        yield f"A pile goes onto another that lies {steps} if their last cards {common}; "
        yield "the gap is closed. The game is won when one pile is left."
        return
    if o.sequences:
        yield from _of_rows(o)
        return
    if o.columns:
        yield from _of_columns(o)
    if o.cells:
        filled = f", {o.cells_filled} of which begin with a card" if o.cells_filled else ""
        yield f"{_many(o.cells, 'cell')}{filled}, for one card each."
    if o.reserve:
        how = (
            "in a pile, of which the last one"
            if o.reserve_stacked
            else "side by side, of which each"
        )
        yield f"{_many(o.reserve, 'card')} of a reserve lie {how} can be played."
    if o.stock:
        yield from _of_stock(o)
    if o.hole:
        first = "a card" if o.hole_base == RANDOM else o.hole_base
        loops = ", or from king to ace," if o.hole_loops else ""
        yield f"A card that is one rank higher or lower{loops} goes into the hole, which begins "
        yield f"with {first}; the game is won when all cards lie there."
    if o.foundations:
        yield from _of_foundations(o)


def _of_columns(o: Options) -> Iterator[str]:
    up = "all face up" if not any((o.face_up == "top", o.face_down)) else "some face down"
    yield f"{_many(o.columns, 'column')}, {up}."
    if o.building == "no-build":
        yield "Nothing is built on them."
        if o.spaces.startswith("auto"):
            yield _SPACES[o.spaces]
        return
    yield f"A card goes onto one that is one rank higher, {_BUILDING[o.building]}."
    order = _ORDERS[o.group_building] if o.group_building != o.building else "in such an order"
    yield _GROUPS[o.groups].format(order)
    yield _SPACES[o.spaces]


def _of_stock(o: Options) -> Iterator[str]:
    if o.stock_to == "hole":
        yield f"A stock of {o.stock} cards, of which the next one may always go into the hole."
        return
    if o.stock_to == "tableau piles":
        empty = "" if o.deal_onto_empty else ", while none is empty"
        yield f"A stock of {o.stock} cards, dealt a card to each column at a time{empty}."
        return
    again = {UNLIMITED: "any number of times", 0: "once only"}
    times = again.get(o.redeals, f"{o.redeals + 1} times")
    count = "one card" if o.deal_count == 1 else f"{o.deal_count} cards"
    yield f"A stock of {o.stock} cards, turned {count} at a time, {times}; the last one turned can "
    yield "be played."


def _of_foundations(o: Options) -> Iterator[str]:
    base = "a rank that the deal chooses" if o.base == RANDOM else f"rank {o.base}"
    if o.complete_runs:
        yield "A whole run of a suit, from the highest card to the lowest, leaves the table; the "
        yield "game is won when all have."
        return
    begun = {
        "none": "",
        "one": ", one of which begins with a card",
        "others": ", three of which begin, with the rank of the first column's first card",
        "all": ", which are begun",
    }
    yield f"Foundations are built up by suit, beginning with {base}{begun[o.founded]};"
    back = "may come back" if o.removable else "never come back"
    yield f"the game is won when all cards lie there, and cards {back} from them."


def _of_rows(o: Options) -> Iterator[str]:
    yield f"{_many(o.sequences, 'row')} of {o.max_rank} cards without their aces, which leave gaps."
    sides = {"L": "left", "R": "right", "LR": "left or right"}[o.sequence_direction]
    suits = _BUILDING[o.sequence_building]
    yield f"A gap takes the card that continues its {sides} neighbour, {suits};"
    own = "the two of its own suit" if o.sequence_fixed_suit else "any two"
    if "L" in o.sequence_direction:
        yield f"the first place of a row takes {own}."
    if "R" in o.sequence_direction:
        yield "The last place of a row takes any card of the highest rank."
    yield "The game is won when all rows are in order."


def _many(number: int, noun: str) -> str:
    return f"One {noun}" if number == 1 else f"{number} {noun}s"
