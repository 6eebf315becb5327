"""FreeCell's standard notation played card by card, without the referee."""

import re

RANKS = "A23456789TJQK"
CELLS = "abcdefgklmnop"
RED = "DH"


def cards_home(board: str, text: str, cells: int, building: str, spaces: str) -> int:
    """Play signs on a board and count the cards on the foundations then.

    A sign without a v moves one card to an empty column.

    Args:
        board: the board text of a starting deal.
        text: the signs.
        cells: the number of cells.
        building: ``red-black``, ``same-suit`` or ``any-suit``.
        spaces: ``any`` or ``kings``, for empty columns.

    Raises:
        AssertionError: a sign is illegal.
    """
    lines = [line for line in board.splitlines() if ":" not in line]
    columns = [[] if line == "-" else line.split() for line in lines]
    given = re.search(r"Freecells:(.*)", board)
    free = dict(zip(CELLS, given[1].split() if given else ["-"] * cells, strict=False))
    home = dict.fromkeys("CDSH", 0)
    founded = re.search(r"Foundations:(.*)", board)
    for word in founded[1].split() if founded else ():
        home[word[0]] = "0A23456789TJQK".index(word[2])

    def fits(card: str, onto: str) -> bool:
        suits = {
            "red-black": (card[1] in RED) != (onto[1] in RED),
            "same-suit": card[1] == onto[1],
            "any-suit": True,
        }
        return suits[building] and RANKS.index(card[0]) + 1 == RANKS.index(onto[0])

    for word in text.split():
        found = re.fullmatch(r"(10|\d|[a-gk-p])(10|\d|[a-hk-p])(?:v(\w))?", word)
        assert found, word
        source, target, v = found.groups()
        if source.isdigit() and target.isdigit():
            pile, onto = columns[int(source) - 1], columns[int(target) - 1]
            count = int(v or "1", 16)
            if onto:
                count = RANKS.index(onto[-1][0]) - RANKS.index(pile[-1][0])
            empty = sum(not column for column in columns) - (not onto)
            room = list(free.values()).count("-") + 1
            assert 0 < count <= (room << empty if spaces == "any" else room), word
            taken = pile[-count:]
            assert len(taken) == count, word
            for under, over in zip([*onto[-1:], *taken], [*onto[-1:], *taken][1:], strict=False):
                assert fits(over, under), word
            assert onto or spaces == "any" or taken[0][0] == "K", word
            del pile[-count:]
            onto.extend(taken)
            continue
        assert v is None, word
        card = columns[int(source) - 1].pop() if source.isdigit() else free[source]
        assert card != "-", word
        if not source.isdigit():
            free[source] = "-"
        if target == "h":
            assert RANKS.index(card[0]) == home[card[1]], word
            home[card[1]] += 1
        elif target.isdigit():
            onto = columns[int(target) - 1]
            assert fits(card, onto[-1]) if onto else spaces == "any" or card[0] == "K", word
            onto.append(card)
        else:
            assert free[target] == "-", word
            free[target] = card
    return sum(home.values())
