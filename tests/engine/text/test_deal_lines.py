import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal
from engine.text.deal_lines import InputDeal, read_deal_lines, write_deal_line

deals = st.permutations(DECK).map(KlondikeDeal.of)
ids = st.text() | st.integers()
items = st.builds(InputDeal, ids, deals) | st.builds(
    lambda own_id, seed: InputDeal(
        own_id, deal_by_id(f"thoughtful-1:{seed}"), "thoughtful-1", seed
    ),
    ids,
    st.integers(0, 2**63 - 1),
)


@given(st.lists(items, max_size=4))
def test_deal_lines_round_trip(written: list[InputDeal]) -> None:
    text = "".join(write_deal_line(item) + "\n\n" for item in written)
    assert list(read_deal_lines(io.StringIO(text))) == written
    assert list(read_deal_lines(io.BytesIO(text.encode()))) == written


def test_the_two_forms_of_a_line() -> None:
    deal = deal_by_id("thoughtful-1:42")
    lines = [
        '{"id": "a", "dealer": "thoughtful-1", "seed": 42}',
        '{"dealer": "thoughtful-1", "seed": 42, "verdict": null}',
        "",
        json.dumps(deal.to_json()),
        json.dumps({"id": 7, "dealer": "thoughtful-1", "seed": 42} | deal.to_json()),
    ]
    assert list(read_deal_lines(lines)) == [
        InputDeal("a", deal, "thoughtful-1", 42),
        InputDeal("thoughtful-1:42", deal, "thoughtful-1", 42),
        InputDeal(4, deal),
        InputDeal(7, deal, "thoughtful-1", 42),
    ]


def test_lines_are_read_one_at_a_time() -> None:
    def lines() -> Iterator[str]:
        yield '{"dealer": "thoughtful-1", "seed": 1}\n'
        raise AssertionError("read ahead")

    assert next(read_deal_lines(lines())).seed == 1


GOOD = '{"dealer":"thoughtful-1","seed":1}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON: "),
        ("[1]", "line 2: not a JSON object"),
        ("{}", 'line 2: a deal needs "tableau" and "stock", or "dealer" and "seed"'),
        ('{"dealer":"thoughtful-1"}', 'line 2: "dealer" must be a name and "seed" a whole'),
        ('{"dealer":"thoughtful-1","seed":true}', "not 'thoughtful-1' and True"),
        ('{"dealer":"thoughtful-1","seed":1.5}', "not 'thoughtful-1' and 1.5"),
        ('{"dealer":["x"],"seed":1}', "not ['x'] and 1"),
        ('{"dealer":"nobody","seed":1}', "line 2: unknown dealer 'nobody'"),
        ('{"dealer":"thoughtful-1","seed":-1}', "line 2: seed -1 is out of range for dealer"),
        ('{"dealer":"thoughtful-1","seed":1,"id":[]}', 'line 2: "id" must be text or a whole'),
        ('{"stock":[]}', 'line 2: a deal needs the keys "tableau" and "stock"'),
        (
            json.dumps({"dealer": "pysolfc", "seed": 5} | KlondikeDeal.of(DECK).to_json()),
            "line 2: these are not the cards of pysolfc:5",
        ),
    ],
)
def test_wrong_lines_are_numbered(line: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        list(read_deal_lines([GOOD, line, GOOD]))
    assert message in str(caught.value)


def test_what_is_not_utf_8_is_bad_input() -> None:
    data = GOOD.encode() + b"\n\xff\xfe\n"
    for stream in (io.BytesIO(data), io.TextIOWrapper(io.BytesIO(data), "utf-8")):
        with pytest.raises(BadInput, match="is not UTF-8 text"):
            list(read_deal_lines(stream))
    marked = io.BytesIO(b"\xef\xbb\xbf" + GOOD.encode())
    assert next(read_deal_lines(marked)).seed == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tableau", "stock", "id", "dealer", "seed"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values.map(json.dumps) | st.text(max_size=20) | st.just(GOOD), max_size=3))
def test_garbage_lines_are_bad_input_or_deals(lines: list[str]) -> None:
    try:
        found = list(read_deal_lines(lines))
    except BadInput as error:
        message = str(error)
    else:
        message = "line "
        assert len(found) <= len(lines)
    assert message.startswith("line ")
