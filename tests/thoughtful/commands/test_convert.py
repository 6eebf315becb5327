"""Tests of `thoughtful convert`, and of deals of any format as arguments of other commands."""

import json
from pathlib import Path

import pytest

from catalogue.reading.deal_detail import deal_detail
from catalogue.store import open_catalogue
from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from engine.formats import get_format
from engine.games import game_of
from engine.notations import OWN, read_moves
from engine.replay import replay
from engine.rulesets import parse_ruleset
from random_play import played_at_random

FORMS = ("json", "klondike-solver", "microsoft", "minimal-klondike", "pysolfc", "solvitaire")
DEALS = [deal_by_id(f"thoughtful-1:{seed}") for seed in range(12)]
DIGITS = [get_format("klondike-solver").write(deal) for deal in DEALS]


@pytest.mark.parametrize("form", [*FORMS, "text", "csv"])
@pytest.mark.parametrize("answer", [False, True])
def test_every_format_is_written_and_read_again(
    form: str, answer: bool, thoughtful: Thoughtful
) -> None:
    Path("deals.txt").write_text("\n".join(DIGITS))
    assert thoughtful("convert", "deals.txt", "--to", form, "-o", "other").code == 0
    source = ("--from", form) if answer else ()
    ran = thoughtful("convert", "other", *source, "--to", "klondike-solver")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == DIGITS


@pytest.mark.parametrize("slug", ["klondike-draw3", "klondike-vegas", "spider-1", "spider-4"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_positions_in_mid_game(slug: str, form: str, thoughtful: Thoughtful) -> None:
    played = [played_at_random(slug, seed, 3 + 7 * seed) for seed in range(12)]
    Path("in.jsonl").write_text("\n".join(json.dumps(each.to_json()) for each in played))
    rules = ("--rules", slug)
    assert thoughtful("convert", "in.jsonl", "--to", form, "-o", "other", *rules).code == 0
    ran = thoughtful("convert", "other", "--to", "json", *rules)
    read = [game_of(each.rules).position_from_json(line, each.rules) for each, line in
            zip(played, ran.lines, strict=True)]  # fmt: skip
    assert read == played


def test_what_a_format_cannot_hold_is_left_out_and_said(thoughtful: Thoughtful) -> None:
    position = played_at_random("klondike-draw3", 5, 20)
    text = f"{DIGITS[0]}\n{json.dumps(position.to_json())}\nnonsense here\nthoughtful-1:3\n"
    Path("in.txt").write_text(text)
    ran = thoughtful("convert", "in.txt", "--to", "solvitaire")
    assert ran.code == 2
    assert len(ran.out.splitlines()) == 2
    assert "line 2: the format solvitaire holds starting deals" in ran.err
    assert "line 3: 'nonsense here' is neither a deal" in ran.err
    assert thoughtful("convert", "in.txt", "--to", "solvitaire", "--skip-bad").code == 0
    ran = thoughtful("convert", "in.txt", "--to", "name", "--skip-bad")
    assert ran.out == "thoughtful-1:3\n"
    assert "line 1: this deal has no name" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "deals", "notation"),
    [
        (slug, deals, notation)
        for slug, deals in (("klondike-draw3", "thoughtful-1:2-5"), ("freecell", "microsoft:2-5"))
        for notation in (OWN, *(each.slug for each in game_of(parse_ruleset(slug)).notations))
    ],
)
def test_solutions_go_through_every_notation(
    slug: str, deals: str, notation: str, thoughtful: Thoughtful
) -> None:
    rules = ("--rules", slug)
    solved = thoughtful("solve", deals, *rules, "--json", "--notation", notation)
    Path("solved.jsonl").write_text(solved.out)
    to = ("--to", "json", "--notation", notation)
    ran = thoughtful("convert", "solved.jsonl", *rules, *to, "-o", "other.jsonl")
    assert (ran.code, ran.err) == (0, "")
    again = thoughtful("convert", "other.jsonl", *rules, "--to", "json").lines
    for line in solved.lines + again:
        if line["outcome"] == "won":
            assert all(isinstance(move, str) for move in line["moves"])
            assert len(line["moves"]) > 52
    for line in again:
        if line["outcome"] == "won":
            game = game_of(parse_ruleset(slug))
            start = game.start(deal_by_id(line["id"], game), parse_ruleset(slug))
            assert replay(start, read_moves(" ".join(line["moves"]), start)).is_won
    won = next(line for line in solved.lines if line["outcome"] == "won")
    moves = "\n".join(won["moves"])
    ran = thoughtful("replay", won["id"], *rules, "--from", notation, "--moves", moves)
    assert ran.out.splitlines()[-1].endswith(f"all legal under {slug}: won")
    ran = thoughtful("replay", won["id"], *rules, "--moves", moves, "--to", notation, "--json")
    assert (ran.lines[0]["played"], ran.lines[0]["notation"]) == (won["moves"], notation)
    Path("won.json").write_text(json.dumps(won))
    assert thoughtful("replay", "won.json", *rules).out.splitlines()[-1].endswith(": won")


