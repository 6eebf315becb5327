"""Tests of `sql`: rows as text, CSV, JSON and files."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from command_line import Thoughtful


def test_the_command_prints_and_writes(thoughtful: Thoughtful, tmp_path: Path) -> None:
    assert thoughtful("solve", "thoughtful-1:0-9", "--store").code == 0
    query = "SELECT deal, length FROM outcomes WHERE result = 'won' ORDER BY deal"
    answer = thoughtful("sql", query, "--json")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.lines
    assert lines
    csv = thoughtful("sql", query, "--csv").out.splitlines()
    assert csv[1:] == [f'"{line["deal"]}",{line["length"]}' for line in lines]
    for name in ("won.parquet", "won.json", "won.csv"):
        assert thoughtful("sql", query, "-o", str(tmp_path / name)).code == 0
    assert pyarrow.parquet.read_table(tmp_path / "won.parquet").to_pylist() == lines
    assert (tmp_path / "won.json").read_text() == answer.out
    assert (tmp_path / "won.csv").read_text().splitlines() == csv
    shown = thoughtful("sql", f"{query}; SELECT 'a;b' AS second").out
    assert lines[0]["deal"] in shown
    assert "a;b" in shown
    for wrong, words in [
        (("sql", query, "--csv", "--json"), "exclude each other"),
        (("sql", query, "-o", "won.txt"), "expected a name that ends in"),
        (("sql", "FROM nowhere"), "there is no table nowhere"),
        (("sql", "SELECT [1] AS few", "--csv"), "in the column few: use JSON"),
        (("sql", "SELECT [1] AS few", "-o", "few.csv"), "in the column few: use JSON"),
    ]:
        ran = thoughtful(*wrong)
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err


@pytest.mark.parametrize(
    "words", [("sql", "SELECT count(*) FROM deals"), ("dataset", "build", "small", "-o", "small")]
)
def test_nothing_is_said_of_the_library_at_the_end(
    words: tuple[str, ...], thoughtful: Thoughtful, tmp_path: Path
) -> None:
    """DuckDB reports what Python leaves behind, which is no leak."""
    assert thoughtful("solve", "thoughtful-1:0", "--store").code == 0
    ran = subprocess.run(
        [Path(sys.executable).with_name("thoughtful"), *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout
    assert ran.stderr == ""
