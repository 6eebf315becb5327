"""Tests of the reference readers in `docs/readers/`: they agree with the writer, refuse damage."""

import re
import shutil
import threading
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pytest

from catalogue.lists import binary_form
from catalogue.lists.grades import CATEGORIES, Grades, Levels, listed, undecided
from catalogue.lists.header import ListHeader
from readers import NEEDED, READERS, command, lacking, run
from samples import sizes
from seed_lists import as_bytes, header

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Make = Callable[[int, int, Levels], tuple[Path, list[str]]]


@pytest.fixture(scope="module", params=NEEDED)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    reason = lacking(request.param)
    if reason is not None:
        pytest.skip(f"the reader in {request.param} cannot run: {reason}")
    return command(request.param, tmp_path_factory.mktemp("reader"))


def lines(answer: ListHeader, grades: Grades) -> list[str]:
    """What a reader prints of each seed, found the long way."""
    chosen, open_ = listed(grades, answer.levels), undecided(grades)
    words = [
        "yes" if yes else "unknown" if un else "no" for yes, un in zip(chosen, open_, strict=True)
    ]
    return [
        f"{answer.first_seed + place} {word} {grade}"
        for place, (word, grade) in enumerate(zip(words, grades.tolist(), strict=True))
    ]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a list of arbitrary grades; the file, and a line for each seed."""

    def write(first: int, count: int, levels: Levels) -> tuple[Path, list[str]]:
        rng = np.random.default_rng(count)
        grades = rng.choice(sorted(CATEGORIES), count).astype(np.uint8)
        answer = header(first, count, levels)
        path = tmp_path / f"{first}.bin"
        path.write_bytes(as_bytes(binary_form.write, answer, grades))
        return path, lines(answer, grades)

    return write


@pytest.mark.parametrize(
    ("first", "count", "levels"),
    sizes((2**64 - 70_001, 70_000, (2, 7)), (1, 200_000, None)),
)
def test_all_seeds_read_as_they_were_written(
    reader: list[str],
    make: Make,
    first: int,
    count: int,
    levels: Levels,
) -> None:
    path, wanted = make(first, count, levels)
    code = crc32("".join(f"{line}\n" for line in wanted).encode())
    ran = run(reader, "--digest", str(path))
    assert (ran.stdout, ran.stderr) == (f"{count} seeds, crc32 {code:08x}\n", "")


@pytest.mark.parametrize("count", [1, 7, 8, 9, 65_536, 65_537, 131_072])
def test_single_seeds(reader: list[str], make: Make, count: int) -> None:
    path, wanted = make(40_000, count, (3, 5))
    places = sorted({0, count // 2, count - 1, min(count, 65_536) - 1, min(count - 1, 65_536)})
    ran = run(reader, str(path), *(str(40_000 + place) for place in places))
    assert ran.stdout.splitlines() == [wanted[place] for place in places]
    assert (ran.returncode, ran.stderr) == (0, "")


def test_other_seeds_and_files_are_refused(reader: list[str], make: Make, tmp_path: Path) -> None:
    path, _ = make(40_000, 100, None)
    raw = path.read_bytes()
    other = tmp_path / "other"
    head = len(raw) - 130

    def refused(*arguments: str) -> None:
        ran = run(reader, *arguments)
        assert ran.returncode == 1, arguments
        assert re.fullmatch(r"winnable_list: .+\n", ran.stderr), ran.stderr

    for seed in ("39999", "40100", "0", "-1", "x", "4e4"):
        refused(str(path), seed)
    refused(str(tmp_path / "none"), "40000")
    for damaged in (
        b"",
        raw[:39],
        raw[:head],
        raw[:-1],
        raw + b"\0",
        raw.replace(b"\r\n", b"\n"),
        raw[:8] + b"\2" + raw[9:],
        raw[:16] + b"\1" + raw[17:],
        raw[:60] + b"\1" + raw[61:],
    ):
        other.write_bytes(damaged)
        refused(str(other), "40000")
    for place in (-1, -50, -110, -125):
        at = len(raw) + place
        other.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        refused("--digest", str(other))


def test_the_reader_in_javascript_runs_in_a_browser(
    browser: "Browser", make: Make, tmp_path: Path
) -> None:
    path, wanted = make(40_000, 70_000, (3, 5))
    shutil.copy(READERS / "winnable_list.mjs", tmp_path)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        answer = page.evaluate(
            """async (name) => {
                const { WinnableList } = await import("/winnable_list.mjs");
                const list = new WinnableList(await (await fetch(name)).arrayBuffer());
                return [list.digest(), list.verdict(40005).join(" "), list.facts.ruleset];
            }""",
            f"/{path.name}",
        )
        page.close()
        server.shutdown()
    code = crc32("".join(f"{line}\n" for line in wanted).encode())
    assert answer == [f"70000 seeds, crc32 {code:08x}", wanted[5].partition(" ")[2], "spider-1"]


def test_readers_have_less_than_100_lines_and_need_nothing_of_ours() -> None:
    found = sorted(READERS.iterdir())
    assert [path.suffix for path in found if path.is_file()] == [".c", ".mjs", ".py"]
    for path in found:
        if path.is_file():
            text = path.read_text("utf-8")
            assert text.count("\n") < 100
            assert max(map(len, text.splitlines())) <= 110
            assert "thoughtful" not in text.replace("`thoughtful list --format binary`", "")
