"""`list`: winnable deals of a range of seeds for programs of others, and reading such lists."""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.lists.grades import Levels
    from catalogue.lists.header import ListHeader
    from catalogue.lists.spool import Spool

# Runs of undecided seeds that are named on standard error; the files name all of them.
_NAMED = 100


@examples(
    "thoughtful list --dealer pysolfc --seeds 40000-40099 --format pysolfc",
    "thoughtful list --dealer thoughtful-1 --seeds 0-99 -f binary -o won.bin",
    "thoughtful list --read won.bin",
    "thoughtful list --read won.bin --seeds 40-45",
    "thoughtful list --dealer thoughtful-1 --seeds 0-99 --stored --format csv",
)
def list_deals(
    rules: options.Rules = DEFAULT_RULESET,
    dealer: Annotated[
        str | None,
        typer.Option(
            "--dealer",
            metavar="DEALER",
            autocompletion=completing.dealers,
            help="The dealer; see `thoughtful dealers`",
        ),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="A-B", help="The seeds: one, or from A to B")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            metavar="A-B",
            autocompletion=completing.levels,
            help="Only these levels, 1 to 10: one, or from A to B",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            autocompletion=completing.list_formats,
            help="pysolfc, text (default), json, csv or binary",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the list here; - is standard output"
        ),
    ] = "-",
    stored: Annotated[
        bool,
        typer.Option("--stored", help="Take only verdicts and levels that the catalogue has"),
    ] = False,
    solver: Annotated[
        str | None,
        typer.Option(
            "--solver",
            "-s",
            metavar="SOLVER",
            autocompletion=completing.solvers,
            help="The solver of deals without a verdict; by default that of `thoughtful solve`",
        ),
    ] = None,
    grade: Annotated[
        bool | None,
        typer.Option(
            help="Predict the level of winnable deals that have none, if levels have been fitted; "
            "by default with --level alone, since it takes far longer than solving"
        ),
    ] = None,
    read: Annotated[
        str | None,
        typer.Option(
            "--read",
            metavar="FILE",
            help="Read and check a list of any format instead; with --seeds, print its "
            "entries for these",
        ),
    ] = None,
    workers: options.Workers = None,
    json: Annotated[bool, typer.Option("--json", help="Print what --read finds as JSON")] = False,
    database: options.Database = None,
) -> None:
    """List the winnable deals of a range of seeds, for programs that deal them.

    Verdicts come from the catalogue where it knows them; the other deals are solved, and a referee
    replays every win. A deal is listed only if it is proved winnable. Deals that stay undecided are
    named on standard error. With --level, deals without a known level are not listed.
    Nothing is stored, and no catalogue is needed.

    The formats are: pysolfc, the Python module of seeds that PySolFC draws from; text, one seed
    per line; json; csv; binary, two bits and a byte per seed, found by its position.
    """
    from catalogue.lists.forms import get_form
    from catalogue.lists.making import ListRequest, write_list
    from catalogue.settings import get_settings
    from engine.dealing.dealers import Sample
    from engine.rulesets import parse_ruleset
    from solvers.solver import parse_solver

    if read is not None:
        named = {"--dealer": dealer, "--level": level, "--solver": solver}
        for option, value in named.items():
            if value is not None:
                raise BadInput(f"--read takes the list as it is: leave {option} out")
        if output != "-" or stored:
            raise BadInput("--read writes nothing: leave --output and --stored out")
        _read(read, None if form is None else get_form(form).name, _span("--seeds", seeds), json)
        return
    if json:
        raise BadInput("--json applies only to --read: a list in JSON is --format json")
    if dealer is None or seeds is None:
        raise BadInput(
            "list needs a dealer and seeds, such as --dealer thoughtful-1 --seeds 0-99, "
            "or --read FILE"
        )
    first, last = _span("--seeds", seeds) or (0, 0)
    levels, chosen = _levels(level), get_form(form or "text")
    if not chosen.is_text and output == "-" and sys.stdout.isatty():
        raise BadInput("a binary list is no text for a terminal: name a file with --output")
    request = ListRequest(
        parse_ruleset(rules),
        Sample(dealer, first, last - first + 1),
        levels,
        None if solver is None else parse_solver(solver),
        stored,
        level is not None if grade is None else grade,
        workers or get_settings().workers,
    )
    write_list(request, chosen, output, url=database, phases=console.progress, on_written=_tell)


def _tell(header: "ListHeader", spool: "Spool") -> None:
    """Say what the list has, and name undecided deals, on standard error."""
    import numpy as np

    from catalogue.lists.grades import CATEGORIES, UNDECIDED, graded, listed, spans, winnable

    counts: Counter[str] = Counter()
    chosen = without = 0
    for _, grades in spool.chunks():
        chosen += int(listed(grades, header.levels).sum())
        without += int((winnable(grades) & ~graded(grades)).sum())
        for code, number in Counter(grades.tolist()).items():
            counts[CATEGORIES[code]] += number
    parts = [f"{counts[each]:,} {each}" for each in ("winnable", "unwinnable", *UNDECIDED)]
    facts = ", ".join(part for part in parts if not part.startswith("0 "))
    console.remark(
        f"{header.dealer}:{header.first_seed}-{header.last_seed} under {header.ruleset}: "
        f"{chosen:,} listed; {facts}"
    )
    if without and header.levels is not None:
        console.remark(f"{without:,} winnable deals have no level, and are not listed")
    for category, code in UNDECIDED.items():
        named = 0
        for first, last in spans(spool.chunks(), partial(np.equal, code)):
            named += 1
            if named <= _NAMED:
                span = str(first) if first == last else f"{first}-{last}"
                console.remark(f"undecided: {header.dealer}:{span} {category}")
        if named > _NAMED:
            console.remark(
                f"undecided: {named - _NAMED:,} further runs of seeds are {category}; the formats "
                "text, json, csv and binary name each of them"
            )


