"""Tests of `benchmarks/exact.py`: its figures against the solver's, and wrong input."""

import functools
import gzip
import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.rulesets import parse_ruleset
from paths import ROOT
from solvers.solver import parse_solver

VERDICTS = ROOT / "tests" / "data" / "klondike-draw3.jsonl.gz"
SOLVER = "exact(nodes=2000, memory_mib=8)"

# A checkout whose solver wins every deal in ten nodes, or calls all unwinnable without its rule.
LYING_SOLVER = """
from solvers.outcome import Outcome, Result
from solvers.method import Method

RULES = {"honesty": 1, "nothing": 2}


def solve(deals, rules, values, off=0):
    if off & 1:
        return [Outcome(Result.UNWINNABLE, 10, 1.0) for _ in deals]
    return [Outcome(Result.WON, 10, 1.0, b"") for _ in deals]


METHOD = Method(
    slug="exact", version=7, summary="Lies.", game="klondike", sees="deal", source=None,
    parameters=(), rulesets="every ruleset", plays=lambda rules: True, chunk=1, solve=solve,
)
"""

Run = Callable[..., int]


@pytest.fixture
def benchmark() -> Any:
    """The module."""
    return importlib.import_module("exact")


@pytest.fixture
def run(benchmark: Any) -> Run:
    """Run the command in this process; its exit code."""
    return lambda *arguments: benchmark.main([str(argument) for argument in arguments])


@pytest.fixture
def twenty(tmp_path: Path) -> Path:
    """The first twenty deals with known verdicts, as a file that is not gzipped."""
    lines = gzip.decompress(VERDICTS.read_bytes()).decode().splitlines(keepends=True)
    path = tmp_path / "twenty.jsonl"
    path.write_text("".join(lines[:20]), encoding="ascii")
    return path


