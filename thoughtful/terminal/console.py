"""Output of the commands: data to standard output, progress and remarks to standard error."""

import codecs
import dataclasses
import json
import os
import re
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from catalogue import logs

if TYPE_CHECKING:
    from catalogue.statistics import Interval


# What is written in place of a character that the encoding of the output lacks.
_ASCII = str.maketrans(
    {
        **{
            "–": "-",
            "—": "-",
            "−": "-",
            "·": "*",
            "•": "*",
            "×": "x",
            "÷": "/",
            "±": "+/-",
            "µ": "u",
        },
        **{"≤": "<=", "≥": ">=", "≈": "~", "≠": "!=", "→": "->", "←": "<-", "…": "...", "½": "1/2"},
        **{
            "„": '"',
            "«": '"',
            "»": '"',
            "‘": "'",
            "’": "'",
            "“": '"',
            "”": '"',
            "′": "'",
            "″": '"',
            "✓": "+",
            "✕": "x",
            "✗": "x",
        },
        **{"♠": "S", "♥": "H", "♦": "D", "♣": "C", "♤": "S", "♡": "H", "♢": "D", "♧": "C"},
    }
)
# Bytes of the name of a file that are no text, as Python has them.
_UNDECODED = re.compile(r"[\udc80-\udcff]")
_IN_ASCII = "thoughtful-ascii"
# Seconds before progress is told in a pipe, and between two lines at most.
_FIRST_LINE, _LONGEST_SILENCE = 30.0, 600.0
# Ways with such characters that nobody has asked for: an error, raw bytes, and escapes.
_DEFAULTS = ("strict", "surrogateescape", "backslashreplace")


