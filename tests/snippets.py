"""The blocks of code in the documents: where they are, how each kind is checked, what is not run.

Every command is run by `tests/test_snippets.py`, page by page and in order, unless it stands in
`NOT_RUN`; with what is changed by `INSTEAD`, so that it takes seconds rather than hours.
"""

import ast
import html.parser
import itertools
import json
import re
import shlex
import shutil
import subprocess
import textwrap
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from typing import Any, NamedTuple

import typer
import yaml

from paths import ROOT
from thoughtful import command_line

SHELL = ("sh", "bash", "console")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
# A line of plain text that is a command should be in a block that says so.
COMMAND = re.compile(r"\$ |(thoughtful|make|curl|docker|pip|python3?) [\w'./-]+( |$)")
ASSIGNED = re.compile(r"(?:\w+=\S+ )*")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page, the line where it begins, its language and its text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class NotRun(NamedTuple):
    """Commands that are not run: where, a pattern of how they begin, and the reason."""

    page: str
    start: str
    reason: str


class Instead(NamedTuple):
    """What is written into a command of a page before it is run, and the reason."""

    page: str
    written: str
    run: str
    reason: str


MEASUREMENT = "a measurement, of minutes to days; its options are checked"
CLUSTER = "needs several machines, Docker or a PostgreSQL of its own; see `tests/test_deploy.py`"
NETWORK = "fetches packages, or runs these tests; its target is checked"
FITTED = "minutes; the same is run on docs/command-line.md"
ENVIRONMENT = "the tests run in this environment already"

NOT_RUN = (
    NotRun("*", r"make (run|test|quick|check|thorough|install|format)\b", NETWORK),
    NotRun("CONTRIBUTING.md", r"\.venv/bin/", ENVIRONMENT),
    NotRun("*", r"source \.venv/bin/activate$", ENVIRONMENT),
    NotRun("docs/results/*", r"python (benchmarks|tests/faults)/\w+\.py", MEASUREMENT),
    NotRun("docs/puzzles.md", r"python benchmarks/puzzles\.py", MEASUREMENT),
    NotRun("docs/results/*", r"thoughtful reproduce ", MEASUREMENT),
    NotRun("docs/results/bounds.md", r"thoughtful (job submit|runner|solve|bounds)\b", MEASUREMENT),
    NotRun("docs/results/difficulty.md", r"thoughtful difficulty fit ", MEASUREMENT),
    NotRun("docs/how-to/programmers.md", r"(python3 -m venv|solitaire/bin/pip) ", NETWORK),
    NotRun("docs/python.md", r"(python3 -m venv|solitaire/bin/pip) ", NETWORK),
    NotRun(
        "docs/cluster.md",
        r"cp compose\.env|(docker|sudo|createdb|sqlite3|journalctl) |pg_",
        CLUSTER,
    ),
    NotRun("docs/cluster.md", r"(thoughtful|dask) |export (THOUGHTFUL|DASK)_", CLUSTER),
    NotRun("docs/datasets.md", r"thoughtful difficulty fit ", "hours"),
    NotRun("docs/how-to/researchers.md", r"thoughtful difficulty fit ", FITTED),
)
QUICK = " -p random -p greedy"
PLAYERS = "minutes; with its own players it is run on docs/command-line.md"
INSTEAD = (
    Instead("docs/command-line.md", "1;n1=1' --games 500", "1;n1=1' --games 30", "a minute"),
    Instead(
        "docs/command-line.md",
        ",draw8-whole-runs --games 500",
        " --games 100",
        "compiles a search that nothing else here needs",
    ),
    Instead("docs/datasets.md", "thoughtful-1:0-999999", "thoughtful-1:0-99", "an hour"),
    Instead("docs/datasets.md", "thoughtful-1:0-999", "thoughtful-1:0-79", "a minute"),
    Instead("docs/difficulty.md", "0-2999 --rules klondike-draw3", f"0-129{QUICK}", "hours"),
    Instead("docs/difficulty.md", "3000-9999", "130-139", "hours"),
    Instead(
        "docs/how-to/own-games.md",
        "docs/examples/my-game.json",
        str(ROOT / "docs/examples/my-game.json"),
        "typed in the project's folder, run in another",
    ),
    Instead(
        "docs/how-to/makers.md",
        "fit pysolfc:1-150 --rules klondike-draw1",
        f"fit pysolfc:1-150 --rules klondike-draw1{QUICK}",
        PLAYERS,
    ),
)

# Pages that a test of their own types, and where it is.
ELSEWHERE = {
    "docs/lists.md": "tests/catalogue/lists/test_guide.py",
    "docs/python.md": "tests/thoughtful/test_guide.py",
}
# Pages that presuppose something that runs.
BEFORE = {"docs/analysis.md": "thoughtful dashboard"}
# These run until they are stopped; each with the port that its page names, if it serves one.
SERVING = {"up": 8501, "dashboard": 8501, "serve": 8502}


