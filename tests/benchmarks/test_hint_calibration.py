"""Tests of the benchmark of hints: chances beside games, kept and taken up again."""

import re
from math import exp
from pathlib import Path
from random import Random

import pytest

from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from hint_calibration import fit, game_rows, read, report, rows_of
from solvers.outcome import Result
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
PLAYER = parse_solver("exact-uct(trajectories=30)")
SAMPLE = parse_sample("thoughtful-1:61000000-61000005")


def test_rows_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = rows_of(RULES, SAMPLE, PLAYER, file)
    assert [row["seed"] for row in rows] == list(SAMPLE.seeds)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [row for _, kept in read(file) for row in kept] == rows
    file.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    again = rows_of(RULES, SAMPLE, PLAYER, file)
    assert [{**row, "ms": 0} for row in again] == [{**row, "ms": 0} for row in rows]
    assert again[:3] == rows[:3]
    with pytest.raises(BadInput, match="has games of exact-uct"):
        rows_of(RULES, SAMPLE, parse_solver("exact-uct(trajectories=31)"), file)
    with pytest.raises(BadInput, match="has games of exact-uct"):
        rows_of(RULES, SAMPLE, PLAYER, file, 2)


@pytest.mark.parametrize("text", ["nothing", "{}", "[1]"])
def test_a_file_of_something_else_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    with pytest.raises(BadInput, match="cannot read"):
        list(read(file))
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="line 1: expected a game of this benchmark"):
        list(read(file))


def test_a_row_says_how_the_game_of_the_player_ended() -> None:
    game, places = game_of(RULES), {True: [0], False: [0]}
    for seed in SAMPLE.seeds:
        (outcome,) = PLAYER.solve(
            get_dealer(SAMPLE.dealer).deal(seed, game).as_array()[None], RULES
        )
        is_won = outcome.result is Result.WON
        length = len(game.unpack(outcome.moves or outcome.played or b""))
        rows = game_rows(RULES, SAMPLE, PLAYER, seed, 60)
        for row in rows:
            assert row["won"] == is_won
            assert row["chance"] is None or 0 <= row["chance"] <= 1
            assert row.get("at", 0) <= length
        # Which moves are looked at does not depend on how long the game went on.
        numbers = [row["at"] for row in rows]
        drawn = Random(f"hint {seed}").sample(range(150), 60)
        assert numbers == [number for number in drawn if number in numbers]
        assert len(numbers) > len([number for number in drawn if number <= length]) // 3
        places[is_won].append(max(numbers))
    # Of won games as of lost ones positions on the way.
    assert max(places[True]) > 0
    assert max(places[False]) > 0


def test_tables_are_those_of_a_recount(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {
            "player": "p",
            "rules": "r",
            "won": at < 3,
            "chance": 0.25,
            "certain": at == 0,
            "hidden": 7,
            "wins": 3,
            "trajectories": 10,
            "at": 30,
            "seed": at,
        }
        | {"ms": float(at)}
        for at in range(4)
    ]
    rows.append({**rows[0], "chance": 1.0, "hidden": 0, "seed": 4})
    report([*rows, {**rows[0], "chance": None, "seed": 5}])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:3] == ["6", "games", "of"]
    assert lines[0][-1] == "5"
    (low,) = [line for line in lines if line[:3] == ["0", "to", "30"]]
    assert low[3:10] == ["4", "25.0", "%", "30.0", "%", "75.0", "%"]
    assert low[-2:] == ["0.438", "1"]
    (most,) = [line for line in lines if line[:2] == ["from", "90"]]
    assert most[2:9] == ["1", "100.0", "%", "30.0", "%", "100.0", "%"]
    with pytest.raises(BadInput, match="no position"):
        report([{**rows[0], "chance": None}])


def test_the_calibration_of_shares_is_found_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Of games that are won with a chance that follows from share and hidden cards."""
    chance, rows = Random(0), []
    for seed in range(2_000):
        wins, hidden = chance.randrange(0, 401), chance.randrange(0, 22)
        share = (wins + 0.5) / 401
        odds = exp(1 - 0.1 * hidden) * (share / (1 - share)) ** 1.3
        is_won = chance.random() < odds / (1 + odds)
        rows.append(
            {
                "rules": "r",
                "dealer": "d",
                "seed": seed,
                "won": is_won,
                "chance": share,
                "wins": wins,
                "trajectories": 400,
                "certain": False,
                "hidden": hidden,
            }
        )
    fit([*rows, {**rows[0], "chance": None}, {**rows[0], "certain": True}])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2,000 positions of 2,000 games"
    offset, slope, each, plain, other = map(float, re.findall(r"-?\d+\.\d+", " ".join(lines[1:])))
    assert offset == pytest.approx(1, abs=0.3)
    assert slope == pytest.approx(1.3, abs=0.15)
    assert each == pytest.approx(-0.1, abs=0.02)
    assert other < plain - 0.01
    with pytest.raises(BadInput, match="no position"):
        fit([{**rows[0], "chance": None}])