@pytest.fixture
def lying_checkout(tmp_path: Path) -> Path:
    """A folder like a checkout of this repository, with `LYING_SOLVER` in it."""
    root = tmp_path / "checkout"
    (root / "solvers").mkdir(parents=True)
    for path in (ROOT / "solvers").glob("*.py"):
        shutil.copy(path, root / "solvers")
    family = root / "solvers" / "klondike" / "exact"
    family.mkdir(parents=True)
    for folder in (family, family.parent):
        (folder / "__init__.py").touch()
    (family / "method.py").write_text(LYING_SOLVER, encoding="ascii")
    return root


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_the_command_prints_what_the_solver_does(twenty: Path, tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    ended = subprocess.run(
        [
            sys.executable, "benchmarks/exact.py", "--file", str(twenty), "--solver", SOLVER,
            "--json", str(target),
        ],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    figures = json.loads(target.read_text(encoding="utf-8"))

    rows = rows_of(twenty)
    deals = np.array([KlondikeDeal.from_json(row).cards for row in rows], dtype=np.uint8)
    outcomes = parse_solver(SOLVER).solve(deals, parse_ruleset("klondike-draw3"))
    assert figures["deals"]["result"] == [outcome.result.value for outcome in outcomes]
    assert figures["deals"]["nodes"] == [outcome.nodes for outcome in outcomes]
    decided = [
        (outcome.nodes, row["reference_nodes"])
        for outcome, row in zip(outcomes, rows, strict=True)
        if outcome.result in ("won", "unwinnable")
    ]
    assert 0 < len(decided) < 20
    ours, theirs = np.array(decided).T
    beside = figures["beside_reference_nodes"]["all"]
    assert beside["of_totals"] == pytest.approx(ours.sum() / theirs.sum())
    assert beside["geometric_mean"] == pytest.approx(np.prod(ours / theirs) ** (1 / len(ours)))

    of_all = figures["groups"]["all"]
    times = figures["deals"]["cpu_ms"]
    assert of_all["mean_ms"] == pytest.approx(np.mean(times), abs=1e-3)
    assert of_all["mean_ms_interval"][0] <= of_all["mean_ms"] <= of_all["mean_ms_interval"][1]
    groups = [name for name in figures["groups"] if name != "all"]
    assert sum(figures["groups"][name]["deals"] for name in groups) == 20
    memory = figures["memory_mib"]
    assert 10 < memory["before_solving"] < memory["first_verdict"] <= memory["most"] < 2000

    assert f"decided  {len(decided)} of 20," in ended.stdout
    assert f"verdicts compared  {len(decided)}, differing 0" in ended.stdout
    for word in ("CPU ms a deal", "nodes a CPU second", "reference_nodes", "MiB at most"):
        assert word in ended.stdout


@pytest.mark.thorough
def test_a_sample_and_another_solver(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    sample = ("--sample", "thoughtful-1:0-19", "--rules", "klondike-yan")
    assert run(*sample, "--solver", "exact-plain", "--nodes", 200) == 0
    out = capsys.readouterr().out
    assert "thoughtful-1:0-19 under klondike-yan, exact-plain(nodes=200," in out
    deals = get_dealer("thoughtful-1").deal_block(0, 20)
    outcomes = parse_solver("exact-plain(nodes=200)").solve(deals, parse_ruleset("klondike-yan"))
    decided = sum(outcome.result in ("won", "unwinnable") for outcome in outcomes)
    assert f"decided  {decided} of 20," in out


def test_verdicts_alone_are_those_of_solutions(
    run: Run, twenty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for alone in ((), ("--alone",)):
        target = tmp_path / "figures.json"
        assert run("--file", twenty, "--solver", SOLVER, "--json", target, *alone) == 0
        found.append(json.loads(target.read_text(encoding="utf-8"))["deals"])
    whole, verdicts = found
    assert (whole["result"], whole["nodes"]) == (verdicts["result"], verdicts["nodes"])
    assert max(whole["length"]) > 50
    assert set(verdicts["length"]) == {-1}
    assert "version 11, verdicts alone\n" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_verdict_that_differs_is_named(
    run: Run, twenty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(twenty)
    rows[0]["verdict"] = "unwinnable"
    twenty.write_text("\n".join(json.dumps(row) for row in rows), encoding="ascii")
    assert run("--file", twenty, "--solver", SOLVER) == 1
    assert "differing 1\ndeal 0: winnable, known unwinnable\n" in capsys.readouterr().out
    assert run("--ablate", "--verdicts", twenty, "--solver", SOLVER) == 1
    assert "all on: deal 0: winnable, known unwinnable\n" in capsys.readouterr().out


@pytest.mark.thorough
def test_one_worker_and_two(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "two.json"
    sample = ("--sample", "thoughtful-1:0-9", "--solver", SOLVER)
    code = run("--two", *sample, "--rounds", 2, "--json", target)
    figures = json.loads(target.read_text(encoding="utf-8"))
    for name in ("processes", "threads"):
        of_kind = figures[name]
        assert of_kind["outcomes_alike"]
        assert 0 < of_kind["ratio_interval"][0] <= of_kind["ratio"] <= of_kind["ratio_interval"][1]
        assert of_kind["ratio"] == pytest.approx(np.prod(of_kind["ratios"]) ** 0.5)
    # Runs this short may have any ratio.
    too_low = any(figures[name]["ratio_interval"][1] < 1.9 for name in ("processes", "threads"))
    assert code == int(too_low)


@pytest.mark.thorough
def test_start_up_compiles_once(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "start.json"
    # The solver whose kernels are soonest compiled.
    code = run("--start-up", "--solver", "dead-end", "--rounds", 2, "--json", target)
    figures = json.loads(target.read_text(encoding="utf-8"))
    assert figures["clean_compiled"] > 0
    assert len(figures["warm_seconds"]) == 2
    assert max(figures["warm_seconds"]) < figures["clean_seconds"]
    assert code == int(figures["clean_seconds"] >= 30 or np.median(figures["warm_seconds"]) >= 1)


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", ["klondike-draw1", "klondike-draw3"])
def test_every_rule_of_exact_is_switched_off_in_turn(
    run: Run, twenty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ruleset: str
) -> None:
    rules, solver = parse_ruleset(ruleset), parse_solver(SOLVER)
    # Of the two searches, the one that these rules have or begin with.
    exact: Any = importlib.import_module(solver.method.solve.__module__).search_of(rules)
    assert exact.RULES
    target = tmp_path / "rules.json"
    answer = ("--ablate", "--solver", SOLVER, "--rules", ruleset)
    assert run(*answer, "--file", twenty, "--json", target) == 0
    figures = json.loads(target.read_text(encoding="utf-8"))["rules"]
    assert list(figures) == ["all on", *exact.RULES]
    deals = np.array([KlondikeDeal.from_json(row).cards for row in rows_of(twenty)], dtype=np.uint8)
    for name, bit in {"all on": 0, **exact.RULES}.items():
        outcomes = exact.solve(deals, rules, dict(solver.values), off=bit)
        assert figures[name]["mean_nodes"] == np.mean([outcome.nodes for outcome in outcomes])
        undecided = sum(outcome.result == "gave_up" for outcome in outcomes)
        assert figures[name]["undecided"] == undecided
    capsys.readouterr()

    if ruleset != "klondike-draw3":
        return  # the verdicts are those of draw 3
    assert run("--ablate", "--verdicts", f"{ruleset}={twenty}", "--solver", SOLVER) == 0
    compared = sum(20 - figures[name]["undecided"] for name in figures)
    assert f"\ncompared {compared}, differing 0\n" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_rule_that_changes_verdicts_is_caught(
    run: Run,
    twenty: Path,
    lying_checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ablation: Any = importlib.import_module("measuring.ablation")
    monkeypatch.setattr(ablation, "Worker", functools.partial(ablation.Worker, root=lying_checkout))
    # It has no budget of nodes, so none may be set for it.
    monkeypatch.setattr(ablation, "NODES", None)
    assert run("--ablate", "--sample", "thoughtful-1:0-19") == 1
    out = capsys.readouterr().out
    # Its wins do not replay, with or without the rule that does nothing.
    assert re.search(r"^all on .* 20$", out, re.MULTILINE)
    assert re.search(r"^nothing .* 20$", out, re.MULTILINE)
    # Without the other one, every verdict differs from that with it.
    assert re.search(r"^honesty .* 20$", out, re.MULTILINE)
    assert "and 50 more\n" in out
    known = sum(row["verdict"] == "winnable" for row in rows_of(twenty))
    assert run("--ablate", "--verdicts", twenty) == 1
    assert re.search(rf"honesty +20 +20 +0 +{known}$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.thorough
def test_another_checkout(
    run: Run, twenty: Path, lying_checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--against", ROOT, "--file", twenty, "--solver", SOLVER, "--rounds", 1) == 0
    assert "the same number of nodes for 20 of 20 deals\n" in capsys.readouterr().out
    assert run("--against", lying_checkout, "--file", twenty, "--rounds", 1) == 1
    out = capsys.readouterr().out
    assert f"there  exact, version 7, {lying_checkout}\n" in out
    assert "there, deal 1: winnable, known unwinnable\n" in out
    assert "deal 1: unwinnable here, winnable there\n" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--solver", "nobody"], "unknown solver 'nobody'"),
        (["--rules", "spider-4"], "exact does not play spider-4"),
        (["--solver", "dead-end", "--nodes", "5"], "dead-end has no parameter 'nodes'"),
        (["--sample", "all"], "'all' is not a sample"),
        (["--file", "no.jsonl"], "cannot read no.jsonl: there is no such file"),
        (["--file", "wrong.jsonl"], "wrong.jsonl, line 2: 'maybe' is not a verdict"),
        (["--file", "empty.jsonl"], "empty.jsonl has no deals"),
        (["--ablate", "--solver", "dead-end"], "dead-end has no rules that can be switched off"),
        (
            ["--ablate", "--solver", "exact-plain(nodes=9)"],
            "has no rules that can be switched off",
        ),
        (["--ablate", "--verdicts", "plain.jsonl"], "plain.jsonl has no known verdicts"),
        (["--verdicts", "plain.jsonl"], "--verdicts needs --ablate"),
        (["--against", "."], ". is not a checkout of this repository"),
        (["--two", "--rounds", "1"], "--rounds 1 is too few"),
        (["--json", "no/where.json"], "cannot write no/where.json: its folder does not exist"),
    ],
)
def test_wrong_input_gets_one_sentence(
    run: Run,
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    deal = get_dealer("thoughtful-1").deal(0).to_json()
    lines = [json.dumps(deal), json.dumps({**deal, "verdict": "maybe"})]
    Path("plain.jsonl").write_text(lines[0], encoding="ascii")
    Path("wrong.jsonl").write_text("\n".join(lines), encoding="ascii")
    Path("empty.jsonl").write_text("\n", encoding="ascii")
    if "--sample" not in arguments and "--file" not in arguments and "--verdicts" not in arguments:
        arguments = [*arguments, "--sample", "thoughtful-1:0-4"]
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1