def pages() -> list[str]:
    """Every document with blocks: those in the root, and all of `docs/`."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        opened = FENCE.match(line)
        if not opened:
            continue
        inner = []
        for _, each in lines:
            closed = FENCE.match(each)
            if closed and closed[2].startswith(opened[2]) and not closed[3].strip():
                break
            inner.append(each)
        body = textwrap.dedent("\n".join(inner)) + "\n"
        yield Block(page, number, opened[3].strip(), body)


class Command(NamedTuple):
    """A command of a page, and the output that is shown below it; None if none is."""

    line: str
    shown: str | None


def commands(block: Block) -> list[Command]:
    """The commands of a block of shell: continued lines and here-documents are one."""
    lines = iter(block.text.splitlines())
    found: list[Command] = []
    for line in lines:
        if block.language == "console":
            if line.startswith("$ "):
                found.append(Command(line[2:], ""))
            else:
                assert found, f"{block} begins with output"
                last = found[-1]
                found[-1] = Command(last.line, f"{last.shown}{line}\n")
            continue
        while line.endswith("\\"):
            line = line[:-1] + " " + next(lines).strip()
        if here := re.search(r"<<-? ?'?(\w+)'?", line):
            inner = list(itertools.takewhile(lambda each: each != here[1], lines))
            line = "\n".join([line, *inner, here[1]])
        if line.strip() and not line.lstrip().startswith("#"):
            found.append(Command(line.strip(), None))
    return found


def reason_not_to_run(page: str, line: str) -> NotRun | None:
    """The entry that says why a command of a page is not run, if there is one."""
    bare = line[ASSIGNED.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    for entry in NOT_RUN:
        if matches(page, entry.page) and re.match(entry.start, bare):
            return entry
    return None


def matches(page: str, pattern: str) -> bool:
    """Whether a page is meant: by its name, by a folder and ``*``, or by ``*`` alone."""
    return page.startswith(pattern[:-1]) if pattern.endswith("*") else page == pattern


def faults(block: Block) -> list[str]:
    """What is wrong with a block, as far as it can be seen without running it."""
    check = CHECKS.get(block.language)
    if check is None:
        known = ", ".join(sorted(CHECKS))
        return [f"{block}: the language {block.language!r} is not checked; known are {known}"]
    try:
        check(block)
    except (AssertionError, SyntaxError, ValueError, yaml.YAMLError, typer.TyperException) as error:
        return [f"{block}: {error}"]
    return []


def _shell(block: Block) -> None:
    found = commands(block)
    assert found, "no command"
    for command in found:
        ended = subprocess.run(
            ["bash", "-n", "-c", command.line], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        # What is typed with a name in it that everybody has to fill in is no command to parse.
        first = command.line.partition("\n")[0].split(" #")[0]
        for part in re.split(r" && | & ?", first):
            parse(part)


def _text(block: Block) -> None:
    for line in block.text.splitlines():
        assert not COMMAND.match(line), f"a command in a block of text: {line}"


def _json(block: Block) -> None:
    try:
        json.loads(block.text)
    except ValueError:
        for line in block.text.splitlines():
            json.loads(line)


def _sql(block: Block) -> None:
    bare = re.sub(r"--.*", "", block.text)
    for statement in filter(str.strip, bare.split(";")):
        assert re.match(r"\s*(CREATE|GRANT|SELECT|WITH)\b", statement), statement


def _html(block: Block) -> None:
    html.parser.HTMLParser().feed(block.text)


def _diff(block: Block) -> None:
    """A change of this tree, which still applies."""
    ended = subprocess.run(
        ["git", "apply", "--check", "-"],
        cwd=ROOT,
        input=block.text,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr


def _with(program: str, *arguments: str) -> Any:
    """A check by another program, where it is installed."""

    def check(block: Block) -> None:
        if shutil.which(program):
            ended = subprocess.run(
                [program, *arguments], input=block.text, capture_output=True, text=True
            )
            assert ended.returncode == 0, ended.stderr

    return check


CHECKS: dict[str, Any] = {
    **dict.fromkeys(SHELL, _shell),
    "diff": _diff,
    "c": _with("cc", "-fsyntax-only", "-x", "c", "-"),
    "html": _html,
    "js": _with("node", "--input-type=module", "--check", "-"),
    "json": _json,
    "python": lambda block: ast.parse(block.text),
    "sql": _sql,
    "text": _text,
    "toml": lambda block: tomllib.loads(block.text),
    # A unit of systemd may have several lines of a name.
    "ini": lambda block: ConfigParser(strict=False, interpolation=None).read_string(block.text),
    "yaml": lambda block: yaml.safe_load(block.text),
}


def parse(line: str) -> None:
    """Parse the program's commands in a line of shell as it would itself, but run none."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    for piped, words in itertools.groupby(lexer, lambda word: word == "|"):
        arguments = list(itertools.takewhile(lambda word: word not in "<>", words))
        while arguments and re.fullmatch(r"[A-Z_]+=.*", arguments[0]):
            arguments.pop(0)
        if piped or not arguments or arguments[0] != "thoughtful":
            continue
        command: Any = typer.main.get_command(command_line.application())
        context = None
        while hasattr(command, "commands"):
            name, *arguments = arguments
            context = command.make_context(name, arguments[:1], context, resilient_parsing=True)
            if not arguments or arguments[0] not in command.commands:
                assert arguments in (["--help"], ["--version"]), line
                return
            command = command.commands[arguments[0]]
        command.make_context(arguments[0], arguments[1:], context)
