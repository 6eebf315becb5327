"""Every block of code in the documents is checked, and every command that can be run is run."""

import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import snippets
from paths import ROOT
from patience import SECONDS, wait_until
from serving import API_PAGE, DASHBOARD_PAGE, free_port, wait_for_dashboard
from snippets import BEFORE, ELSEWHERE, INSTEAD, NOT_RUN, SERVING, Block

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PAGES = [page for page in snippets.pages() if any(snippets.blocks_of(page, snippets.read(page)))]


def blocks(page: str) -> list[Block]:
    return list(snippets.blocks_of(page, snippets.read(page)))


def shell_commands(page: str) -> list[str]:
    """The commands of a page, also those of the tables of the results, which are in backticks."""
    found = [
        command.line
        for block in blocks(page)
        if block.language in snippets.SHELL
        for command in snippets.commands(block)
    ]
    if page == "docs/results/index.md":
        found += re.findall(r"`((?:thoughtful|python) [^`]+)`", snippets.read(page))
    return found


def is_run(page: str) -> bool:
    """Whether there is something on a page to run here."""
    if page in ELSEWHERE:
        return False
    lines = shell_commands(page)
    return any(snippets.reason_not_to_run(page, line) is None for line in lines) or any(
        block.language == "python" for block in blocks(page)
    )


RUN = [page for page in PAGES if is_run(page)]


def test_every_block_is_of_a_kind_that_is_checked_and_right() -> None:
    assert len(PAGES) > 20
    found = [snippets.faults(block) for page in PAGES for block in blocks(page)]
    assert [fault for faults in found for fault in faults] == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("", "thoughtful deals\n"),
        ("perl", "print 1\n"),
        ("text", "thoughtful bounds\n"),
        ("text", "$ ls\n"),
        ("sh", "thoughtful no-such-command\n"),
        ("sh", "thoughtful bounds --no-such-option\n"),
        ("sh", "thoughtful deal thoughtful-1:42 | thoughtful solve --no-such-option\n"),
        ("sh", "echo 'open\n"),
        ("sh", "# nothing\n"),
        ("console", "output without a command\n"),
        ("json", "{'a': 1}\n"),
        ("python", "print(\n"),
        ("yaml", "a: [\n"),
        ("toml", "a = \n"),
        ("sql", "DROP TABLE deal\n"),
        ("diff", "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Old\n+# New\n"),
    ],
)
def test_a_block_that_is_wrong_is_seen(language: str, text: str) -> None:
    (block,) = snippets.blocks_of("docs/new.md", f"# New\n\n```{language}\n{text}```\n")
    (fault,) = snippets.faults(block)
    assert fault.startswith("docs/new.md:3")


def test_a_new_command_is_run_unless_it_is_declared() -> None:
    """Nobody has to list a block for it to be run: a page that is new is run, and can fail."""
    (block,) = snippets.blocks_of("docs/new.md", "```sh\nfalse\nthoughtful runner --watch\n```\n")
    lines = [command.line for command in snippets.commands(block)]
    assert [snippets.reason_not_to_run("docs/new.md", line) for line in lines] == [None, None]
    with pytest.raises(AssertionError, match="false"):
        Reader("docs/new.md", ExitStack()).shell(block)


def test_every_exception_is_used_and_has_a_reason() -> None:
    lines = {page: shell_commands(page) for page in PAGES}
    used = {snippets.reason_not_to_run(page, line) for page in PAGES for line in lines[page]}
    assert [entry for entry in NOT_RUN if entry not in used or not entry.reason] == []
    for entry in INSTEAD:
        assert any(entry.written in line for line in lines[entry.page]), entry
        assert entry.reason
    assert {*BEFORE, *ELSEWHERE} <= set(PAGES)
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text("utf-8")


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    named = {
        word
        for page in snippets.pages()
        for words in re.findall(
            r"^make ((?:[a-z]+ ?)+)|`make ([a-z]+)", snippets.read(page), re.MULTILINE
        )
        for word in words
        if word
    }
    named = {name.split()[0] for name in named}
    assert {"run", "test", "site"} <= named <= targets


def test_every_benchmark_that_is_named_exists_and_has_the_options() -> None:
    """The commands of the results, whose measurements take hours, by what their sources accept."""
    seen = 0
    for page in PAGES:
        for line in shell_commands(page):
            if not line.startswith(("python benchmarks/", "python tests/")):
                if line.startswith("thoughtful "):
                    snippets.parse(line)
                continue
            words = shlex.split(line, comments=True)
            source = (ROOT / words[1]).read_text("utf-8")
            # Options that benchmarks share are defined in one module.
            shared = "".join(
                path.read_text("utf-8") for path in (ROOT / "benchmarks" / "measuring").glob("*.py")
            )
            for word in words[2:]:
                if word.startswith("--"):
                    name = word.partition("=")[0]
                    assert f'"{name}"' in source + shared, f"{page}: {line}: {name}"
                    seen += 1
    assert seen > 30


