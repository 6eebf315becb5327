"""Tests of `thoughtful hint`: verdicts with all cards known, and chances with unknown ones."""

from pathlib import Path

import pytest

from command_line import Thoughtful, assert_one_sentence
from engine.dealing.dealers import deal_by_id
from engine.games import get_game
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable
from solvers.solver import parse_solver
from thoughtful import command_line

KLONDIKE = get_game("klondike")
DRAW3 = parse_ruleset("klondike-draw3")
START = KLONDIKE.start(deal_by_id("thoughtful-1:42"), DRAW3)


def nearly_won() -> str:
    """The text of a position on the way to a win, of which four cards lie face down."""
    moves = parse_solver("exact").solve_position(START).moves
    assert moves is not None
    position = START
    for move in KLONDIKE.unpack(moves):
        if sum(map(len, position.down)) <= 4:
            break
        position = position.play(move)
    assert KLONDIKE.write_seen is not None
    return KLONDIKE.write_seen(position.observation())


LATE = nearly_won()


@pytest.fixture
def quick() -> str:
    return "exact-uct(trajectories=2, nodes=50)"


def test_verdicts_beside_moves_are_those_of_a_reference(thoughtful: Thoughtful) -> None:
    (answer,) = thoughtful("hint", "thoughtful-1:42", "--seconds", "20", "--json").lines
    assert (answer["id"], answer["verdict"], answer["complete"]) == (
        "thoughtful-1:42",
        "winnable",
        True,
    )
    reference = parse_solver("exact-plain(nodes=1000000)")
    assert sorted(move["move"] for move in answer["moves"]) == sorted(map(str, START.legal_moves()))
    order = ["winnable", "undecided", "unwinnable"]
    places = [order.index(move["verdict"]) for move in answer["moves"]]
    assert places == sorted(places)
    for move in answer["moves"]:
        after = START.play(KLONDIKE.parse_move(move["move"]))
        verdict = {"won": "winnable", "unwinnable": "unwinnable"}
        found = reference.solve_position(after).result
        assert move["verdict"] == verdict.get(found, move["verdict"])


def test_safe_moves_are_in_the_notation_asked_for(thoughtful: Thoughtful) -> None:
    asked = ("hint", "thoughtful-1:92", "--rules", "klondike-draw1", "--seconds", "5")
    (own,) = thoughtful(*asked, "--json").lines
    assert own["safe"] == ["3F", "3F", "6F"]
    asked = (*asked, "--notation", "klondike-solver")
    (answer,) = thoughtful(*asked, "--json").lines
    assert answer["safe"] == ["3H F3", "3H F3", "6S F6"]
    assert "Safe, in this order: 3H F3, 3H F3, 6S F6" in thoughtful(*asked).out


def test_a_position_in_any_form_and_moves_from_it(thoughtful: Thoughtful) -> None:
    after = START.play(KLONDIKE.parse_move("51"))
    Path("p.txt").write_text(KLONDIKE.write_table(after) if KLONDIKE.write_table else "")
    replayed = thoughtful("replay", "thoughtful-1:42", "--moves", "51", "--json").out
    Path("p.json").write_text(replayed)
    listed = []
    for arguments in (
        ("thoughtful-1:42", "--moves", "51"),
        ("p.txt",),
        ("--file", "p.json"),
        (KLONDIKE.write_table(after) if KLONDIKE.write_table else "",),
    ):
        (answer,) = thoughtful("hint", *arguments, "--seconds", "20", "--json").lines
        listed.append([(move["move"], move["verdict"]) for move in answer["moves"]])
    assert all(each == listed[0] for each in listed)
    assert "keeps the win" in thoughtful("hint", "p.txt", "--seconds", "20").out


def test_chances_come_from_games_that_the_seed_repeats(thoughtful: Thoughtful, quick: str) -> None:
    Path("late.txt").write_text(LATE)
    asked = ("hint", "late.txt", "--player", quick, "--samples", "6", "--seconds", "60", "--json")
    (answer,) = thoughtful(*asked).lines
    assert answer["player"].startswith("exact-uct(trajectories=2")
    assert answer["moves"]
    for move in answer["moves"]:
        low, high = move["interval"]
        assert 0 <= low <= move["chance"] <= high <= 1
        assert move["chance"] == move["wins"] / move["games"]
        assert move["games"] <= 6
        assert move["play"][0] == move["move"]
    assert thoughtful(*asked).lines == [answer]
    out = thoughtful(*asked[:-1]).out
    assert LATE in out
    assert "intervals of 95%" in out


def test_hidden_tells_nothing_of_the_face_down_cards(thoughtful: Thoughtful, quick: str) -> None:
    """A deal that looks the same gets the same answer."""
    down = [list(column) for column in START.to_json()["down"]]
    down[6][0], down[5][1] = down[5][1], down[6][0]
    other = KLONDIKE.position_from_json({**START.to_json(), "down": down}, DRAW3)
    answers = []
    for position in (START, other):
        assert KLONDIKE.write_table is not None
        Path("p.txt").write_text(KLONDIKE.write_table(position))
        asked = ("p.txt", "--hidden", "--player", quick, "--samples", "2", "--seconds", "60")
        answers.append(thoughtful("hint", *asked, "--json").lines)
    assert answers[0] == answers[1]