def _read(file: str, form: str | None, seeds: tuple[int, int] | None, json: bool) -> None:
    from thoughtful.terminal.files import shown

    with _opened(file) as stream:
        try:
            if seeds is None:
                _read_all(shown(file), stream, form, json)
            else:
                _look_up(stream, form, seeds, json)
        except BadInput as error:
            raise BadInput(f"{shown(file)}: {error}") from None


def _read_all(name: str, stream: BinaryIO, form_name: str | None, json: bool) -> None:
    from catalogue.lists.forms import detect, entries_of, facts_shown, get_form
    from catalogue.lists.grades import HARDEST

    form = detect(stream) if form_name is None else get_form(form_name)
    found = form.read(stream)
    counts: Counter[str] = Counter()
    by_level: Counter[int | None] = Counter()
    for entry in entries_of(found):
        counts[entry.category] += 1
        if entry.category == "winnable":
            by_level[entry.level] += 1
    levels = {level: by_level[level] for level in (*range(1, HARDEST + 1), None) if by_level[level]}
    if json:
        facts: dict[str, Any] = {"file": name, "format": form.name, **found.facts}
        if found.covering is not None:
            facts["covering"] = found.covering
        listed = counts.pop("winnable", 0)
        rows = [{"level": level, "deals": number} for level, number in levels.items()]
        facts |= {"listed": listed, "undecided": dict(counts), "by_level": rows}
        console.emit(facts | {"is_whole": True if found.counts else None})
        return
    print(f"{name}: a list in the format {form.name}, {_soundness(bool(found.counts))}")
    for fact, text in facts_shown(found.facts):
        print(f"  {fact:<15} {text}")
    if found.covering is not None:
        print(f"  {'covering':<15} {', '.join(f'{low}-{high}' for low, high in found.covering)}")
    print(f"  {'listed':<15} {counts.pop('winnable', 0):,}")
    for category, number in counts.items():
        print(f"  {category:<15} {number:,}")
    if set(levels) - {None}:
        per_level = [f"{'none' if level is None else level}: {n:,}" for level, n in levels.items()]
        print(f"  {'by level':<15} {', '.join(per_level)}")


def _soundness(is_counted: bool) -> str:
    """Whether a list that can be read is whole, in words."""
    if is_counted:
        return "sound"
    return "readable, but it does not say how many deals it has: it may have been cut"


def _look_up(stream: BinaryIO, form_name: str | None, seeds: tuple[int, int], json: bool) -> None:
    for seed, verdict, level in _looked_up(stream, form_name, seeds):
        if json:
            console.emit({"seed": seed, "verdict": verdict, "level": level})
        else:
            print(seed, verdict, *([] if level is None else [f"level {level}"]))


def _looked_up(
    stream: BinaryIO, form_name: str | None, seeds: tuple[int, int]
) -> Iterator[tuple[int, str, int | None]]:
    """Each seed with what the list says of it, and its level."""
    from catalogue.lists.binary_form import BinaryList
    from catalogue.lists.forms import detect, entries_of, get_form
    from catalogue.lists.grades import CATEGORIES, ListedSeed

    form = detect(stream) if form_name is None else get_form(form_name)
    if not form.is_text:
        found = BinaryList(stream)
        for seed in range(seeds[0], seeds[1] + 1):
            verdict = found.verdict(seed)
            word = "listed" if verdict.listed else f"not listed, {CATEGORIES[verdict.grade]}"
            yield seed, word, ListedSeed(seed, verdict.grade).level
        return
    wanted = range(seeds[0], seeds[1] + 1)
    entries = {each.seed: each for each in entries_of(form.read(stream)) if each.seed in wanted}
    for seed in wanted:
        entry = entries.get(seed)
        if entry is None:
            yield seed, "not listed", None
        elif entry.category == "winnable":
            yield seed, "listed", entry.level
        else:
            yield seed, f"not listed, {entry.category}", None


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """A file that can be read from any place; standard input is copied to one."""
    import shutil

    from catalogue.streams import open_input

    with open_input(file) as stream:
        if file != "-":
            yield stream
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield copy


def _span(option: str, text: str | None) -> tuple[int, int] | None:
    """The ends of a range such as ``40000-40999``, or of one seed."""
    if text is None:
        return None
    first, dash, last = text.strip().partition("-")
    ends = (first, last if dash else first)
    if not all(end.isascii() and end.isdigit() and len(end) <= 40 for end in ends):
        raise BadInput(f"{option} {text!r}: expected a seed or a range such as 40000-40999")
    low, high = map(int, ends)
    if high < low:
        raise BadInput(f"{option} {text!r} runs backwards: {low} comes after {high}")
    return low, high


def _levels(text: str | None) -> "Levels":
    from catalogue.lists.grades import HARDEST

    found = _span("--level", text)
    if found is not None and not 1 <= found[0] <= found[1] <= HARDEST:
        raise BadInput(f"--level {text!r}: expected levels from 1 to {HARDEST}, such as 3-5")
    return found
