"""Tests of positions of Spider as text that a person types."""

import pytest

from engine.errors import BadInput
from engine.games import get_game
from engine.spider.referee import SpiderPosition
from engine.spider.seen import stand_in
from engine.spider.table_text import read_table, write_table
from random_play import met_at_random
from samples import sizes

TYPED = """
completed: s S h
Talon: 9H 10C KD
<8S> <??> KH QS

-
"""


@pytest.mark.parametrize("count", sizes(40, 200))
def test_what_is_written_is_read_back(count: int) -> None:
    for position in met_at_random(("spider-1", "spider-2", "spider-4"), count):
        assert isinstance(position, SpiderPosition)
        rules = position.rules
        text = write_table(position)
        read = get_game("spider").position_from_json(read_table(text), rules)
        assert read == position
        # With the hidden cards unknown, it is what a person sees.
        lines = []
        for line in text.splitlines():
            head, colon, rest = line.partition(":")
            if head == "Talon":
                line = f"{head}{colon} {' '.join('??' for _ in rest.split())}"
            words = ["<??>" if word.startswith("<") else word for word in line.split(" ")]
            lines.append(" ".join(words))
        assert stand_in(read_table("\n".join(lines)), rules).observation() == position.observation()


def test_what_a_person_types() -> None:
    found = read_table(TYPED + "\n".join(["5C 4H"] + ["-"] * 7))
    assert found["completed"] == {"C": 0, "D": 0, "S": 2, "H": 1}
    assert found["stock"] == [["9H", "TC", "KD"]]
    assert found["down"][:2] == [["8S", "??"], []]
    assert found["up"][:3] == [["KH", "QS"], [], ["5C", "4H"]]


WRONG = {
    "Talon: 9H 1X": "line 1: '1X' is not a card",
    "Talon: 9H\nStock: 8H": "line 2: a second line 'Talon'",
    "Completed: S X": "line 1: 'X' is no suit of a run",
    "Cells: 9H": "line 1: 'Freecells' is not part of this board",
    "KH <9S>": "line 1: <9S> lies face down on a card that is face up",
    "KH ??": "line 1: .. lies face down on a card that is face up",
    "KH": "the board has 1 columns: expected 10 lines",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_names_its_line(text: str) -> None:
    with pytest.raises(BadInput, match=WRONG[text]):
        read_table(text)