@pytest.mark.slow
def test_solve_and_deal_take_deals_of_any_format(thoughtful: Thoughtful) -> None:
    wanted = thoughtful("solve", "thoughtful-1:3", "--json").lines[0] | {"id": 1, "cpu_ms": 0}
    for form in FORMS:
        text = get_format(form).write(DEALS[3])
        Path("deal.txt").write_text(text)
        for arguments in ((text,), ("deal.txt",), ("@deal.txt",), (text, "--from", form)):
            ran = thoughtful("solve", *arguments, "--json")
            assert ran.lines == [wanted | {"cpu_ms": ran.lines[0]["cpu_ms"]}]
        ran = thoughtful("solve", "--input", "deal.txt")
        assert ran.lines == [wanted | {"cpu_ms": ran.lines[0]["cpu_ms"]}]
        ran = thoughtful("deal", "deal.txt", "--format", "klondike-solver")
        assert ran.out == DIGITS[3] + "\n"
    ran = thoughtful("deal", "11982", "--from", "greenfelt")
    assert ran.out == thoughtful("deal", "greenfelt:11982").out


@pytest.mark.slow
def test_imported_deals_are_solved_and_stored(thoughtful: Thoughtful) -> None:
    Path("deal.txt").write_text(DIGITS[3])
    assert thoughtful("import", "deal.txt").code == 0
    ran = thoughtful("solve", DEALS[3].digest, "--store")
    assert ran.err == "outcomes added to the catalogue: 1\n"
    assert thoughtful("solve", "deal.txt", "--store").err.endswith(": 0\n")
    with open_catalogue() as catalogue:
        (outcome,) = deal_detail(catalogue, DEALS[3].digest).outcomes
    assert outcome.result == "won"
    assert thoughtful("replay", "deal.txt").out.splitlines()[-1].endswith(": won")
    assert thoughtful("verify", "--share", "1").code == 0


@pytest.mark.slow
def test_what_replay_prints_is_accepted_as_it_is(thoughtful: Thoughtful) -> None:
    shown = thoughtful("replay", "thoughtful-1:3", "--moves", "T T", "--json").out
    Path("reached.json").write_text(shown)
    position = json.loads(shown)["position"]
    went_on = thoughtful("replay", "reached.json", "--moves", "T", "--json").lines[0]
    assert len(went_on["position"]["stock"]) == len(position["stock"]) - 3
    assert thoughtful("solve", "--position", "reached.json").out.startswith("reached.json under")
    text = thoughtful("convert", "reached.json", "--to", "text").out
    Path("reached.txt").write_text(text)
    again = thoughtful("replay", "@reached.txt", "--moves", "T", "--json").lines[0]
    assert again["position"] == went_on["position"]


WRONG = [
    (("convert", "x"), ["missing option", "--to"]),
    (("convert", "x", "--to", "xls"), ["unknown format 'xls'", "microsoft"]),
    (("convert", "x", "--to", "solvitaire", "-r", "spider-1"), ["does not support Spider"]),
    (("convert", "x", "--to", "json", "--from", "xls"), ["unknown format 'xls'"]),
    (("convert", "x", "--to", "pysolfc", "--notation", "pysolfc"), ["holds no moves"]),
    (("convert", "x", "--to", "json", "--notation", "morse"), ["unknown notation 'morse'"]),
    (("convert", "missing", "--to", "json"), ["cannot read missing"]),
    (("convert", "two", "--to", "json", "-o", "two"), ["cannot write two: it is the input file"]),
    (("solve", "two", "--position", "two"), ["needs one of these"]),
    (("solve", "@missing"), ["cannot read missing"]),
    (("solve", "bad"), ["bad, line 2: 'nonsense here' is neither a deal"]),
    (("solve", "--input", "bad"), ["bad, line 2: 'nonsense here' is neither a deal"]),
    (("deal", "reached"), ["a position in mid-game, and a starting deal is expected"]),
    (("solve", "thoughtful-1:2", "--notation", "morse"), ["unknown notation 'morse'"]),
    (("solve", "thoughtful-1:2", "--from", "morse"), ["unknown format 'morse'"]),
    (("solve", "hello there"), ["'hello there' is neither a deal nor a position"]),
    (("solve", "012"), ["it has 1 cards of 52"]),
    (("replay", "two", "--moves", "T"), ["two holds more than one entry", "line 2"]),
    (("replay", "empty", "--moves", "T"), ["empty holds no deal"]),
    (("replay", "thoughtful-1:2", "-m", "T", "--from", "xls"), ["unknown format 'xls'"]),
    (("replay", "thoughtful-1:2", "-m", "AC"), ["move 1, WF", "the waste is empty"]),
    (("replay", "reached"), ["replay from a position needs --moves or --file"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_input(arguments: tuple[str, ...], said: list[str], thoughtful: Thoughtful) -> None:
    Path("two").write_text("\n".join(DIGITS[:2]))
    Path("bad").write_text(f"{DIGITS[0]}\nnonsense here\n")
    Path("empty").write_text("# nothing\n")
    Path("reached").write_text(json.dumps(played_at_random("klondike-draw3", 5, 20).to_json()))
    assert_one_sentence(thoughtful(*arguments), *said)
