"""Tests of positions as text that a person types."""

import pytest

from engine.cards import HIDDEN
from engine.errors import BadInput
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import PRESETS
from engine.klondike.seen import stand_in
from engine.klondike.table_text import read_table, write_seen, write_table
from random_play import met_at_random
from samples import sizes

RULES = PRESETS["klondike-draw3"]
TYPED = """
foundations: h-0 C-2 D-A S-0
Talon: 9H 10C KD
waste: 4D
<8S> <??> KH QS

-
Redeals: 2
"""


@pytest.mark.parametrize("count", sizes(200, 600))
def test_what_is_written_is_read_back(count: int) -> None:
    for position in met_at_random([RULES.slug], count):
        assert isinstance(position, KlondikePosition)
        text = write_table(position)
        assert KlondikePosition.from_json(read_table(text), RULES) == position
        # With the hidden cards unknown, it is what a person sees.
        hidden = text
        for column in position.to_json()["down"]:
            for card in column:
                hidden = hidden.replace(f"<{card}>", f"<{HIDDEN}>")
        seen = position.observation()
        assert stand_in(read_table(hidden), RULES).observation() == seen
        assert read_table(write_seen(seen)) == read_table(hidden)
        assert read_table(write_seen(seen).replace("<??>", "??")) == read_table(hidden)


def test_what_a_person_types() -> None:
    found = read_table(TYPED + "\n".join(["5C 4H", "-", "-", "-", "-"]))
    assert found["foundations"] == {"C": 2, "D": 1, "S": 0, "H": 0}
    assert (found["stock"], found["waste"]) == (["9H", "TC", "KD"], ["4D"])
    assert found["down"][:2] == [["8S", "??"], []]
    assert found["up"][:3] == [["KH", "QS"], [], ["5C", "4H"]]
    assert found["redeals_used"] == 2


WRONG = {
    "Talon: 9H 1X": "line 1: '1X' is not a card",
    "Talon: 9H\nTalon: 8H": "line 2: a second line 'Talon'",
    "Foundations: C-14": "line 1: 'C-14' is no foundation",
    "Foundations: X-2": "line 1: 'X-2' is no foundation",
    "Redeals: many": "line 1: 'many' is not a number of redeals",
    "Cells: 9H": "line 1: 'Freecells' is not part of this board",
    "KH <9S>": "line 1: <9S> lies face down on a card that is face up",
    "KH ??": "line 1: .. lies face down on a card that is face up",
    "KH": "the board has 1 columns: expected 7 lines",
}


@pytest.mark.parametrize("text", WRONG)
def test_an_error_names_its_line(text: str) -> None:
    with pytest.raises(BadInput, match=WRONG[text]):
        read_table(text)
