"""Tests of `thoughtful job`, and of what jobs leave: bounds, exports, verifications."""

import io
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from catalogue import statistics
from command_line import Thoughtful, assert_one_sentence
from patience import SECONDS


def test_jobs_are_submitted_listed_and_cancelled(thoughtful: Thoughtful) -> None:
    empty = thoughtful("job", "list", "--json")
    assert (empty.code, empty.out) == (0, "")
    command = ("job", "submit", "thoughtful-1:0-9", "--solver", "dead-end", "--solver", "exact")
    submitted = thoughtful(*command, "--json").lines[0]
    assert submitted["sample"] == "thoughtful-1:0-9"
    assert submitted["state"] == "queued"
    assert submitted["total"] == 20
    assert thoughtful(*command, "--json").lines == [submitted]
    assert thoughtful("job", "list", "--json").lines == [submitted]
    assert thoughtful("job", "show", "1", "--json").lines == [submitted]
    assert {"1", "outcomes", "queued"} <= set(thoughtful("job", "list").out.split())
    assert thoughtful("job", "cancel", "1", "--json").lines[0]["state"] == "cancelled"
    assert "cancelled" in thoughtful("job", "show", "1").out


def test_jobs_are_steered(thoughtful: Thoughtful) -> None:
    thoughtful("job", "submit", "thoughtful-1:0-9", "-s", "dead-end", "--priority", "3")
    for command, state in (
        (("pause", "1"), "paused"),
        (("resume", "1"), "queued"),
        (("cancel", "1"), "cancelled"),
        (("retry", "1"), "queued"),
    ):
        assert thoughtful("job", *command, "--json").lines[0]["state"] == state
    assert thoughtful("job", "priority", "1", "7", "--json").lines[0]["priority"] == 7
    assert_one_sentence(thoughtful("job", "retry", "1"), "nothing of job 1 has failed")
    assert_one_sentence(thoughtful("job", "priority", "1", "5000"), "priority 5000")
    rules = ("--until-width", "0.5", "--until-cpu-hours", "2", "--until-deals", "5")
    kept = ("--keep", "verdicts", *rules)
    job = thoughtful("job", "submit", "thoughtful-1:0-9", *kept, "--json").lines[0]
    assert job["keep"] == "verdicts"
    assert job["until"] == {"width": 0.5, "cpu_hours": 2.0, "deals": 5}
    assert "narrower than 0.5 points, until 2 CPU hours" in thoughtful("job", "show", "2").out
    for wrong, words in (
        (("--keep", "nothing"), "'nothing' cannot be kept"),
        (("--until-width", "0"), "cannot stop at width 0"),
        (("--until-deals", "-1"), "cannot stop at deals -1"),
    ):
        assert_one_sentence(thoughtful("job", "submit", "thoughtful-1:0-9", *wrong), words)


def test_bounds_of_a_job_that_stops_by_its_width_say_so(thoughtful: Thoughtful) -> None:
    """A size that is chosen by looking at the interval has no fixed-sample interval."""
    remark = "No fixed-sample interval holds: the job stops by the width of its interval."
    samples = {"thoughtful-1:0-9": (), "thoughtful-1:20-29": ("--until-width", "0.5")}
    for sample, until in samples.items():
        thoughtful("job", "submit", sample, "-s", "exact(nodes=5000)", *until)
    assert thoughtful("runner", "--workers", "1").code == 0
    for sample, until in samples.items():
        said = thoughtful("bounds", "--sample", sample).out
        assert "10 of 10 attempted" in said
        assert (remark in said) == bool(until)
        assert ("Clopper-Pearson" in said) == (not until)


def test_the_only_solver_of_a_method_is_compared(thoughtful: Thoughtful) -> None:
    for solver in ("dead-end", "exact(nodes=200)"):
        assert thoughtful("solve", "thoughtful-1:0-2", "--store", "-s", solver).code == 0
    sample = ("--sample", "thoughtful-1:0-2")
    (answer,) = thoughtful("compare", "exact", "dead-end", *sample, "--json").lines
    assert (answer["first"].split(",")[0], answer["deals"]) == ("exact(nodes=200", 3)
    wrong = ("compare", "exact(nodes=9)", "dead-end")
    assert_one_sentence(thoughtful(*wrong), "no outcome of solver exact(nodes=9), but of exact(nod")
    assert thoughtful("solve", "thoughtful-1:0", "--store", "-s", "exact(nodes=300)").code == 0
    ran = thoughtful("compare", "exact", "dead-end")
    assert_one_sentence(
        ran, "no outcome of solver exact, but of exact(nodes=200", "exact(nodes=300"
    )
    assert_one_sentence(thoughtful("compare", "uct", "dead-end"), "no outcome of solver uct")


