"""Moves of Klondike by the book: what each does to piles, tried one by one under any ruleset.

Written from the description of the options alone: it asks neither the referee nor `KlondikeRules`
what may be built on what.
"""

from engine.cards import RANKS, card_name
from engine.klondike.referee import KlondikePosition

Columns = list[list[int]]
_COLOUR = {"C": "black", "S": "black", "D": "red", "H": "red"}


def naive_moves(position: KlondikePosition) -> dict[str, KlondikePosition]:
    """The position after each legal move, by the text of the move."""
    rules = position.rules
    found: dict[str, KlondikePosition] = {}

    def add(text: str, up: Columns, heights: list[int], stock: list[int], waste: list[int],
            redeals: int) -> None:  # fmt: skip
        down = [list(column) for column in position.down]
        for number in range(7):
            if not up[number] and down[number]:
                up[number] = [down[number].pop()]
        found[text] = KlondikePosition(
            rules,
            tuple(map(tuple, down)),
            tuple(map(tuple, up)),
            (heights[0], heights[1], heights[2], heights[3]),
            tuple(stock),
            tuple(waste),
            redeals,
        )

    def fits(card: int, column: int) -> bool:
        rank, suit = card_name(card)
        if not position.up[column]:
            return {"any": True, "none": False, "kings": rank == "K"}[rules.spaces]
        top_rank, top_suit = card_name(position.up[column][-1])
        if RANKS.index(top_rank) - RANKS.index(rank) != 1:
            return False
        return {
            "any-suit": True,
            "same-suit": top_suit == suit,
            "alternating": _COLOUR[top_suit] != _COLOUR[suit],
        }[rules.building]

    used = position.redeals_used
    stock, waste = list(position.stock), list(position.waste)
    heights = list(position.foundations)

    def up() -> Columns:
        return [list(column) for column in position.up]

    def raised(suit: int, by: int) -> list[int]:
        return [height + by * (suit == each) for each, height in enumerate(heights)]

    if stock:
        add("T", up(), heights, stock[rules.draw :], waste + stock[: rules.draw], used)
    elif waste and (rules.redeals is None or used < rules.redeals):
        add("R", up(), heights, waste, [], used + 1)
    if waste:
        card = waste[-1]
        if heights[card % 4] == card // 4:
            add("WF", up(), raised(card % 4, 1), stock, waste[:-1], used)
        for column in range(7):
            if fits(card, column):
                columns = up()
                columns[column].append(card)
                add(f"W{column + 1}", columns, heights, stock, waste[:-1], used)
    for source, pile in enumerate(position.up):
        if pile and heights[pile[-1] % 4] == pile[-1] // 4:
            columns = up()
            card = columns[source].pop()
            add(f"{source + 1}F", columns, raised(card % 4, 1), stock, waste, used)
        sizes = range(1, len(pile) + 1) if rules.partial_runs else [len(pile)] if pile else []
        for size in sizes:
            for target in range(7):
                if target == source or not fits(pile[-size], target):
                    continue
                columns = up()
                columns[target] += columns[source][-size:]
                del columns[source][-size:]
                text = f"{source + 1}{target + 1}"
                if rules.spaces == "any" and not position.up[target]:
                    if () in position.up[:target] or size > 12:
                        continue
                    text = f"{source + 1}x{size}"
                assert text not in found
                add(text, columns, heights, stock, waste, used)
    if rules.worrying_back:
        for suit, letter in enumerate("CDSH"):
            for column in range(7):
                card = 4 * (heights[suit] - 1) + suit
                if heights[suit] and fits(card, column):
                    columns = up()
                    columns[column].append(card)
                    add(f"{letter}{column + 1}", columns, raised(suit, -1), stock, waste, used)
    return found
