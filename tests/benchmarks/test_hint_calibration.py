"""Tests of the benchmark of hints: chances beside games, kept and taken up again."""

import json
from pathlib import Path

import pytest

from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from hint_calibration import report, row_of, rows_of
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
    assert [json.loads(line) for line in lines] == rows
    file.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    again = rows_of(RULES, SAMPLE, PLAYER, file)
    assert [{**row, "ms": 0} for row in again] == [{**row, "ms": 0} for row in rows]
    assert again[:3] == rows[:3]
    with pytest.raises(BadInput, match="has rows of exact-uct"):
        rows_of(RULES, SAMPLE, parse_solver("exact-uct(trajectories=31)"), file)


def test_a_row_says_how_the_game_of_the_player_ended() -> None:
    game, places = game_of(RULES), {True: [0], False: [0]}
    for seed in SAMPLE.seeds:
        row = row_of(RULES, SAMPLE, PLAYER, seed)
        (outcome,) = PLAYER.solve(
            get_dealer(SAMPLE.dealer).deal(seed, game).as_array()[None], RULES
        )
        assert row["won"] == (outcome.result is Result.WON)
        assert row["chance"] is None or 0 <= row["chance"] <= 1
        places[row["won"]].append(row.get("at", 0))
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
        }
        | {"ms": float(at)}
        for at in range(4)
    ]
    rows.append({**rows[0], "chance": 1.0, "hidden": 0})
    report([*rows, {**rows[0], "chance": None}])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:3] == ["6", "games", "of"]
    assert lines[0][-1] == "5"
    (low,) = [line for line in lines if line[:3] == ["0", "to", "30"]]
    assert low[3:8] == ["4", "25.0", "%", "75.0", "%"]
    assert low[-2:] == ["0.438", "1"]
    (most,) = [line for line in lines if line[:2] == ["from", "90"]]
    assert most[2:7] == ["1", "100.0", "%", "100.0", "%"]
    with pytest.raises(BadInput, match="no position"):
        report([{**rows[0], "chance": None}])
