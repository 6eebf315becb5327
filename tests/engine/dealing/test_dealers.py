import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.dealing.dealers import (
    Sample,
    deal_by_id,
    dealers,
    get_dealer,
    parse_deal_id,
    parse_sample,
    parse_seeds,
)
from engine.errors import BadInput
from engine.games import default_game
from engine.klondike.deal import KlondikeDeal
from paths import DATA

VECTORS = json.loads((DATA / "dealer-vectors.json").read_text())

dealer_and_seed = st.sampled_from(list(dealers().values())).flatmap(
    lambda dealer: st.tuples(st.just(dealer), st.integers(dealer.min_seed, dealer.max_seed))
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['dealer']}:{v['seed']}")
def test_the_programs_own_deals(vector: dict[str, Any]) -> None:
    deal = deal_by_id(f"{vector['dealer']}:{vector['seed']}")
    assert deal == KlondikeDeal.from_json(vector)


def test_the_vectors_cover_every_foreign_dealer() -> None:
    assert {vector["dealer"] for vector in VECTORS} == {dealer.slug for dealer in OF_KLONDIKE} - {
        "thoughtful-1"
    }


# `microsoft`, which deals games of data alone, is tested beside them.
OF_KLONDIKE = [dealer for dealer in dealers().values() if default_game() in dealer.games]


@pytest.mark.parametrize("dealer", OF_KLONDIKE, ids=lambda d: d.slug)
def test_both_ends_of_the_seeds_deal_and_one_beyond_is_refused(dealer: Any) -> None:
    assert dealer.deal(dealer.min_seed) != dealer.deal(dealer.max_seed)
    for seed in (dealer.min_seed - 1, dealer.max_seed + 1, -(10**30), 10**30):
        with pytest.raises(BadInput) as caught:
            dealer.deal(seed)
        assert str(caught.value) == (
            f"seed {seed} is out of range for dealer {dealer.slug}: "
            f"expected {dealer.min_seed} to {dealer.max_seed}"
        )
    with pytest.raises(BadInput, match="out of range"):
        dealer.deal_block(dealer.max_seed, 2)
    with pytest.raises(BadInput, match="cannot be negative: -1"):
        dealer.deal_block(dealer.min_seed, -1)
    assert dealer.deal_block(dealer.min_seed, 0).shape == (0, 52)


@pytest.mark.parametrize("dealer", OF_KLONDIKE, ids=lambda d: d.slug)
def test_a_block_is_its_deals_and_they_all_differ(dealer: Any) -> None:
    # Over the border where PySolFC changes its generator.
    block = dealer.deal_block(31_995, 10)
    deals = [dealer.deal(seed) for seed in range(31_995, 32_005)]
    assert [KlondikeDeal.of(row) for row in block] == deals
    assert len(set(deals)) == 10


def test_the_standing_seeds_of_greenfelt_are_why_its_range_is_short() -> None:
    for seed in (0, 2**31 - 1):
        assert seed * 16807 % (2**31 - 1) == 0
        with pytest.raises(BadInput):
            get_dealer("greenfelt").deal(seed)


@given(dealer_and_seed)
@settings(deadline=None)
def test_deal_ids_round_trip(chosen: Any) -> None:
    dealer, seed = chosen
    assert parse_deal_id(f"{dealer.slug}:{seed}") == (dealer, seed)
    assert parse_deal_id(f" {dealer.slug}:{seed:030} \n") == (dealer, seed)


@given(dealer_and_seed, st.integers(1, 10**6))
def test_samples_round_trip(chosen: Any, count: int) -> None:
    dealer, first = chosen
    count = min(count, dealer.max_seed - first + 1)
    sample = Sample(dealer.slug, first, count)
    assert parse_sample(str(sample)) == sample
    assert sample.seeds[0] == first
    assert sample.seeds[-1] == sample.last == first + count - 1
    assert len(sample.seeds) == count


def test_a_sample_names_both_ends() -> None:
    assert parse_sample("thoughtful-1:0-9999") == Sample("thoughtful-1", 0, 10_000)
    assert str(Sample("pysolfc", 10**20, 1)) == f"pysolfc:{10**20}-{10**20}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody:5", "unknown dealer 'nobody': expected one of thoughtful-1, pysolfc"),
        ("thoughtful-1", "'thoughtful-1' is not a deal: expected dealer:seed"),
        ("thoughtful-1:", "is not a deal"),
        ("thoughtful-1:-5", "is not a deal"),
        ("thoughtful-1:4²", "is not a deal"),
        ("thoughtful-1:٤", "is not a deal"),
        ("thoughtful-1:1_0", "is not a deal"),
        ("thoughtful-1:" + "9" * 5000, "is not a deal"),
        ("thoughtful-1:9223372036854775808", "seed 9223372036854775808 is out of range"),
        ("pysolfc:0", "seed 0 is out of range for dealer pysolfc: expected 1 to 1000000000"),
        ("pysolfc:100000000000000000001", "out of range for dealer pysolfc"),
        ("klondike-solver:2147483648", "out of range for dealer klondike-solver"),
    ],
)
def test_wrong_deal_ids(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        deal_by_id(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thoughtful-1:0", "is not a sample: expected dealer:first-last"),
        ("thoughtful-1:5-4", "run backwards: 5 comes after 4"),
        ("nobody:0-1", "unknown dealer 'nobody'"),
        ("thoughtful-1:0-9223372036854775808", "seed 9223372036854775808 is out of range"),
        ("greenfelt:0-10", "seed 0 is out of range for dealer greenfelt"),
        ("", "is not a sample"),
    ],
)
def test_wrong_samples(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_sample(text)
    assert message in str(caught.value)


def test_seeds_are_read_as_people_type_them() -> None:
    assert parse_seeds("thoughtful-1", "5") == Sample("thoughtful-1", 5, 1)
    for text in ("0-3", "0 - 3", " 0 -3 "):
        assert parse_seeds("thoughtful-1", text) == Sample("thoughtful-1", 0, 4)
        assert parse_sample(f"thoughtful-1:{text}") == Sample("thoughtful-1", 0, 4)
    for wrong, message in {
        "nine": "'nine' names no seeds: expected the first and the last",
        "": "'' names no seeds",
        "-5": "'-5' names no seeds",
        "9-3": "run backwards: 9 comes after 3",
        "0-99999999999999999999": "out of range",
    }.items():
        with pytest.raises(BadInput, match=message):
            parse_seeds("thoughtful-1", wrong)


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one seed, not 0"):
        Sample("thoughtful-1", 0, 0)


@given(st.text() | st.from_regex(r"(thoughtful-1|pysolfc|x):[-0-9:]{0,30}", fullmatch=True))
def test_garbage_ids_and_samples_are_bad_input(text: str) -> None:
    for parse in (parse_deal_id, parse_sample):
        message = ""
        try:
            parse(text)
        except BadInput as error:
            message = str(error)
        assert len(message.splitlines()) <= 1
