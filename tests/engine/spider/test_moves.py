"""Tests of Spider moves as text and as bytes, and of malformed text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadMove
from engine.spider import GAME as SPIDER
from engine.spider.moves import (
    DEAL,
    SpiderKind,
    SpiderMove,
    move_bytes,
    move_name,
    move_of_bytes,
    pack_solution,
    parse_move,
    parse_solution,
    run,
    solution_text,
    unpack_solution,
)

ALL = [
    DEAL,
    *(
        run(source, target, count)
        for source in range(10)
        for target in range(10)
        for count in range(1, 14)
        if source != target
    ),
]


def test_every_move_has_a_text_and_bytes_of_its_own() -> None:
    assert len({move_name(move) for move in ALL}) == len(ALL) == 1 + 90 * 13
    assert len({move_bytes(move) for move in ALL}) == len(ALL)
    for move in ALL:
        assert parse_move(move_name(move)) == parse_move(str(move).lower()) == move
        assert move_of_bytes(move_bytes(move)) == move
        assert len(move_bytes(move)) == SPIDER.move_size
    # Every other pair of bytes is none.
    pairs = {bytes((a, b)) for a in range(256) for b in range(256)}
    for pair in pairs - {move_bytes(move) for move in ALL}:
        with pytest.raises(BadMove, match="not a move of Spider"):
            move_of_bytes(pair)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("D", DEAL),
        ("37", SpiderMove(SpiderKind.RUN, 2, 6, 1)),
        ("30x4", SpiderMove(SpiderKind.RUN, 2, 9, 4)),
        ("01X13", SpiderMove(SpiderKind.RUN, 9, 0, 13)),
        ("37x1", SpiderMove(SpiderKind.RUN, 2, 6, 1)),
    ],
)
def test_texts(text: str, move: SpiderMove) -> None:
    assert parse_move(text) == move


@pytest.mark.parametrize(
    "text", ["", "T", "33", "3", "371", "37x0", "37x14", "37x", "37x04", "３７"]
)
def test_texts_that_are_no_move(text: str) -> None:
    with pytest.raises(BadMove, match="is not a move of Spider: expected D, or two different"):
        parse_move(text)


@given(st.lists(st.sampled_from(ALL)))
def test_solutions_round_trip(moves: list[SpiderMove]) -> None:
    assert list(parse_solution(solution_text(moves))) == moves
    assert list(unpack_solution(pack_solution(moves))) == moves
    assert SPIDER.length(pack_solution(moves)) == len(moves)


def test_a_wrong_move_in_a_solution_is_numbered() -> None:
    with pytest.raises(BadMove, match=r"^move 3: 'W4' is not a move of Spider"):
        parse_solution("D, 12\nW4")


def test_half_a_move_is_none() -> None:
    with pytest.raises(BadMove):
        unpack_solution(pack_solution([DEAL]) + b"\1")
