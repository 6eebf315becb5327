"""Tests of telling the entries of a stream apart."""

import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dealing.dealers import deal_by_id
from engine.formats import formats
from engine.games import get_game
from engine.rulesets import parse_ruleset
from engine.text import encoding
from engine.text.encoding import read_lines
from engine.text.entries import split_entries, split_lines

KLONDIKE = get_game("klondike")
DEALS = [deal_by_id(f"thoughtful-1:{seed}") for seed in range(4)]
START = KLONDIKE.start(DEALS[3], parse_ruleset("klondike-draw3"))
assert KLONDIKE.write_table is not None
PIECES = [
    *(form.write(DEALS[0]).rstrip("\n") for form in formats().values()),
    KLONDIKE.write_table(START.play(KLONDIKE.parse_move("T"))).rstrip("\n"),
    json.dumps(START.to_json()),
    json.dumps(DEALS[1].to_json(), indent=2),
    "thoughtful-1:42",
    "nobody:x",
    "hello, world",
]


def split(text: str | bytes) -> list[tuple[int, str]]:
    data = text if isinstance(text, bytes) else text.encode()
    return [(each.line, each.text) for each in split_entries(read_lines(io.BytesIO(data)))]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["\n\n", "\n\n# said\n", "\n  \n\n"]),
    st.booleans(),
)
def test_what_stands_between_blank_lines_is_an_entry(
    pieces: list[str], end: str, between: str, mark: bool
) -> None:
    text = ("\ufeff" if mark else "") + between.join(pieces)
    assert [text for _, text in split(text.replace("\n", end))] == pieces


@pytest.mark.parametrize("after", PIECES)
@pytest.mark.parametrize("before", PIECES)
def test_entries_are_told_apart_without_blank_lines(before: str, after: str) -> None:
    found = split(f"{before}\n{after}\n")
    inside = before.startswith(("Talon", "Foundations")) and after in ("nobody:x", "hello, world")
    # What follows the columns of a board and begins nothing is taken for a line of the board.
    assert found == (
        [(1, f"{before}\n{after}")] if inside else [(1, before), (2 + before.count("\n"), after)]
    )


def test_an_entry_of_one_line_does_not_wait_for_the_next() -> None:
    class Endless(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            if self.tell() == len(self.getvalue()):
                raise AssertionError("read ahead")
            return super().readline(size)

    for piece in PIECES:
        if not piece.startswith(("Talon", "Foundations")):
            found = split_entries(read_lines(Endless(f"{piece}\n".encode())))
            assert next(found).text == piece


def test_broken_json_does_not_swallow_what_follows() -> None:
    good = json.dumps(DEALS[0].to_json())
    for next_one in (good, "thoughtful-1:1", PIECES[1], PIECES[2]):
        found = split(f"{good[:100]}\n{next_one}\n{good}\n")
        assert [line for line, _ in found] == [1, 2, 2 + 1 + next_one.count("\n")]


def test_bytes_that_are_no_text_and_lines_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "LONGEST", 1000)
    data = b"thoughtful-1:1\n\xff\xfe\n" + b"7" * 5000 + b"\nthoughtful-1:2\n" + b"8" * 1000
    found = list(split_entries(read_lines(io.BytesIO(data))))
    assert [(each.line, each.problem is None) for each in found] == [
        (1, True),
        (2, False),
        (3, False),
        (4, True),
        (5, False),
    ]
    assert found[1].problem == "byte 1 of the line is not UTF-8 text"
    assert "longer than 1,000 bytes" in str(found[2].problem)


def test_lines_are_entries_where_that_is_asked() -> None:
    found = split_lines(read_lines(io.BytesIO(b"\xef\xbb\xbfid,deal\r\n\r\n# said\r\na,b\r\n")))
    assert [(each.line, each.text) for each in found] == [(1, "id,deal"), (4, "a,b")]


@given(st.binary(max_size=300))
def test_junk_is_split_into_numbered_entries(data: bytes) -> None:
    numbers: Iterator[int] = (each.line for each in split_entries(read_lines(io.BytesIO(data))))
    listed = list(numbers)
    assert listed == sorted(set(listed))
    ends = data.count(b"\n") + data.count(b"\r")  # old systems end a line by the latter alone
    assert all(1 <= number <= ends + 1 for number in listed)
