"""Tests of reading entries of any form, and of writing them in another."""

import io
import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.converting import EntryWriter
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Game
from engine.games import game_of, games, get_game
from engine.intake import EntryReader, ReadEntry, WrongEntry, forms, read_entries
from engine.rulesets import parse_ruleset
from intake_lines import BAD, GOOD
from random_play import met_at_random, played_at_random
from samples import sizes

DRAW3 = parse_ruleset("klondike-draw3")
# Games with code of their own, and of those that are data one of each kind that takes any order.
SLUGS = ("klondike", "spider", "freecell", "canfield", "golf", "accordion")
every_game = pytest.mark.parametrize("game", [*map(get_game, SLUGS)], ids=lambda game: game.slug)


def read(text: str, slug: str = "klondike-draw3", form: str | None = None) -> list[ReadEntry]:
    found = list(read_entries(io.BytesIO(text.encode()), parse_ruleset(slug), form))
    assert all(isinstance(each, ReadEntry) for each in found), found
    return [each for each in found if isinstance(each, ReadEntry)]


def shuffled(game: Game, seed: int) -> ReadEntry:
    cards = [card for card in range(52) for _ in range(game.decks)]
    Random(seed).shuffle(cards)
    deal, rules = game.deal(cards), parse_ruleset(game.rulesets.default)
    return ReadEntry(1, f"deal {seed}", deal, None, None, rules)


@every_game
@pytest.mark.parametrize("count", sizes(150, 500))
def test_deals_come_back_from_every_form(game: Game, count: int) -> None:
    slug = game.rulesets.default
    for form in [*(codec.slug for codec in game.codecs), "csv"]:
        writer = EntryWriter(form, game)
        written = [shuffled(game, seed) for seed in range(count)]
        text = writer.heading + "".join(map(writer.write, written))
        for answer in (None, form):
            assert [each.deal for each in read(text, slug, answer)] == [e.deal for e in written]
        if form in ("json", "csv"):
            assert [each.id for each in read(text, slug)] == [e.id for e in written]


@every_game
@pytest.mark.parametrize("count", sizes(60, 300))
def test_positions_in_mid_game_come_back_from_every_form(game: Game, count: int) -> None:
    for number, position in enumerate(met_at_random(list(game.rulesets.presets), count)):
        slug = position.rules.slug
        entry = ReadEntry(1, number, None, None, None, position.rules, position)
        for form in ("json", "text") if game.write_table is not None else ("json",):
            (found,) = read(EntryWriter(form, game).write(entry), slug, form)
            assert found.position == position
            (found,) = read(EntryWriter(form, game).write(entry), slug)
            assert found.position == position


def test_a_position_with_columns_as_long_as_at_the_start_is_not_taken_for_one() -> None:
    position = played_at_random("spider-4-relaxed", 321, 1)
    entry = ReadEntry(1, 1, None, None, None, position.rules, position)
    text = EntryWriter("text", get_game("spider")).write(entry)
    (found,) = read(text, "spider-4-relaxed")
    assert (found.deal, found.position) == (None, position)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from(range(len(GOOD)))), max_size=8),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n# said\n"]),
)
def test_any_mixture_of_forms_is_read(items: list[tuple[int, int]], between: str) -> None:
    text = between.join(GOOD[form](number) for number, form in items)
    found = read(text)
    seeds = [f"greenfelt:{n + 1}" if "greenfelt" in GOOD[f](n) else f"thoughtful-1:{n}"
             for n, f in items]  # fmt: skip
    assert [each.deal for each in found] == [deal_by_id(name) for name in seeds]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_each_kind_of_bad_line_is_one_sentence(number: int) -> None:
    make, said = BAD[number]
    line = make(3)
    data = line if isinstance(line, bytes) else line.encode()
    (found,) = read_entries(io.BytesIO(data), DRAW3)
    reason = found.reason if isinstance(found, WrongEntry) else ""
    if isinstance(found, ReadEntry):
        with pytest.raises(BadInput) as caught:
            found.as_input()
        reason = str(caught.value)
    assert said in reason
    assert "\n" not in reason


def test_the_keys_of_a_line() -> None:
    deal = deal_by_id("thoughtful-1:3")
    start = get_game("klondike").start(deal, DRAW3)
    position = start.play(start.legal_moves()[0]).to_json()
    lines = [
        {"id": "a", "deal": "thoughtful-1:3"},
        {"id": "thoughtful-1:3", "outcome": "won", "moves": ["T"]},
        {"id": "b", "position": position, "moves": 1, "won": False},
        {"number": 1, "move": "T", "position": position},
        {"id": 7, **position},
        {"id": "c", "dealer": "thoughtful-1", "seed": 3},
    ]
    found = read("\n".join(map(json.dumps, lines)))
    assert [each.id for each in found] == ["a", "thoughtful-1:3", "b", 4, 7, "c"]
    assert [each.dealer for each in found] == ["thoughtful-1"] * 2 + [None] * 3 + ["thoughtful-1"]
    assert [each.deal == deal for each in found] == [True, True, False, False, False, True]
    assert [len(each.moves() or ()) for each in found] == [0, 1, 0, 0, 0, 0]


WRONG_MOVES = [
    ({"moves": 5.5}, '"moves" must be a list or a text'),
    ({"moves": ["T", 5]}, '"moves" must be a list or a text'),
    ({"moves": "T", "notation": 7}, '"notation" must be the name of a notation'),
    ({"moves": "T", "notation": "morse"}, "unknown notation 'morse'"),
    ({"moves": "T Q"}, "move 2: 'Q' is not a move"),
]


@pytest.mark.parametrize(("data", "said"), WRONG_MOVES)
def test_wrong_moves_of_a_line(data: dict[str, object], said: str) -> None:
    (entry,) = read(json.dumps({"id": "thoughtful-1:3"} | data))
    with pytest.raises(BadInput, match=said):
        entry.moves()


def test_a_card_that_is_not_known_and_an_id_that_is_none() -> None:
    reader = EntryReader(DRAW3)
    start = get_game("klondike").start(deal_by_id("thoughtful-1:3"), DRAW3)
    with pytest.raises(BadInput, match="a card of this position is not known"):
        assert reader.read(json.dumps(start.observation()), 1).position
    with pytest.raises(BadInput, match='"id" must be text or a whole number'):
        reader.read(json.dumps({"id": [], "deal": "thoughtful-1:3"}), 1)


@every_game
def test_forms_that_a_game_has_not(game: Game) -> None:
    rules = parse_ruleset(game.rulesets.default)
    known = forms(game)
    assert {"json", "csv", "name"} <= set(known)
    for form in known:
        EntryReader(rules, form)
    with pytest.raises(BadInput, match="unknown format 'xls'"):
        EntryReader(rules, "xls")
    for other in games():
        for form in set(forms(other)) - set(known):
            with pytest.raises(BadInput, match=f"the format {form} does not support"):
                EntryReader(rules, form)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=60),
    st.sampled_from(["", *(make(5) for make in GOOD)]),
    st.integers(0, 900),
    st.integers(0, 9),
    st.sampled_from([None, *forms(game_of(DRAW3))]),
)
def test_junk_is_one_sentence(junk: str, good: str, at: int, gone: int, form: str | None) -> None:
    text = good[:at] + junk + good[at + gone :]
    for found in read_entries(io.BytesIO(text.encode("utf-8", "replace")), DRAW3, form):
        if isinstance(found, WrongEntry):
            assert found.reason
            assert "\n" not in found.reason
