import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadMove
from engine.klondike.moves import (
    ALL_MOVES,
    REDEAL,
    TURN,
    WASTE_UP,
    KlondikeKind,
    KlondikeMove,
    move_byte,
    move_name,
    move_of_byte,
    pack_solution,
    parse_move,
    parse_solution,
    solution_text,
    unpack_solution,
)

solutions = st.lists(st.sampled_from(ALL_MOVES), max_size=80).map(tuple)


def test_every_move_has_its_own_text_and_byte() -> None:
    # 3 of the stock, 7 waste to column, 7 up, 28 down, 42 runs, 84 to the first empty column.
    assert len(ALL_MOVES) == 171
    assert len({move_name(move) for move in ALL_MOVES}) == 171
    assert len({move_byte(move) for move in ALL_MOVES}) == 171
    for move in ALL_MOVES:
        assert parse_move(move_name(move)) == move
        assert parse_move(str(move).lower()) == move
        assert move_of_byte(move_byte(move)) == move


@pytest.mark.parametrize(
    ("text", "byte", "move"),
    [
        ("T", 0, TURN),
        ("R", 1, REDEAL),
        ("WF", 2, WASTE_UP),
        ("W1", 3, KlondikeMove(KlondikeKind.WASTE_DOWN, 0, 0)),
        ("W7", 9, KlondikeMove(KlondikeKind.WASTE_DOWN, 0, 6)),
        ("1F", 10, KlondikeMove(KlondikeKind.UP, 0, 0)),
        ("7F", 16, KlondikeMove(KlondikeKind.UP, 6, 0)),
        ("C1", 17, KlondikeMove(KlondikeKind.DOWN, 0, 0)),
        ("S4", 34, KlondikeMove(KlondikeKind.DOWN, 2, 3)),
        ("H7", 44, KlondikeMove(KlondikeKind.DOWN, 3, 6)),
        ("12", 46, KlondikeMove(KlondikeKind.RUN, 0, 1)),
        ("26", 57, KlondikeMove(KlondikeKind.RUN, 1, 5)),
        ("76", 92, KlondikeMove(KlondikeKind.RUN, 6, 5)),
        ("1x1", 94, KlondikeMove(KlondikeKind.PART, 0, cards=1)),
        ("2x3", 108, KlondikeMove(KlondikeKind.PART, 1, cards=3)),
        ("7x12", 177, KlondikeMove(KlondikeKind.PART, 6, cards=12)),
    ],
)
def test_the_table_of_the_notation(text: str, byte: int, move: KlondikeMove) -> None:
    # Frozen: stored solutions are these bytes.
    assert move_name(move) == text
    assert move_byte(move) == byte


@given(solutions)
def test_solutions_round_trip(moves: tuple[KlondikeMove, ...]) -> None:
    assert parse_solution(solution_text(moves)) == moves
    assert parse_solution(",".join(move_name(move) for move in moves)) == moves
    assert parse_solution("\n".join(move_name(move) for move in moves)) == moves
    assert unpack_solution(pack_solution(moves)) == moves
    assert len(pack_solution(moves)) == len(moves)


@pytest.mark.parametrize(
    "text",
    [
        "11",
        "77",
        "8F",
        "0F",
        "FW",
        "X3",
        "",
        "WFF",
        "1",
        "T1",
        "C8",
        "2x0",
        "2x13",
        "8x1",
        "2x",
        "x3",
    ],
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(BadMove) as caught:
        parse_move(text)
    assert str(caught.value).startswith(f"{text!r} is not a move: expected T, R, WF")


def test_a_bad_move_in_a_solution_is_numbered() -> None:
    with pytest.raises(BadMove, match="move 3: 'Q9' is not a move"):
        parse_solution("T W3 Q9 T")


@pytest.mark.parametrize("byte", [45, 53, 93, 178, 255, -1])
def test_bytes_that_are_no_move(byte: int) -> None:
    with pytest.raises(BadMove, match=f"byte {byte} is not a move"):
        move_of_byte(byte)


@given(st.binary(max_size=20))
def test_garbage_bytes_unpack_or_are_bad(packed: bytes) -> None:
    known = {move_byte(move) for move in ALL_MOVES}
    if set(packed) <= known:
        assert pack_solution(unpack_solution(packed)) == packed
    else:
        with pytest.raises(BadMove):
            unpack_solution(packed)


@given(st.text(max_size=12))
def test_garbage_text_parses_or_is_bad(text: str) -> None:
    try:
        moves = parse_solution(text)
    except BadMove as error:
        message = str(error)
        assert message.startswith("move ")
        return
    assert parse_solution(solution_text(moves)) == moves
