"""Tests of the command line itself: its start, help, lists and output streams."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import typer

from catalogue.lists import binary_form
from command_line import Thoughtful, commands
from engine.rulesets import named_rulesets
from paths import ROOT
from patience import SECONDS
from seed_lists import as_bytes, header
from thoughtful import command_line
from thoughtful.terminal import console


def test_starting_loads_nothing_heavy() -> None:
    heavy = (
        "{'numba', 'numpy', 'pandas', 'dask', 'distributed', 'streamlit', 'sqlalchemy', 'scipy'}"
    )
    code = f"import sys, thoughtful.command_line; print(sorted({heavy} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_solving_loads_only_what_solving_takes() -> None:
    # Numba itself asks SciPy for its version.
    heavy = "{'pandas', 'dask', 'distributed', 'sqlalchemy', 'scipy.linalg', 'pyarrow'}"
    solve = ["thoughtful", "solve", "thoughtful-1:0-29", "--solver", "exact", "--json"]
    code = (
        "import sys, thoughtful.command_line\n"
        f"sys.argv = {solve}\n"
        "assert thoughtful.command_line.run() == 0\n"
        # A search of some length looks at pairs of cards, wins are shortened and judged.
        "from engine.klondike.rules import PRESETS\n"
        "from solvers.klondike.exact.method import METHOD\n"
        "assert all(part._loaded for part in METHOD.parts(PRESETS['klondike-draw3'], {}))\n"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    # First what is missing is compiled, which takes SciPy.
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
    assert ended.stdout.splitlines()[-1] == "[]"


def test_a_command_loads_no_other_and_asking_no_library_of_databases() -> None:
    code = (
        "import sys; from thoughtful.command_line import run; run(['dealers'])\n"
        "print([name for name in sys.modules if name.startswith('thoughtful.commands.')])\n"
        "import catalogue.asking; print('sqlalchemy' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-2:] == ["['thoughtful.commands.dealers']", "False"]


def test_help_and_version(thoughtful: Thoughtful) -> None:
    bare, asked = thoughtful(), thoughtful("--help")
    assert bare.code == asked.code == 0
    assert "Usage: thoughtful" in bare.out
    assert thoughtful("--version").out.startswith("thoughtful ")


def test_lists_name_both_games(thoughtful: Thoughtful) -> None:
    rulesets = {line["slug"]: line for line in thoughtful("rulesets", "--json").lines}
    assert list(rulesets) == list(named_rulesets())
    assert rulesets["spider-2-relaxed"] == {
        "slug": "spider-2-relaxed",
        "game": "spider",
        "suits": 2,
        "deal_onto_empty": True,
    }
    assert rulesets["klondike-draw3"]["game"] == "klondike"
    text = thoughtful("rulesets").out
    assert all(slug in text for slug in named_rulesets())
    dealers = {line["slug"]: line["games"] for line in thoughtful("dealers", "--json").lines}
    assert dealers["pysolfc"][:2] == ["klondike", "spider"]
    assert "freecell" in dealers["microsoft"]
    assert dealers["greenfelt"] == ["klondike"]
    assert "Klondike," in thoughtful("dealers").out
    solvers = {line["slug"]: line["game"] for line in thoughtful("solvers", "--json").lines}
    assert (solvers["monkey"], solvers["exact"]) == ("spider", "klondike")


def test_one_ruleset_described_written_and_read(thoughtful: Thoughtful, tmp_path: Path) -> None:
    slug = "klondike-draw3-build-same-suit-spaces-any"
    described = thoughtful("rulesets", slug).out
    assert described.startswith(f"{slug}\nKlondike, 3 cards turned at a time")
    assert "cards are built in their own suit, any card goes to an empty column." in described
    (line,) = thoughtful("rulesets", slug, "--json").lines
    assert (line["building"], line["spaces"]) == ("same-suit", "any")
    (tmp_path / "rules.json").write_text(thoughtful("rulesets", slug, "--to", "solvitaire").out)
    assert thoughtful("rulesets", "--read", str(tmp_path / "rules.json")).out.startswith(slug)
    for wrong, message in (
        (["klondike-yan", "--to", "solvitaire"], "Solvitaire cannot play klondike-yan"),
        (["spider-4", "--to", "solvitaire"], "'solvitaire' is no form of rules of Spider"),
        (["--to", "solvitaire"], "--to solvitaire needs a ruleset"),
        (["spider-4", "--read", "x"], "spider-4 and the file x are two rulesets"),
    ):
        refused = thoughtful("rulesets", *wrong)
        assert refused.code == 2
        assert message in refused.err


def test_a_solution_that_a_notation_cannot_write_stops_no_deal(thoughtful: Thoughtful) -> None:
    asked = ("solve", "thoughtful-1:5-8", "--rules", "klondike-draw3-spaces-any")
    asked = (*asked, "--solver", "exact-plain", "--to", "minimal-klondike")
    ran = thoughtful(*asked, "--json")
    assert ran.code == 0
    assert [line["id"] for line in ran.lines] == [f"thoughtful-1:{seed}" for seed in range(5, 9)]
    refused = [line for line in ran.lines if line["moves"] is None]
    assert refused
    assert all("this notation has no sign for move" in line["error"] for line in refused)
    assert thoughtful(*asked).out.count("not written: this notation has no sign") == len(refused)


def test_lists_name_what_commands_take(thoughtful: Thoughtful) -> None:
    assert [line["slug"] for line in thoughtful("rulesets", "--json").lines] == list(
        named_rulesets()
    )
    dealers = thoughtful("dealers", "--json").lines
    assert dealers[0]["slug"] == "thoughtful-1"
    assert dealers[0]["max_seed"] == 2**63 - 1
    solvers = thoughtful("solvers", "--json").lines
    assert [line["slug"] for line in solvers] == [
        "dead-end",
        "ensemble-sparse-uct",
        "ensemble-uct",
        "exact",
        "exact-plain",
        "exact-uct",
        "greedy",
        "hop",
        "hop-uct",
        "look-ahead",
        "monkey",
        "multistage",
        "nested-rollout",
        "patience-exact",
        "patience-plain",
        "patience-player",
        "policy-uct",
        "random",
        "shortest",
        "sparse-uct",
        "spider-exact",
        "spider-plain",
        "spider-player",
        "uct",
        "yan-heuristic",
        "yan-rollout",
    ]
    for name in ("rulesets", "dealers", "solvers"):
        assert thoughtful(name).code == 0


STREAMS = [
    ("rulesets >/dev/full", "the output could not be written: No space left on device"),
    ("rulesets >&-", "standard output is closed"),
    # More than is buffered while the input is being read, which is blameless.
    ("convert many --to json >/dev/full", "the output could not be written: No space left"),
    ("list --read list >/dev/full", "the output could not be written: No space left on device"),
    ("convert many --to json -o /dev/full", "cannot write /dev/full: No space left on device"),
    ("convert many --to json -o many/x", "cannot write many/x: Not a directory"),
    ("solve -i many -o many/x", "cannot write many/x: Not a directory"),
    ("list --dealer thoughtful-1 --seeds 0-9 -o many/x", "cannot write many/x: Not a directory"),
    # The number of standard input is that of a connection in the same process.
    ("solve --input - <&-", "cannot read standard input: it is closed"),
    ("convert - --to json <&-", "cannot read standard input: it is closed"),
    ("replay thoughtful-1:1 --file /proc/self/mem", "cannot read /proc/self/mem: Input/output"),
    ("convert /proc/self/mem --to json", "cannot read /proc/self/mem: Input/output error"),
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(("line", "sentence"), STREAMS)
def test_a_stream_that_fails_is_named_in_one_sentence(
    line: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "many").write_text("\n".join(f"thoughtful-1:{seed}" for seed in range(1000)))
    (tmp_path / "list").write_bytes(
        as_bytes(binary_form.write, header(1, 3), np.zeros(3, np.uint8))
    )
    finished = subprocess.run(
        ["sh", "-c", f'"$0" -m thoughtful_command thoughtful.command_line {line}', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=SECONDS,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert finished.stderr.startswith(f"thoughtful: {sentence}")
    assert finished.stderr.count("\n") == 1
    assert finished.returncode == 2
    assert len(list(tmp_path.iterdir())) == 2


READ_STANDARD_INPUT = [
    ("solve", "--input", "-"),
    ("solve", "-"),
    ("solve", "--position", "-"),
    ("deal", "-"),
    ("convert", "-", "--to", "json"),
    ("import", "-"),
    ("replay", "-"),
    ("replay", "thoughtful-1:2", "--file", "-"),
    ("hint", "-"),
    ("shortest", "-"),
    ("shortest", "thoughtful-1:2", "--file", "-"),
    ("list", "--read", "-"),
    ("fairness", "-"),
]


def test_closed_standard_input_is_one_sentence(
    thoughtful: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it
    for command in READ_STANDARD_INPUT:
        ran = thoughtful(*command)
        assert ran == (2, "", "thoughtful: cannot read standard input: it is closed\n"), command


def test_remarks_get_no_place_in_files_where_standard_error_is_closed(tmp_path: Path) -> None:
    (tmp_path / "deal").write_text("thoughtful-1:1")
    for line in ("convert deal --to json -o written 2>&-", "nonsense >written 2>&-"):
        subprocess.run(
            [
                "sh",
                "-c",
                f'"$0" -m thoughtful_command thoughtful.command_line {line}',
                sys.executable,
            ],
            check=False,
            timeout=SECONDS,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert "thoughtful:" not in (tmp_path / "written").read_text()


def test_a_command_waits_with_one_thread() -> None:
    """Those of NumPy's linear algebra, one for each core, wait busily."""
    code = (
        "import os, sys, types\n"
        "command = types.ModuleType('thoughtful.command_line')\n"
        "def main():\n"
        "    import numpy\n"
        "    print(len(os.listdir('/proc/self/task')), os.environ['OPENBLAS_NUM_THREADS'])\n"
        "command.main = main\n"
        "sys.modules['thoughtful.command_line'] = command\n"
        "import thoughtful_command\n"
        "thoughtful_command.main()\n"
    )
    bare = {name: text for name, text in os.environ.items() if not name.startswith("OPENBLAS")}
    for given, threads in (({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, min(2, os.cpu_count() or 1))):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env=bare | given,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.split() == [str(threads), given.get("OPENBLAS_NUM_THREADS", "1")]


def printed(arguments: list[str], encoding: str) -> str:
    """What the command prints where standard output and error have an encoding."""
    ran = subprocess.run(
        [sys.executable, "-m", "thoughtful_command", "thoughtful", *arguments],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=SECONDS,
    )
    assert b"Error" not in ran.stderr
    return (ran.stdout + ran.stderr).decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp437", "ascii"])
def test_text_that_an_encoding_lacks_is_written_in_ascii(encoding: str) -> None:
    dash = "–" if encoding == "cp1252" else "-"
    assert f"Fisher{dash}Yates" in printed(["dealers"], encoding)
    # Standard error has a way with such text of its own, which nobody can read.
    assert "cannot read S-2H->C: No such" in printed(["deal", "@♠−2♥→♣"], encoding)


def test_each_help_is_ascii_where_nothing_else_can_be_written() -> None:
    every = commands(typer.main.get_command(command_line.application()))
    code = (
        "from thoughtful import command_line; from thoughtful.terminal import console\n"
        "console.write_any_text()\n"
        f"for names in {every}: assert command_line.run([*names, '--help']) == 0"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        encoding="ascii",
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("Usage: thoughtful") == len(every)
    assert "A line begins with +, with ! for a remark" in ran.stdout
    assert "\\u" not in ran.stdout


def texts_of_commands() -> Iterator[tuple[Path, str]]:
    """The texts in the sources of whatever prints, but for docstrings."""
    for package in ("engine", "solvers", "catalogue"):
        for path in (ROOT / package).rglob("*.py"):
            tree = ast.parse(path.read_text())
            docs = {
                id(node.body[0].value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
                and node.body
                and isinstance(node.body[0], ast.Expr)
            }
            for node in ast.walk(tree):
                value = node.value if isinstance(node, ast.Constant) else None
                if isinstance(value, str) and id(node) not in docs:
                    yield path, value


def test_every_character_of_the_program_has_its_ascii() -> None:
    console.write_any_text()
    for path, text in texts_of_commands():
        if text != "\ufeff":  # a byte order mark, which is read and never printed
            shown = text.encode("ascii", "thoughtful-ascii").decode()
            assert shown.count("\\") == text.count("\\"), f"{path}: {text!r}"
    assert "Zoë\udcff\u4e2d".encode("ascii", "thoughtful-ascii") == b"Zoe\xff\\u4e2d"
