"""Lines of files of deals: good ones in every form, and bad ones of twenty kinds.

Each maker takes a number and gives a line as bytes; a bad one comes with a part of the sentence
that names what is wrong with it.
"""

import json
from collections.abc import Callable

from engine.dealing.dealers import deal_by_id
from engine.games import get_game
from engine.klondike.formats import write_code, write_digits, write_json, write_solvitaire
from engine.rulesets import parse_ruleset

DRAW3 = parse_ruleset("klondike-draw3")
KLONDIKE = get_game("klondike")


def _deal(number: int):  # type: ignore[no-untyped-def]
    return deal_by_id(f"thoughtful-1:{number}")


GOOD: tuple[Callable[[int], str], ...] = (
    lambda n: f"thoughtful-1:{n}",
    lambda n: write_digits(_deal(n)),
    lambda n: write_json(_deal(n)),
    lambda n: write_solvitaire(_deal(n)),
    lambda n: write_code(_deal(n)),
    lambda n: json.dumps({"id": n, "dealer": "thoughtful-1", "seed": n}),
    lambda n: json.dumps({"id": f"thoughtful-1:{n}", "outcome": "gave_up", "moves": None}),
    lambda n: json.dumps({"id": n, "deal": write_digits(_deal(n))}),
    lambda n: f"greenfelt:{n + 1}",
)

_OTHER_GAME = json.dumps(deal_by_id("thoughtful-1:5", get_game("spider")).to_json())
_PLAYED = KLONDIKE.start(_deal(5), DRAW3).play(KLONDIKE.parse_move("T")).to_json()

BAD: tuple[tuple[Callable[[int], str | bytes], str], ...] = (
    (lambda n: f"hello {n}", "is neither a deal nor a position that can be read"),
    (lambda n: f"nobody:{n}", "unknown dealer 'nobody'"),
    (lambda n: f"greenfelt:{n + 10**10}", "is out of range for dealer greenfelt"),
    (lambda n: f"thoughtful-1:{n}-{n + 9}", "is not a deal"),
    (lambda n: write_digits(_deal(n))[:-1], "card 52 of the digits is"),
    (lambda n: write_digits(_deal(n)) + "011", "are more than the 156 of one deck"),
    (lambda n: "019" + write_digits(_deal(n))[3:], "card 1 of the digits is '019'"),
    (
        lambda n: write_digits(_deal(n))[:-3] + write_digits(_deal(n))[:3],
        "more than once",
    ),
    (lambda n: write_json(_deal(n))[:200], "not JSON"),
    (lambda n: write_json(_deal(n)).replace('"', "'"), "not JSON"),
    (lambda n: json.dumps(list(_deal(n).cards)), "not a JSON object"),
    (lambda n: json.dumps({"id": n}), 'a deal needs "tableau" and "stock"'),
    (lambda n: json.dumps(_deal(n).to_json() | {"stock": []}), "it has 28 cards of 52"),
    (lambda n: write_json(_deal(n)).replace('"KH"', '"1X"'), "'1X' is not a card"),
    (
        lambda n: json.dumps(_deal(n).to_json() | {"dealer": "thoughtful-1", "seed": n + 1}),
        "these are not the cards of thoughtful-1:",
    ),
    (lambda n: json.dumps({"dealer": "thoughtful-1", "seed": str(n)}), '"seed" a whole number'),
    (lambda _n: _OTHER_GAME, "a deal of Spider"),
    (lambda _n: json.dumps(_PLAYED), "a position in mid-game"),
    (lambda n: b"\xf5\xfe" + str(n).encode(), "is not UTF-8 text"),
    (
        lambda n: write_solvitaire(_deal(n)).replace('"stock"', '"waste": ["AC"], "stock"'),
        "stock and waste hold 25 cards",
    ),
)


def numbered_lines(count: int, wrong: int) -> tuple[list[bytes], dict[int, str]]:
    """So many lines, so many of them bad, and for each bad one what is said of it."""
    assert len(BAD) == 20
    step = count // wrong
    lines: list[bytes] = []
    said: dict[int, str] = {}
    for number in range(count):
        if number % step == step // 2 and len(said) < wrong:
            make, sentence = BAD[len(said) % len(BAD)]
            line = make(number)
            said[number + 1] = sentence
        else:
            line = GOOD[number % len(GOOD)](number)
        lines.append(line if isinstance(line, bytes) else line.encode())
    return lines, said