class Reader:
    """Somebody who types a page from its top to its end."""

    def __init__(self, page: str, ending: ExitStack) -> None:
        self.page = page
        self.ending = ending
        # Ports as the page has them, and where the servers of this test listen.
        self.ports: dict[int, int] = {}
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def read(self, block: Block) -> None:
        if block.language in snippets.SHELL:
            self.shell(block)
        elif block.language == "python" and "__main__" in block.text:
            # A script of its own, whose processes import it again.
            Path("script.py").write_text(block.text)
            self.type("python script.py")
        elif block.language == "python":
            code = compile(block.text, str(block), "exec")
            exec(code, self.names)

    def shell(self, block: Block) -> None:
        for command in snippets.commands(block):
            if snippets.reason_not_to_run(self.page, command.line) is None:
                printed = self.type(command.line)
                if command.shown is not None:
                    assert same(printed, command.shown), f"{block} shows {command.shown}"

    def type(self, line: str) -> str:
        """Run a line as a shell would; what it prints. A failure anywhere in it fails the test."""
        for entry in INSTEAD:
            if entry.page == self.page:
                line = line.replace(entry.written, entry.run)
        for written, port in self.ports.items():
            line = line.replace(f"127.0.0.1:{written}", f"127.0.0.1:{port}")
        words = shlex.split(line, comments=True)
        if (served := endless(words)) is not None:
            self.ending.enter_context(self.running(line, served))
            return ""
        ended = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            # What reads standard input would wait for ever.
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=5 * SECONDS,
        )
        assert ended.returncode == 0, f"{self.page}: {line}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    @contextmanager
    def running(self, line: str, port: int) -> Iterator[None]:
        """Start a command that does not end, wait until it works, and stop it as people do."""
        page = API_PAGE if " serve" in line else DASHBOARD_PAGE
        if port:
            self.ports[port] = free_port()
            # The last one counts; the port of the page may be taken here.
            line += f" --port {self.ports[port]}"
        with (
            Path("endless.log").open("w") as log,
            subprocess.Popen(["bash", "-c", f"exec env {line}"], stderr=log, text=True) as process,
        ):
            try:
                if port:
                    wait_for_dashboard(self.ports[port], process, page)
                else:
                    wait_until(lambda: Path("endless.log").read_text(), "it says something")
                yield
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=SECONDS)
        assert process.returncode == 0, Path("endless.log").read_text()


def endless(words: list[str]) -> int | None:
    """The port of a command that runs until it is stopped, 0 if it has none; None if it ends."""
    words = [word for word in words if not re.fullmatch(r"[A-Z_]+=.*", word)]
    if words[:1] != ["thoughtful"]:
        return None
    if words[1] == "runner" and "--watch" in words:
        return 0
    return SERVING.get(words[1])


def same(printed: str, shown: str) -> bool:
    """Whether a command printed what the page shows, apart from spaces; ``…`` is anything."""
    try:
        return bool(json.loads(printed) == json.loads(shown))
    except ValueError:
        parts = [re.escape("".join(part.split())) for part in shown.split("…")]
        return re.fullmatch(".*".join(parts), "".join(printed.split()), re.DOTALL) is not None


def test_what_is_shown_is_compared() -> None:
    assert same('{"a": 1, "b": [2]}\n', '{"b":\n [2], "a": 1}')
    assert same("deal 12 took 3.5 s\n", "deal 12 took … s")
    assert not same('{"a": 1}', '{"a": 2}')
    assert not same("deal 12 took 3.5 s\n", "deal 13 took … s")


@pytest.mark.thorough
@pytest.mark.parametrize("page", RUN)
def test_a_page_works_as_it_is_written(page: str, folder: Path) -> None:
    with ExitStack() as ending:
        reader = Reader(page, ending)
        if page in BEFORE:
            reader.type(BEFORE[page])
        for block in blocks(page):
            reader.read(block)
    if page == "README.md":
        assert (folder / "solved-deals" / "README.md").is_file()


@pytest.mark.usefixtures("folder")
def test_the_python_of_the_page_on_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    """It needs no search, so `make test` runs it already, and sees what it prints."""
    with ExitStack() as ending:
        reader = Reader("docs/statistics.md", ending)
        for block in blocks("docs/statistics.md"):
            reader.read(block)
    printed = capsys.readouterr().out
    assert "clopper_pearson      81.86 to 82.06 %" in printed
    assert "confidence_sequence  81.77 to 82.14 %" in printed
