"""Test of the training of the policy of steps: games, examples, weights that load and tell."""

import json
from pathlib import Path

import numpy as np
import pytest

import step_policy
from solvers.klondike.players.step_policy import FEATURES, WEIGHTS, logit, new_policy, read_weights


def test_games_are_played_and_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, more, output = (tmp_path / name for name in ("games.npz", "more.npz", "weights.json"))
    how = ["--games", "30", "--trajectories", "30", "--nodes", "30", "--workers", "1"]
    assert step_policy.main(["play", str(games), *how]) == 0
    with np.load(games) as data:
        features, shares, decisions = data["features"], data["shares"], data["decisions"]
        seeds, recipe = data["seeds"], json.loads(str(data["recipe"]))
    assert (recipe["games"], recipe["policy"]) == (30, None)
    assert features.shape == (len(shares), FEATURES)
    assert decisions[-1] > 300
    assert set(np.diff(decisions)) == {0, 1}
    assert set(seeds) <= set(range(5_100_000, 5_100_030))
    assert all(np.bincount(decisions) > 1)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert step_policy.main(["train", str(games), "--output", str(output)]) == 0
    assert "held out" in capsys.readouterr().out
    data = json.loads(output.read_text())
    assert (data["ruleset"], len(data["weights"])) == ("klondike-draw3", WEIGHTS)
    policy = new_policy()
    policy.weights[:] = read_weights(output.read_text())
    said = np.zeros(len(features))
    for number, row in enumerate(features):
        policy.features[:] = row
        said[number] = logit(policy)
    # The steps that it rates highest are better than the mean step.
    starts = np.flatnonzero(np.diff(decisions, prepend=-1))
    parts = zip(np.split(said, starts[1:]), np.split(shares, starts[1:]), strict=True)
    gains = [won[each.argmax()] - won.mean() for each, won in parts]
    assert np.mean(gains) > 0.01
    # What was learned plays the next games, and both are learned from together.
    assert step_policy.main(["play", str(more), "--policy", str(output), *how]) == 0
    assert step_policy.main(["train", str(games), str(more), "--output", str(output)]) == 0
    learned = json.loads(output.read_text())
    assert [each["policy"] for each in learned["games"]] == [None, data["sha256"]]
    assert learned["sha256"] != data["sha256"]


def test_wrong_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.npz"
    text.write_text("no games")
    for arguments in (
        ["train", str(tmp_path / "none.npz")],
        ["train", str(text)],
        ["play", str(tmp_path / "no folder" / "x.npz")],
        ["play", str(tmp_path / "x.npz"), "--rules", "spider-4"],
        ["play", str(tmp_path / "x.npz"), "--games", "0"],
        ["play", str(tmp_path / "x.npz"), "--policy", str(text)],
        ["play", str(tmp_path / "x.npz"), str(tmp_path / "y.npz")],
        ["play", str(tmp_path / "x")],
    ):
        with pytest.raises(SystemExit):
            step_policy.main(arguments)
        assert len(capsys.readouterr().err.splitlines()[-1].split("error: ")) == 2