def test_large_jobs_are_submitted_after_a_question_only(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is there to answer, so the sentence says how to do without."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    large = ("job", "submit", "thoughtful-1:0-9999999999999", "--solver", "dead-end")
    refused = thoughtful(*large)
    assert_one_sentence(refused, "10,000,000,000,000 deals", "--yes")
    assert thoughtful("job", "list", "--json").out == ""
    # Few deals of it are solved; and a rule that stops it early makes it small.
    assert thoughtful(*large, "--until-deals", "1000").code == 0
    assert thoughtful(*large, "--yes").code == 0


@pytest.mark.slow
def test_a_dry_run_submits_nothing(thoughtful: Thoughtful) -> None:
    sample = ("thoughtful-1:0-999999", "--solver", "dead-end")
    cost = thoughtful("job", "submit", *sample, "--dry-run", "--json").lines[0]
    assert (cost["outcomes"], cost["deals"]) == (1_000_000, 1_000_000)
    assert 0 < cost["cpu_seconds"] < 10_000
    assert cost["bytes"] > 10_000_000
    assert cost["source"] == "deals drawn at random and solved just now"
    assert cost["cpu_low"] < cost["cpu_seconds"] < cost["cpu_high"]
    assert 4 <= cost["sampled"] <= 2_048
    answer = thoughtful("job", "submit", *sample, "--dry-run", "--keep", "verdicts")
    assert "3.0 MB" in answer.out
    few = thoughtful("job", "submit", *sample, "--until-deals", "9", "--dry-run", "--json").lines[0]
    assert (few["deals"], few["sampled"]) == (9, 9)  # only deals of the job are drawn
    assert thoughtful("job", "list", "--json").out == ""


@pytest.mark.slow
def test_deals_of_no_job_have_bounds_by_their_sample(thoughtful: Thoughtful) -> None:
    assert "nothing has been attempted yet" in thoughtful("bounds").err
    thoughtful("solve", "thoughtful-1:5-14", "--solver", "dead-end", "--store")
    thoughtful("solve", "thoughtful-1:70000", "--solver", "dead-end", "--store")
    answer = thoughtful("bounds")
    command = "thoughtful bounds --rules klondike-draw3 --sample thoughtful-1:5-14"
    assert answer.out == ""
    assert "10 deals were attempted otherwise" in answer.err
    assert command in answer.err
    assert thoughtful(*command.split()[1:], "--json").lines[0]["n"] == 10


@pytest.mark.slow
def test_a_job_runs_and_its_bound_is_printed_and_exported(thoughtful: Thoughtful) -> None:
    thoughtful("job", "submit", "thoughtful-1:0-59", "-s", "dead-end", "-s", "exact(nodes=20000)")
    ended = subprocess.run(
        [sys.executable, "-m", "thoughtful", "runner", "--workers", "1"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "job 1: done" in ended.stderr
    assert thoughtful("job", "show", "1", "--json").lines[0]["done"] == 120

    asked = ("compare", "exact(nodes=20000)", "dead-end")
    (compared,) = thoughtful(*asked, "--json").lines
    wins = thoughtful("bounds", "--json").lines[0]["winnable"]
    assert (compared["deals"], compared["only_first"], compared["both"]) == (60, wins, 0)
    assert (compared["only_second"], compared["neither"]) == (0, 60 - int(str(wins)))
    text = thoughtful(*asked).out
    assert f"only A won {wins}, only B won 0" in text
    assert max(map(len, text.splitlines())) <= 80
    assert thoughtful("compare", "exact", "dead-end").out == text

    (bound,) = thoughtful("bounds", "--json").lines
    assert (bound["ruleset"], bound["sample"]) == ("klondike-draw3", "thoughtful-1:0-59")
    n, winnable, unwinnable = 60, int(str(bound["winnable"])), int(str(bound["unwinnable"]))
    assert bound["n"] == n
    assert bound["unresolved"] == n - winnable - unwinnable
    assert bound["lower"] == winnable / n
    assert bound["upper"] == 1 - unwinnable / n
    kinds = [(kind["method"], kind["level"]) for kind in bound["intervals"]]
    assert kinds == [(method, level) for method in statistics.METHODS for level in (0.95, 0.99)]
    for kind in bound["intervals"]:
        low = statistics.interval(winnable, n, kind["level"], kind["method"])
        high = statistics.interval(n - unwinnable, n, kind["level"], kind["method"])
        assert kind["lower"] == [low.low, low.high]
        assert kind["upper"] == [high.low, high.high]
        assert kind["span"] == [low.low, high.high]
    published = {figure["system"]: figure for figure in bound["published"]}
    assert any(figure["percent"] == 81.945 for figure in published.values())
    assert all(figure["agrees_at_99"] is True for figure in published.values())

    part = thoughtful("bounds", "--sample", "thoughtful-1:0-29", "--json").lines[0]
    assert part["n"] == 30
    text = thoughtful("bounds").out
    assert f"lower bound {100 * winnable / n:6.2f} %" in text
    assert "81.945 % ± 0.084 (95 %)" in text
    # How little so few deals can tell.
    would = published["Solvitaire"]["agreeing_at_99"]
    assert would[0] < 0.75 < bound["lower"] <= bound["upper"] < would[1]
    assert f"any figure from {100 * would[0]:.2f} to {100 * would[1]:.2f} % would agree" in text

    for form in ("parquet", "csv", "jsonl"):
        written = thoughtful("export", f"as-{form}", "--format", form, "--json").lines[0]
        assert written["rows"]["deals"] == 60
        assert written["rows"]["outcomes"] == 120
        assert Path(f"as-{form}", f"deals.{form}").is_file()
        assert Path(f"as-{form}", "README.md").is_file()
    assert_one_sentence(thoughtful("export", "as-csv"), "as-csv is in use, by README.md")
    some = thoughtful(
        "export", "won", "--status", "winnable", "--rules", "klondike-draw3", "--json"
    )
    assert some.lines[0]["rows"]["deals"] == winnable


@pytest.mark.slow
def test_verify_finds_a_count_that_somebody_changed(thoughtful: Thoughtful, tmp_path: Path) -> None:
    thoughtful("solve", "thoughtful-1:2-4", "--store")
    good = thoughtful("verify", "--share", "1", "--json")
    assert good.code == 0
    assert good.lines[0]["faults"] == []
    with sqlite3.connect(tmp_path / "catalogue.db") as connection:
        connection.execute("UPDATE status_block SET winnable = winnable + 1")
    connection.close()
    bad = thoughtful("verify", "--json")
    assert bad.code == 1
    assert [fault["kind"] for fault in bad.lines[0]["faults"]] == ["status block"]
    again = thoughtful("verify", "--seed", "7")
    assert again.code == 1
    last = thoughtful("verify", "--last")
    assert (last.code, last.out) == (0, again.out)
    assert "random seed of the selection: 7" in last.out
    assert_one_sentence(thoughtful("verify", "--resume"), "the last verification is done")


@pytest.mark.slow
@pytest.mark.usefixtures("jobs_here")
def test_a_job_that_infers_says_of_how_many_deals(thoughtful: Thoughtful) -> None:
    thoughtful("job", "submit", "thoughtful-1:0-99", "-r", "klondike-draw1", "-s", "dead-end")
    assert thoughtful("runner", "--workers", "1").code == 0
    asked = ("job", "submit", "thoughtful-1:0-99", "-s", "dead-end", "--infer")
    answer = thoughtful(*asked, "--dry-run")
    assert "missing    94 outcomes on 100 deals" in answer.out
    assert "inferred   6 of the deals" in answer.out
    (job,) = thoughtful(*asked, "--json").lines
    assert (job["kind"], job["inferred"], job["total"]) == ("outcomes", 0, 100)
    assert thoughtful("runner", "--workers", "1").code == 0
    assert "inferred   6 deals" in thoughtful("job", "show", str(job["id"])).out
    refused = thoughtful("job", "submit", "thoughtful-1:0-9", "-s", "greedy", "--infer")
    assert (refused.code, refused.out) == (2, "")
    assert "greedy is a player" in refused.err
