"""Test of the training of the learned value: games, examples, weights that load and tell."""

import json
from pathlib import Path

import numpy as np
import pytest

import seen_value
from solvers.klondike.players.seen_value import FEATURES, WEIGHTS, chance, digest, new_value


def test_games_are_played_and_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, output = tmp_path / "games.npz", tmp_path / "weights.json"
    played = ["play", str(games), "--games", "30", "--trajectories", "12", "--workers", "1"]
    assert seen_value.main(played) == 0
    with np.load(games) as data:
        features, won, seeds = data["features"], data["won"], data["seeds"]
        assert json.loads(str(data["recipe"]))["games"] == 30
    assert features.shape == (len(won), FEATURES)
    assert len(won) > 300
    assert set(seeds) <= set(range(5_000_000, 5_000_030))
    assert all(len(set(won[seeds == seed])) == 1 for seed in set(seeds))
    assert seen_value.main(["train", str(games), "--output", str(output)]) == 0
    assert "held out" in capsys.readouterr().out
    data = json.loads(output.read_text())
    assert (data["ruleset"], len(data["weights"])) == ("klondike-draw3", WEIGHTS)
    assert data["sha256"] == digest(data["weights"])
    value = new_value()
    value.weights[:] = data["weights"]
    said = []
    for row in features:
        value.features[:] = row
        said.append(chance(value))
    assert np.mean(np.array(said)[won]) > np.mean(np.array(said)[~won])


def test_wrong_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.npz").write_text("no games")
    for arguments in (
        ["train", str(tmp_path / "none.npz")],
        ["train", str(tmp_path / "text.npz")],
        ["play", str(tmp_path / "no folder" / "x.npz")],
        ["play", str(tmp_path / "x.npz"), "--rules", "spider-4"],
        ["play", str(tmp_path / "x.npz"), "--games", "0"],
    ):
        with pytest.raises(SystemExit):
            seen_value.main(arguments)
        assert len(capsys.readouterr().err.splitlines()[-1].split("error: ")) == 2
