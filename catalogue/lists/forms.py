"""The formats of lists by name, and which of them a file has."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from catalogue.lists import binary_form, csv_form, json_form, pysolfc_form, text_form
from catalogue.lists.grades import ListedSeed
from catalogue.lists.header import ListHeader
from catalogue.lists.lines import lines_of
from catalogue.lists.seed_list import LISTED, ROWS, UNDECIDED, SeedList
from catalogue.lists.spool import Spool
from engine.errors import BadInput

_COUNTED = {LISTED: "listed deals", UNDECIDED: "undecided deals", ROWS: "rows"}
# Bytes at the beginning of a file that tell its format at most; comments may come first.
_HEAD = 1 << 20


@dataclass(frozen=True, slots=True)
class ListForm:
    """A format of lists: its writer and its reader.

    Attributes:
        name: for ``--format``.
        is_text: whether a terminal can show it.
        check: raises BadInput unless the format can hold the list.
        write: writes a list to a stream of bytes.
        read: reads a list from a stream of bytes that can be read from any place.
    """

    name: str
    is_text: bool
    check: Callable[[ListHeader], None]
    write: Callable[[ListHeader, Spool, BinaryIO], None]
    read: Callable[[BinaryIO], SeedList]


def _holds_all(header: ListHeader) -> None:
    """Every list fits."""


FORMS = {
    each.name: each
    for each in (
        ListForm("text", True, _holds_all, text_form.write, text_form.read),
        ListForm("pysolfc", True, pysolfc_form.check, pysolfc_form.write, pysolfc_form.read),
        ListForm("json", True, _holds_all, json_form.write, json_form.read),
        ListForm("csv", True, _holds_all, csv_form.write, csv_form.read),
        ListForm("binary", False, binary_form.check, binary_form.write, binary_form.read),
    )
}


def get_form(name: str) -> ListForm:
    """The format of a name.

    Raises:
        BadInput: there is none.
    """
    if name not in FORMS:
        raise BadInput(f"unknown format {name!r}: expected one of {', '.join(FORMS)}")
    return FORMS[name]


def detect(stream: BinaryIO) -> ListForm:
    """The format of a file, by how it begins; the stream is left at its beginning.

    Raises:
        BadInput: it is no list.
    """
    head = stream.read(_HEAD)
    stream.seek(0)
    if head.startswith(binary_form.MAGIC[:4]):
        return FORMS["binary"]
    comments = 0
    for text in _facts_in(head):
        if text.startswith("#"):
            comments += 1
            continue
        if text.startswith(pysolfc_form.OPENING):
            return FORMS["pysolfc"]
        if text.startswith("{"):
            return FORMS["json"]
        if tuple(text.split(",")) in (csv_form.COLUMNS, csv_form.EARLIER):
            return FORMS["csv"]
        if text.split()[0].isdigit():
            return FORMS["text"]
        break
    else:
        if comments:
            return FORMS["text"]
    raise BadInput(f"it is no list: expected one in the formats {', '.join(FORMS)}")


def _facts_in(head: bytes) -> Iterator[str]:
    """The lines of the beginning of a file that are not blank, if it is text."""
    try:
        yield from (line for _, line in lines_of(chain(head.splitlines())) if line)
    except BadInput:
        return


def facts_shown(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The header of a list for people: names and values."""
    for name, value in facts.items():
        if isinstance(value, tuple):
            text = "-".join(map(str, value)) if name == "levels" else ", ".join(value)
        else:
            text = "all" if value is None else str(value)
        yield name.replace("_", " "), text


def entries_of(found: SeedList) -> Iterator[ListedSeed]:
    """The seeds that a list names.

    Raises:
        BadInput: a seed is named twice or is outside the range of the list, an entry is wrong,
            half of the range is missing, or there are not as many entries as the list says.
    """
    first, seeds = found.facts.get("first_seed"), found.facts.get("seeds")
    if (first is None) != (seeds is None):
        missing = "first_seed" if first is None else "seeds"
        raise BadInput(f"its {missing!r} is missing: expected with the other half of the range")
    last = None if first is None or seeds is None else first + seeds - 1
    previous: dict[bool, int] = {}
    counts = {LISTED: 0, UNDECIDED: 0}
    for entry in found.entries:
        if first is not None and last is not None and not first <= entry.seed <= last:
            raise BadInput(f"its seed {entry.seed} is out of range: expected {first} to {last}")
        # Formats that have undecided seeds apart are in order twice.
        kind = entry.category == "winnable"
        if entry.seed <= previous.get(kind, -1):
            raise BadInput(
                f"its seed {entry.seed} comes after {previous[kind]}: expected ascending seeds"
            )
        previous[kind] = entry.seed
        counts[LISTED if kind else UNDECIDED] += 1
        yield entry
    counts[ROWS] = sum(counts.values())
    for name, wanted in found.counts.items():
        if name in counts and counts[name] != wanted:
            raise BadInput(
                f"it is not whole: it has {counts[name]:,} {_COUNTED[name]}, and says that it has "
                f"{wanted:,}"
            )