def write_any_text() -> None:
    """Have text that the encodings of standard output and error lack written in ASCII.

    Outside UTF-8 printing ``≥`` is an error, after half of the output. What PYTHONIOENCODING says
    of such characters is left as it is.
    """
    codecs.register_error(_IN_ASCII, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in _DEFAULTS:
            stream.reconfigure(errors=_IN_ASCII)


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    """The handler of `codecs` for text that cannot be encoded; names of files keep their bytes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    if _UNDECODED.match(text):
        return text[0].encode("ascii", "surrogateescape"), error.start + 1
    text = _UNDECODED.split(text, maxsplit=1)[0]
    decomposed = unicodedata.normalize("NFKD", text.translate(_ASCII)).translate(_ASCII)
    # Without accents and variation selectors, which stand after their letters and signs.
    plain = "".join(each for each in decomposed if unicodedata.category(each) != "Mn")
    return plain.encode("ascii", "backslashreplace").decode("ascii"), error.start + len(text)


def emit(data: Any) -> None:
    """Print one line of JSON; dataclasses become objects, and moments ISO 8601 text."""
    print(_ENCODER.encode(data), flush=True)


def both_ends(interval: "Interval | None") -> list[float] | None:
    """An interval in its JSON form, ``[low, high]``."""
    return None if interval is None else [interval.low, interval.high]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if not field.name.startswith("_")
        }
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


_ENCODER = json.JSONEncoder(default=_plain)


def is_terminal() -> bool:
    """Whether standard error shows what moves: it is a terminal, and log lines are no JSON."""
    return sys.stderr.isatty() and not logs.are_json()


def remark(text: str) -> None:
    """Print a line for people, apart from the data."""
    logs.say(text)


class CompilingNotice:
    """Notice on standard error that kernels are compiled: a line that moves on a terminal.

    See `engine.kernels.compiling.Teller`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._status: Any = None
        self._total: int | None = None
        self._done = 0
        self._is_announced = False

    def begin(self, total: int | None) -> None:
        """Say that compiling begins."""
        with self._lock:
            self._total = total
            if not is_terminal():
                if not self._is_announced:
                    remark("Compiling the search, once on this machine ...")
                self._is_announced = True
            elif self._status is None:
                from rich.console import Console
                from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

                self._status = Progress(
                    SpinnerColumn("line"),
                    TextColumn("{task.description}"),
                    TimeElapsedColumn(),
                    console=Console(stderr=True),
                    transient=True,
                    redirect_stdout=False,
                )
                self._status.add_task(self._sentence(self._done))
                self._status.start()

    def step(self, done: int) -> None:
        """Say how far it is."""
        with self._lock:
            self._done = done
            if self._status is not None:
                self._status.update(self._status.task_ids[0], description=self._sentence(done))

    def end(self) -> None:
        """Clear the line."""
        with self._lock:
            if self._status is not None:
                self._status.stop()
                self._status = None

    def _sentence(self, done: int) -> str:
        of = "" if self._total is None else f": {min(done + 1, self._total)} of {self._total}"
        return f"Compiling the search, once on this machine{of} ..."


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """Print a table as text; the columns named in `numbers` are aligned right.

    Nothing is cut: in a narrow terminal cells are wrapped between words, and where not even the
    words fit beside each other, each row is printed as a list.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    width = _width()
    words = [
        max(_longest_word(text) for text in (column, *(row[at] for row in cells)))
        for at, column in enumerate(columns)
    ]
    # Three blanks between two columns, and one at each end.
    room = width - 3 * len(words)
    if sum(words) > room:
        _show_records(columns, cells, width, title)
        return
    whole = [
        max(len(text) for text in (column, *(row[at] for row in cells)))
        for at, column in enumerate(columns)
    ]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for column, wide in zip(columns, _shared_out(room, words, whole), strict=True):
        justify: Any = "right" if column in numbers else "left"
        table.add_column(column, justify=justify, width=wide)
    for row in cells:
        table.add_row(*row)
    Console(width=width, markup=False, highlight=False, emoji=False).print(table)


def _shared_out(room: int, least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Widths of columns: what each wants if there is room, else shares of it above its least."""
    wanted = sum(most) - sum(least)
    spare = min(room - sum(least), wanted)
    return [
        low + (high - low) * spare // max(1, wanted) for low, high in zip(least, most, strict=True)
    ]


def _width() -> int:
    """Characters of a line: of the terminal, or as COLUMNS says; a pipe has a wide one."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named) > 0:
        return int(named)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 250


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _show_records(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, title: str | None
) -> None:
    """Print each row as lines of a heading and its value; empty values are left out."""
    from textwrap import fill

    if title is not None:
        print(title)
    label = max(map(len, columns)) + 4
    for row in rows:
        print()
        for at, (column, text) in enumerate(zip(columns, row, strict=True)):
            if text and at == 0:
                print(fill(text, width, break_on_hyphens=False))
            elif text:
                print(
                    fill(
                        text,
                        width,
                        initial_indent=f"  {column}".ljust(label),
                        subsequent_indent=" " * label,
                        break_on_hyphens=False,
                    )
                )
    print()


def print_markdown(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[int] = ()
) -> None:
    """Print a table as readable Markdown; the columns with indices in `numbers` align right."""
    lines = [tuple(columns), *map(tuple, rows)]
    widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(columns))]

    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def placed(cells: Sequence[str]) -> Iterator[str]:
        for at, cell in enumerate(cells):
            yield cell.rjust(widths[at]) if at in numbers else cell.ljust(widths[at])

    print(line(placed(lines[0])))
    print(line("-" * (w - 1) + (":" if at in numbers else "-") for at, w in enumerate(widths)))
    for cells in lines[1:]:
        print(line(placed(cells)))


class _SparseLines:
    """Progress as lines of a log: the first after `_FIRST_LINE` seconds, then ever more rarely."""

    def __init__(self, label: str, total: int | None) -> None:
        self._label, self._total = label, total
        self._since = time.monotonic()
        self._next = _FIRST_LINE

    def update(self, done: int, _remark: str) -> None:
        """Print a line if it is time for one."""
        passed = time.monotonic() - self._since
        if passed < self._next or done == self._total:
            return
        self._next = min(2 * passed, passed + _LONGEST_SILENCE)
        of = "" if self._total is None else f" of {self._total:,}"
        remark(f"{self._label}: {done:,}{of} after {passed:.0f} s")


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[[int, str], None]]:
    """Show a progress bar, in a pipe a line now and then; update it with (done, remark)."""
    if not is_terminal():
        yield _SparseLines(label, total).update
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, remark="")
        yield lambda done, remark: bar.update(task, completed=done, remark=remark)
