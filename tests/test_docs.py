"""Tests of the examples in helps, of the pins, and of what some documents promise.

Those of the examples in documents: `tests/test_snippets.py`.
"""

import itertools
import re
import shlex
import signal
import subprocess
from configparser import ConfigParser

import pytest
import typer

from command_line import commands
from paths import ROOT
from patience import SECONDS
from serving import API_PAGE, DASHBOARD_PAGE, free_port, wait_for_dashboard
from snippets import blocks_of, parse, read
from thoughtful import command_line

# These run until they are stopped.
ENDLESS = (
    *("thoughtful up", "thoughtful dashboard", "thoughtful serve"),
    "thoughtful runner --watch",
)


COMMANDS = commands(typer.main.get_command(command_line.application()))


def examples(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of a command's help that begin with the program's name, as people see them."""
    assert command_line.run([*command, "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    return [line for line in lines if line.startswith("thoughtful ")]


def type_in(line: str) -> None:
    """Run a line as a shell would; a failure anywhere in it fails the test.

    What needs no shell runs in this process, which has the compiled kernels already.
    """
    arguments = shlex.split(line)
    if not set("|<>") & set(line) and arguments[1] != "runner":
        assert command_line.run(arguments[1:]) == 0, line
        return
    ended = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.returncode == 0, f"{line}\n{ended.stdout}\n{ended.stderr}"


def start_and_stop(line: str) -> None:
    """Start a command that does not end, see that it works, and stop it as people do."""
    arguments = shlex.split(line)
    port = None
    if arguments[1] in ("up", "dashboard", "serve"):
        # The last one counts; the port of the example may be taken here.
        port = free_port()
        arguments += ["--port", str(port)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        try:
            if port is None:
                assert process.stderr is not None
                assert process.stderr.readline().startswith("job ")
            else:
                page = API_PAGE if arguments[1] == "serve" else DASHBOARD_PAGE
                wait_for_dashboard(port, process, page)
        finally:
            process.send_signal(signal.SIGINT)
            _out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    assert "Traceback" not in err


def test_every_example_of_the_help_can_be_parsed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands, options and the kinds of their values are those of the program."""
    monkeypatch.setenv("COLUMNS", "80")
    for command in COMMANDS:
        lines = examples(command, capsys)
        assert lines, command
        for line in lines:
            parse(line)


@pytest.mark.thorough
@pytest.mark.usefixtures("folder")
def test_every_example_of_the_help_works_when_pasted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The width people have at least: an example that is wrapped cannot be pasted.
    monkeypatch.setenv("COLUMNS", "80")
    tried = {command: examples(command, capsys) for command in COMMANDS}
    assert [command for command, lines in tried.items() if not lines] == []
    endless = []
    # Those of jobs speak of the first job, so nothing may have run one before.
    ordered = sorted(tried, key=lambda command: command[0] != "job")
    for line in itertools.chain.from_iterable(tried[command] for command in ordered):
        if line.startswith(ENDLESS):
            endless.append(line)
        else:
            type_in(line)
    # Last, and with a job for the runner to have.
    type_in("thoughtful job submit thoughtful-1:0-4999")
    for line in endless:
        start_and_stop(line)


def test_nothing_of_this_machine_is_in_the_constraints() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert len(pins) > 50
    for pin in pins:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*(; python_version .*)?", pin), pin


def test_core_hours_are_those_of_todays_figures() -> None:
    """The means of `docs/cluster.md` are those of `docs/results/exact.md`, with what follows."""
    figures = (ROOT / "docs/results/exact.md").read_text(encoding="utf-8")
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    for rules in ("klondike-draw1", "klondike-draw3"):
        measured = re.search(rf"under {rules}, .*?\nall +20,000 +([0-9.]+) ", figures, re.DOTALL)
        assert measured is not None
        mean = float(measured[1])
        hours = 1e9 * mean / 3.6e6
        assert f"10⁹ × {measured[1]} ÷ 3.6×10⁶ = **{hours:.0f}**" in page
        assert re.search(
            rf"\| 16 \| .*= {hours / 0.85 / 16:.2g} h .*16 × 850 ÷ {measured[1]} = ", page
        )


def test_a_service_is_described_and_what_to_do_when_something_stops() -> None:
    """The unit of `docs/cluster.md` runs a command of ours, and starts it again."""
    page = read("docs/cluster.md")
    (block,) = (block for block in blocks_of("docs/cluster.md", page) if block.language == "ini")
    unit = ConfigParser(strict=False, interpolation=None)
    unit.read_string(block.text)
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/thoughtful")
    parse(shlex.join(["thoughtful", *words]))
    assert words[:2] == ["runner", "--watch"]
    assert unit["Service"]["Restart"] == "always"
    _, _, section = page.partition("\n## When something stops\n")
    stopped = [row.split("|")[1] for row in section.split("\n## ")[0].splitlines() if "|" in row]
    for what in ("worker", "runner", "database", "scheduler", "job"):
        assert any(what in each for each in stopped), what


def test_speed_ups_name_a_machine_and_have_an_interval() -> None:
    """Speed-ups stand beside the machine of the paper, and have an interval."""
    rows = [
        row
        for row in read("docs/results/index.md").splitlines()
        if re.search("published|paper", row) and re.search("times (faster|less)", row)
    ]
    assert len(rows) > 2
    for row in rows:
        said = next(part for part in row.split(";") if re.search("times (faster|less)", part))
        assert re.search("than (published )?on (a|the) .*[A-Z0-9]", said), said
        assert re.search(r"\(99 %: [\d,]+ to [\d,]+", row.partition("a game")[2]), row


def test_the_help_of_solve_says_what_its_times_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Without what was compiled meanwhile, and sometimes there are none."""
    assert command_line.run(["solve", "--help"]) == 0
    answer = " ".join(capsys.readouterr().out.split())
    about = answer.partition("cpu_ms and")[2].partition("cpu_ms")[2][:200]
    assert "compiling" in about
    assert "null" in about
