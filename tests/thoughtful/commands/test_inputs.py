"""Inputs as people really have them, in `tests/data/inputs`, through every way in alike.

They are what people pasted into reports, boards that other programs print, and our own output fed
back. An argument, a file, a pipe, the page, the HTTP API and the package must read the same.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import thoughtful as package
from api_client import ApiClient, client_of
from command_line import Thoughtful, assert_one_sentence
from dashboard.pages import check
from engine.cards import card_name
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from engine.text.encoding import read_text
from paths import TESTS

INPUTS = TESTS / "data" / "inputs"
DRAW3 = parse_ruleset("klondike-draw3")
KLONDIKE = get_game("klondike")


def start(name: str) -> dict[str, Any]:
    return KLONDIKE.start(deal_by_id(name), DRAW3).to_json()


def position(
    heights: str, waste: str, stock: str, down: list[str], up: list[str]
) -> dict[str, Any]:
    return {
        "rules": "klondike-draw3",
        "down": [words.split() for words in down],
        "up": [words.split() for words in up],
        "foundations": dict(zip("CDSH", map(int, heights.split()), strict=True)),
        "stock": stock.split(),
        "waste": waste.split(),
        "redeals_used": 0,
    }


def starting(columns: list[str], stock: str) -> dict[str, Any]:
    piles = [words.split() for words in columns]
    down, up = ([*(" ".join(pile[at]) for pile in piles)] for at in (slice(-1), slice(-1, None)))
    return position("0 0 0 0", "", stock, down, up)


LATE = position("13 13 8 13", "JS", "QS KS", [""] * 6 + ["TS"], [""] * 6 + ["9S"])
SOLVITAIRE = position(
    "2 0 0 5",
    "",
    "7D AD 4C 9S 3S 5D JH KC 6S 9H",
    ["", "TD", "8H", "6C", "8D QD TC 8C", "AS KD QC", ""],
    [
        "KH QS JD TS",
        "7S 6D 5C 4D 3C 2D",
        "7C 6H 5S",
        "4S 3D 2S",
        "9D 8S 7H",
        "JC",
        "KS QH JS TH 9C",
    ],
)
WASTE = start("pysolfc:1")
WASTE |= {"stock": WASTE["stock"][:-3], "waste": WASTE["stock"][-3:]}
# What each file shows, or a part of the sentence that refuses it.
SHOWN: dict[str, dict[str, Any] | str] = {
    "01-position-for-shortest.txt": LATE,
    "02-stock-heading.txt": start("pysolfc:1"),
    "03-start-as-position.json": start("pysolfc:1"),
    "04-talon-last.txt": start("pysolfc:1"),
    "06-json-array-lines.json": "holds more than one entry: expected one, and line 3 begins",
    "08-own-brackets.txt": LATE,
    "09-foundation-twice.txt": "the foundation of S is given twice, as S-7 and S-8",
    "11-waste-in-json.json": WASTE,
    "12-same-as-text.txt": SOLVITAIRE,
    "12-solvitaire-midgame.json": SOLVITAIRE,
    "14-klondike-solver-out0.txt": starting(
        ["QD", "2C 7S", "5H KC 6C", "KH 7C AC 6S", "4S KD 2D 9C 6H", "4D 6D TC JS 8D 4C",
         "9D QH AH 7H 3S AS 2S"],
        "TH QC 9S JH TD 3C 3H KS 7D JC 8S 3D 2H 5D AD 8C JD QS 4H TS 8H 9H 5C 5S",
    ),
    "15-minimal-klondike-board.txt": starting(
        ["3C", "JD 2H", "AD JC TS", "9S 2C 6S 4S", "3H 7D QC KH 7H", "2D 3D 4H 6C JS 5D",
         "7C QD 6D 2S 8D 5S 8H"],
        "TD KS QS 7S KD AH 8C 5H 9D AC JH 8S 3S TH 9C AS 5C 6H 4D 9H KC TC QH 4C",
    ),
    "16-klondike-solver-game.txt": start("klondike-solver:37547"),
    "17-unicode-suits.txt": start("pysolfc:1"),
    "18-utf16.txt": start("pysolfc:1"),
    "20-dealer-seed.csv": "holds more than one entry: expected one, and line 3 begins",
    "20-quoted-board.csv": start("pysolfc:1"),
    "20-semicolon.csv": start("pysolfc:1"),
    "21-one-wrong-line.txt": "holds more than one entry: expected one, and line 2 begins",
    "26-known-cards-only.txt": "a card of this position is not known",
}  # fmt: skip
DEALS = [
    name
    for name, shown in SHOWN.items()
    if isinstance(shown, dict) and not any(shown["foundations"].values()) and not shown["waste"]
]


@contextmanager
def standard_input(data: bytes, folder: Path) -> Iterator[None]:
    file = folder / "standard-input"
    file.write_bytes(data)
    kept = os.dup(0)
    with file.open("rb") as stream:
        os.dup2(stream.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ApiClient:
    """A client of an HTTP API without a catalogue."""
    return client_of(monkeypatch, DATABASE_URL=f"sqlite:///{tmp_path}/none.db")


def of_page(data: bytes) -> dict[str, Any]:
    (text,) = check.given_texts("", data, "", "").values()
    return check.read_asked(text, DRAW3.slug).position.to_json()


def refused(sentence: str, part: str) -> None:
    assert part in sentence
    assert "\n" not in sentence.strip()
    assert "Traceback" not in sentence


@pytest.mark.parametrize("name", SHOWN)
def test_an_input_is_read_the_same_in_every_way(
    name: str, thoughtful: Thoughtful, client: ApiClient, tmp_path: Path
) -> None:
    data, shown = (INPUTS / name).read_bytes(), SHOWN[name]
    text = read_text(data, name)
    with standard_input(data, tmp_path):
        ways = {
            "argument": thoughtful("replay", text, "--moves", "", "--json"),
            "file": thoughtful("replay", str(INPUTS / name), "--moves", "", "--json"),
            "position": thoughtful(
                "replay", "--position", str(INPUTS / name), "--moves", "", "--json"
            ),
            "pipe": thoughtful("replay", "-", "--moves", "", "--json"),
        }
    for way, ran in ways.items():
        if isinstance(shown, str):
            assert_one_sentence(ran, shown)
        else:
            assert ran.code == 0, (way, ran.err)
            assert json.loads(ran.out)["position"] == shown, way
    others: list[Callable[[], dict[str, Any]]] = [
        lambda: of_page(data),
        lambda: package.position(text).to_json(),
    ]
    for read in others:
        if isinstance(shown, str):
            with pytest.raises(BadInput) as caught:
                read()
            refused(str(caught.value), shown)
        else:
            assert read() == shown
    for answer in (client.post("deal", data), client.get("deal", deal=text)):
        if isinstance(shown, str):
            assert answer.status_code == 400
            refused(answer.json()["detail"], shown)
        else:
            assert answer.json()["position"] == shown
            is_start = name in DEALS
            assert (answer.json()["cards"] is not None) == is_start


@pytest.mark.parametrize("name", DEALS)
def test_a_start_is_a_deal_for_every_command(name: str, thoughtful: Thoughtful) -> None:
    shown = SHOWN[name]
    assert isinstance(shown, dict)
    ran = thoughtful("deal", str(INPUTS / name), "--json")
    assert (ran.code, ran.err) == (0, "")
    (deal,) = ran.lines
    assert [*deal["tableau"], deal["stock"]] == [
        *([*down, *up] for down, up in zip(shown["down"], shown["up"], strict=True)),
        shown["stock"],
    ]
    (read,) = package.read(INPUTS / name)
    assert isinstance(read, package.Deal)
    kept = thoughtful("import", str(INPUTS / name), "--json")
    assert kept.code == 0
    assert kept.lines[0]["kept"] == 1


def test_several_entries_are_all_read(thoughtful: Thoughtful) -> None:
    for name in ("06-json-array-lines.json", "20-dealer-seed.csv"):
        ran = thoughtful("convert", str(INPUTS / name), "--to", "name")
        assert (ran.code, ran.out, ran.err) == (0, "pysolfc:1\npysolfc:2\n", "")


def test_positions_where_deals_are_expected(thoughtful: Thoughtful) -> None:
    place = str(INPUTS / "01-position-for-shortest.txt")
    assert_one_sentence(thoughtful("deal", place), "a position in mid-game", "thoughtful replay")
    ran = thoughtful("shortest", place, "--json")
    assert ran.lines[0]["length"] == 7
    for ran in (
        thoughtful("solve", place, "--json"),
        thoughtful("solve", "--input", place),
        thoughtful("solve", "--position", place, "--json"),
    ):
        assert ran.code == 0, ran.err
        assert ran.lines[0]["outcome"] == "won"


def test_a_wrong_line(thoughtful: Thoughtful, tmp_path: Path) -> None:
    place = INPUTS / "21-one-wrong-line.txt"
    ran = thoughtful("solve", "--input", str(place))
    assert_one_sentence(ran, "line 3", "'nonsense'", "--skip-bad")
    for skipped in (
        thoughtful("solve", "--input", str(place), "--skip-bad"),
        thoughtful("solve", str(place), "--json", "--skip-bad"),
    ):
        assert skipped.code == 0
        content = sorted(skipped.lines, key=lambda line: "error" in line)
        assert [line["outcome"] for line in content] == ["won", "won", "won", None]
        assert "line 3" in skipped.err
    in_order = thoughtful("solve", "--input", str(place), "--skip-bad", "--workers", "2")
    assert [line["id"] for line in in_order.lines] == ["pysolfc:1", "pysolfc:2", 3, "pysolfc:3"]
    for arguments in (("--input", "-"), ("-", "--json")):
        with standard_input(place.read_bytes(), tmp_path):
            ran = thoughtful("solve", *arguments)
        assert ran.code == 2
        assert [line["id"] for line in ran.lines] == ["pysolfc:1", "pysolfc:2", 3, "pysolfc:3"]
        assert "'nonsense'" in ran.lines[2]["error"]


def test_a_wrong_move_has_its_number_its_sign_and_its_place(thoughtful: Thoughtful) -> None:
    moves = (INPUTS / "19-moves-no-number.txt").read_text()
    ran = thoughtful("replay", "pysolfc:1", "--moves", moves)
    assert_one_sentence(ran, "move 1, ", "'HG'", "character 1")
    for text, parts in {
        "@@AD": ("move 3, ", "'AD'", "character 3"),
        "@ @ XY": ("move 3, ", "'XY'", "character 5"),
        "DR2 W9": ("move 2, ", "'W9'"),
    }.items():
        notation = "klondike-solver" if "DR" in text else "minimal-klondike"
        ran = thoughtful("replay", "pysolfc:1", "--moves", text, "--from", notation)
        assert_one_sentence(ran, *parts)


def test_line_ends_that_curl_took_away(client: ApiClient) -> None:
    data = (INPUTS / "12-same-as-text.txt").read_bytes().replace(b"\n", b"")
    answer = client.post("verdict", data)
    assert answer.status_code == 400
    assert "--data-binary" in answer.json()["detail"]


def test_a_number_of_microsoft_with_a_digit_missing(thoughtful: Thoughtful) -> None:
    code = thoughtful("deal", "pysolfc:1", "--format", "microsoft").out.strip()
    assert thoughtful("deal", code, "--format", "microsoft").out.strip() == code
    assert_one_sentence(thoughtful("deal", code[1:]), "67 digits", "expected a number of 68 digits")


# What we print, and read.


@pytest.mark.parametrize("slug", ["klondike-draw1", "klondike-draw3", "spider-4", "spider-1"])
def test_what_is_printed_is_read(slug: str, thoughtful: Thoughtful, tmp_path: Path) -> None:
    named = thoughtful("deal", "thoughtful-1:7", "-r", slug).out
    with standard_input(named.encode(), tmp_path):
        ran = thoughtful("deal", "-", "-r", slug, "--json")
    assert [line["id"] for line in ran.lines] == ["thoughtful-1:7"]
    table = named.partition("\n")[2]
    reached = thoughtful("replay", table, "-r", slug, "--moves", "", "--json")
    assert reached.code == 0, reached.err
    begun = package.deal("thoughtful-1:7", slug).position
    assert json.loads(reached.out)["position"] == begun.to_json()
    assert package.position(begun.text()) == begun
    # A table that says how many cards are to come, and not which: they are not known.
    assert_one_sentence(
        thoughtful("replay", str(begun), "-r", slug, "--moves", ""), "a card of this position"
    )


# The ruleset that is stated holds.


def test_a_stated_ruleset_holds(thoughtful: Thoughtful, client: ApiClient, tmp_path: Path) -> None:
    deal = package.deal("thoughtful-1:9", "klondike-draw1")
    moved = deal.position.play("T")
    place = tmp_path / "position.json"
    place.write_text(thoughtful("replay", "thoughtful-1:9", "-r", "klondike-draw1",
                                "--moves", "T", "--json").out)  # fmt: skip
    text = place.read_text()
    content = client.post("verdict", text).json()
    assert (content["rules"], content["verdict"]) == ("klondike-draw1", "winnable")
    content = client.post("moves", text).json()
    assert content["rules"] == "klondike-draw1"
    assert {each["verdict"] for each in content["moves"]} != {"unwinnable"}
    assert thoughtful("convert", str(place), "--to", "json").lines[0]["rules"] == "klondike-draw1"
    assert list(package.read(place)) == [moved]
    assert package.position(text) == moved
    assert package.position(moved.text()) == moved
    found = check.read_asked(text, "klondike-draw3")
    assert (found.position, found.rules.slug) == (moved.referee, "klondike-draw1")
    deals = tmp_path / "deals.jsonl"
    both = [deal.to_json(), package.deal("thoughtful-1:9").to_json()]
    deals.write_text("".join(f"{json.dumps(each)}\n" for each in both))
    for ran in (
        thoughtful("solve", "--input", str(deals)),
        thoughtful("solve", str(deals), "--json"),
    ):
        # Under its own ruleset the first is won; under draw 3 the same cards cannot be.
        assert [line["outcome"] for line in ran.lines] == ["won", "unwinnable"]
    assert thoughtful("replay", str(place), "--moves", "", "--json").lines[0]["position"] == (
        moved.to_json()
    )


def test_another_ruleset_beside_a_stated_one_is_refused(
    thoughtful: Thoughtful, client: ApiClient, tmp_path: Path
) -> None:
    text = json.dumps(package.deal("thoughtful-1:9", "klondike-draw1").position.to_json())
    place = tmp_path / "position.json"
    place.write_text(text)
    said = "this states the ruleset klondike-draw1, and klondike-draw3 was asked for"
    named = ("-r", "klondike-draw3")
    for arguments in (
        ("solve", "--input", str(place)),
        ("solve", "--position", str(place)),
        ("solve", text),
        ("deal", str(place)),
        ("shortest", str(place)),
        ("hint", str(place)),
        ("replay", str(place), "--moves", ""),
    ):
        assert_one_sentence(thoughtful(*arguments, *named), said)
    ran = thoughtful("convert", str(place), "--to", "json", *named)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    for call in ("verdict", "moves", "deal", "solution"):
        answer = client.post(call, text, rules="klondike-draw3")
        assert (answer.status_code, said in answer.json()["detail"]) == (400, True)
    for read in (
        lambda: package.position(text, "klondike-draw3"),
        lambda: list(package.read(place, "klondike-draw3")),
    ):
        with pytest.raises(BadInput, match=said):
            read()


def test_names_as_people_spell_them(thoughtful: Thoughtful) -> None:
    first = card_name(deal_by_id("pysolfc:5").cards[0])
    for text in ("PySolFC:5", "pysolfc #5", "pysolfc,5", '"pysolfc:5"', "pysolfc 5"):
        found = package.deal(text)
        assert (found.name, card_name(found.cards.cards[0])) == ("pysolfc:5", first)