def test_the_advice_alone_plays_no_game(thoughtful: Thoughtful) -> None:
    asked = ("hint", "thoughtful-1:42", "--hidden")
    (answer,) = thoughtful(*asked, "--samples", "0", "--json").lines
    assert all((move["games"], move["chance"]) == (0, None) for move in answer["moves"])
    advice = answer["advice"]
    assert advice["play"] == answer["moves"][0]["play"]
    adviser = capable(DRAW3, Ability.ADVISE)
    assert adviser is not None
    best = adviser.advise(START.observation(), DRAW3)[0]
    assert advice["chance"] == best.chance
    assert advice["error"] == best.error
    out = thoughtful(*asked, "--samples", "0").out
    assert f"advice: {' '.join(advice['play'])}, by policy-uct(" in out
    assert f"about {100 * advice['chance']:.0f}% of its games" in out
    assert "played on" not in out
    (answer,) = thoughtful(*asked, "--rules", "spider-4", "--samples", "0", "--json").lines
    assert answer["advice"]["chance"] is None
    assert answer["advice"]["play"] == answer["moves"][0]["play"]


def test_a_stock_that_nobody_has_seen(thoughtful: Thoughtful, quick: str) -> None:
    lines = [f"Talon: {'?? ' * 24}"]
    lines += ["?? " * count + card for count, card in enumerate(("QH", "TS", "5C", "4C", "3C"))]
    lines += ["?? " * 5 + "AH", "?? " * 6 + "AS"]
    asked = ("--player", quick, "--samples", "2", "--seconds", "60", "--json")
    (answer,) = thoughtful("hint", "\n".join(lines), *asked).lines
    assert {"6F", "7F", "T"} <= {move["move"] for move in answer["moves"]}
    out = thoughtful("hint", "\n".join(lines), "--samples", "0").out
    assert f"advice: {answer['advice']['move']}, by policy-uct(" in out


def test_spider_is_played_on_by_a_quick_player(thoughtful: Thoughtful) -> None:
    asked = ("--rules", "spider-1", "--hidden", "--samples", "2", "--seconds", "60", "--json")
    (answer,) = thoughtful("hint", "thoughtful-1:3", *asked).lines
    assert answer["player"].startswith("spider-player(width=25,")
    moves = answer["moves"]
    assert len(moves) > 1
    assert all(move["games"] in (1, 2) and 0 <= move["chance"] <= 1 for move in moves)


def test_wrong_input(thoughtful: Thoughtful) -> None:
    def refused(*arguments: str, says: str) -> None:
        assert_one_sentence(thoughtful("hint", *arguments), says)

    refused(says="hint needs either a position or deal")
    refused("thoughtful-1:42", "--seconds", "0", says="--seconds 0: expected a number above 0")
    *_, last = (word for word in LATE.split() if word[0] in "A23456789TJQK")
    refused(f"{LATE}".replace(f" {last}", f" {last} {last}", 1), says=f"twice: {last}")
    refused(LATE.replace("<??> ", "", 1), says="3 cards are ??, but 4 are not seen anywhere")
    refused(LATE.replace("<??> ", f"<{last}> ", 1), says=f"{last} lies face down and is named")
    refused(LATE.replace("Waste:", "Waste: ??"), says="the waste has ??")
    refused(LATE, "--moves", "T", says="--moves needs all cards known")
    refused(LATE, "--notation", "pysolfc", says="--notation needs all cards known")
    refused(LATE, "--player", "exact", says="is given the whole deal")
    refused(LATE, "--player", "greedy", says="greedy plays only from the start of a deal")
    refused(LATE, "--rules", "klondike-yan", says="expected one such as klondike-draw3, ")
    refused("thoughtful-1:1", "--moves", "77", says="77")
    Path("two.txt").write_text("thoughtful-1:1\nthoughtful-1:2\n")
    refused("two.txt", says="two.txt holds more than one entry: expected one")
    refused("--file", "none.txt", says="cannot read none.txt")


def test_the_ruleset_that_a_position_states_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "position.json"
    assert (
        command_line.run(["replay", "thoughtful-1:9", "-r", "klondike-draw1", "-m", "T", "--json"])
        == 0
    )
    file.write_text(capsys.readouterr().out)
    for command in (["hint", str(file)], ["replay", str(file), "-m", "T"]):
        assert command_line.run(command) == 0
        assert "under klondike-draw1" in capsys.readouterr().out
        assert command_line.run([*command, "-r", "klondike-draw3"]) == 2
        answer = capsys.readouterr().err
        assert "states the ruleset klondike-draw1, and klondike-draw3 was asked for" in answer
