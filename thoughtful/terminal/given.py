"""Deals and positions as arguments of commands: names, texts of any form, and files of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from engine.errors import BadInput
from engine.games import game_of
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.files import shown

if TYPE_CHECKING:
    from engine.game import Game, Rules
    from engine.intake import EntryReader, InputPosition, ReadEntry, WrongEntry
    from engine.text.deal_lines import InputDeal

From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        autocompletion=completing.formats,
        help="Format of the input (default: detected, entry by entry)",
    ),
]
Notation = Annotated[
    str | None,
    typer.Option(
        "--notation",
        "--to",
        metavar="NOTATION",
        autocompletion=completing.notations,
        help="Write moves in the notation of another program, such as pysolfc",
    ),
]

# Deals of a sample made at once; more would only use memory.
_BLOCK = 1000
_LIKE_A_NAME = re.compile(r"[^\s:{]+:[0-9-]+")
_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)
_WORD = re.compile(r"[A-Za-z][\w.-]*")
# Bytes of a file with one position.
_LONGEST_POSITION = 1 << 20
# No name of a file is longer.
_LONGEST_NAME = 255


@contextmanager
def opened(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """A file or standard input, and the number of its lines if somebody watches a bar.

    Raises:
        BadInput: it cannot be read.
    """
    from catalogue.streams import open_input

    with open_input(file) as stream:
        lines = None
        if file != "-" and Path(file).is_file() and console.is_terminal():
            lines = sum(part.count(b"\n") for part in iter(lambda: stream.read(1 << 20), b""))
            stream.seek(0)
        yield stream, lines


def entries_of(
    file: str,
    rules: "Rules",
    form: str | None = None,
    on_wrong: "Callable[[WrongEntry], None] | None" = None,
) -> "Iterator[ReadEntry]":
    """The entries of a file.

    Args:
        file: its path; ``-`` is standard input.
        rules: the ruleset of entries that state none.
        form: the format of all entries.
        on_wrong: is told of each wrong entry, which is then left out; None to raise it.

    Raises:
        BadInput: it cannot be read, or an entry is wrong; the sentence names file and line.
    """
    return _opened_entries(file, _reader(rules, form), on_wrong)


def _opened_entries(
    file: str, reader: "EntryReader", on_wrong: "Callable[[WrongEntry], None] | None"
) -> "Iterator[ReadEntry]":
    with opened(file) as (stream, _lines):
        yield from _good(stream, shown(file), reader, on_wrong)


def _good(
    stream: BinaryIO,
    place: str,
    reader: "EntryReader",
    on_wrong: "Callable[[WrongEntry], None] | None" = None,
) -> "Iterator[ReadEntry]":
    from engine.intake import WrongEntry
    from engine.intake import entries_of as entries

    for entry in entries(stream, reader):
        if not isinstance(entry, WrongEntry):
            yield entry
        elif on_wrong is not None:
            on_wrong(entry)
        else:
            where = f"{place}, line {entry.line}: " if place else ""
            raise BadInput(f"{where}{entry.reason}")


def file_of(text: str) -> str | None:
    """The file that an argument names: ``-``, ``@file`` or the path of a file; None for others."""
    if text == "-":
        return text
    if text.startswith("@"):
        return text[1:]
    if len(text) <= _LONGEST_NAME and not _LIKE_A_NAME.fullmatch(text) and "\n" not in text:
        try:
            return text if Path(text).is_file() else None
        except (OSError, ValueError):
            return None
    return None


def entry_of(text: str, rules: "Rules", form: str | None = None) -> "ReadEntry":
    """The deal or position that an argument names, shows, or names a file of.

    Raises:
        BadInput: it is none, or a file with several.
    """
    file = file_of(text)
    if file is not None:
        return entry_in(file, rules, form)
    from engine.intake import read_one

    _check_word(text, form)
    return read_one(text, _reader(rules, form))


def entry_in(file: str, rules: "Rules", form: str | None = None) -> "ReadEntry":
    """The only deal or position of a file.

    Raises:
        BadInput: it holds none, or several.
    """
    from engine.intake import read_one

    with opened(file) as (stream, _lines):
        data = stream.read(_LONGEST_POSITION + 1)
    if len(data) > _LONGEST_POSITION:
        raise BadInput(f"{shown(file)} is too long for a position: expected one")
    return read_one(data, _reader(rules, form), shown(file))


def _reader(rules: "Rules", form: str | None) -> "EntryReader":
    from engine.intake import EntryReader

    return EntryReader(rules, form, asked=options.names_rules())


def seen_of(
    text: str | None, file: str | None, rules: "Rules", form: str | None = None
) -> "tuple[str | int, ReadEntry]":
    """The name and the deal or position of an argument or a file; some cards may be ``??``.

    Raises:
        BadInput: it is none, or a file with several.
    """
    file = file_of(text) if file is None and text is not None else file
    if file is not None:
        entry = entry_in(file, rules, form)
        return entry.id if isinstance(entry.id, str) else shown(file), entry
    assert text is not None
    entry = entry_of(text, rules, form)
    return text if _LIKE_A_NAME.fullmatch(text) else "this position", entry


def _check_word(text: str, form: str | None) -> None:
    """Raise BadInput for one word that can only be meant as a name."""
    from engine.dealing.dealers import dealers, parse_deal_id

    if form is None and _WORD.fullmatch(text):
        if text in dealers():
            parse_deal_id(text)  # its error says what a name looks like
        raise BadInput(
            f"{text!r} is neither a deal nor a file here: expected the name of a deal, such as "
            "thoughtful-1:42, a deal in a format that can be read, or a file"
        )


def is_there(text: str) -> bool:
    """Whether no deal of an argument of `deals_given` has to be waited for, as in a pipe."""
    from catalogue.read_ahead import is_regular

    file = file_of(text)
    return file is None or is_regular(file)


def deals_given(
    texts: list[str],
    rules: "Rules",
    form: str | None = None,
    database: str | None = None,
    on_wrong: "Callable[[WrongEntry], None] | None" = None,
) -> "Iterator[InputDeal | InputPosition]":
    """The deals and positions that arguments name, show, or name files of.

    An argument is a name such as ``thoughtful-1:42``, a sample such as ``thoughtful-1:0-99``, the
    digest of a deal in the catalogue, deals or positions in any form, or a file of them, see
    `file_of`.

    Raises:
        BadInput: an argument is none of these, or of another game; raised before the first deal is
            made, but for what is wrong in standard input.
    """
    from catalogue.read_ahead import read_ahead
    from engine.intake import check_form
    from engine.text.encoding import as_stream

    game = game_of(rules)
    if form is not None:
        check_form(form, game)
    sources: list[Iterator[InputDeal | InputPosition]] = []
    for text in texts:
        file = file_of(text)
        if file is not None:
            entries = entries_of(file, rules, form, on_wrong)
            found = _as_given(entries, shown(file))
            sources.append(read_ahead(found) if is_there(text) else found)
        elif _DIGEST.fullmatch(text) and form is None:
            sources.append(iter([_of_catalogue(text, game, database)]))
        elif form is None and _LIKE_A_NAME.fullmatch(text):
            sources.append(_dealt(_sample_named(text, game), game))
        else:
            _check_word(text, form)
            place = "the text" if "\n" in text else ""
            entries = _good(as_stream(text), place, _reader(rules, form))
            sources.append(read_ahead(_as_given(entries, place)))
    return (item for source in sources for item in source)


def _as_given(entries: "Iterator[ReadEntry]", place: str) -> "Iterator[InputDeal | InputPosition]":
    for entry in entries:
        try:
            yield entry.as_given()
        except BadInput as error:
            raise BadInput(
                f"{place}, line {entry.line}: {error}" if place else str(error)
            ) from None


def only_deals(given: "Iterable[InputDeal | InputPosition]", instead: str) -> "Iterator[InputDeal]":
    """The deals among what is given.

    Args:
        given: as `deals_given` yields it.
        instead: where positions can be given.

    Raises:
        BadInput: one is a position.
    """
    from engine.intake import InputPosition

    for item in given:
        if isinstance(item, InputPosition):
            name = f"{item.id} is" if isinstance(item.id, str) else "this is"
            raise BadInput(
                f"{name} a position in mid-game, and a starting deal is expected: {instead}"
            )
        yield item


def _of_catalogue(digest: str, game: "Game", database: str | None) -> "InputDeal":
    from catalogue.reading.deal_detail import deal_detail
    from catalogue.store import open_catalogue
    from engine.text.deal_lines import InputDeal

    with open_catalogue(database) as catalogue:
        detail = deal_detail(catalogue, digest, game)
    if detail.game != game:
        raise BadInput(f"{digest} is a deal of {detail.game.name}: expected one of {game.name}")
    return InputDeal(detail.deal, detail.cards, detail.dealer, detail.seed)


def _sample_named(text: str, game: "Game") -> Any:
    from engine.dealing.dealers import Sample, get_dealer, parse_deal_id, parse_sample

    if "-" in text.rpartition(":")[2].lstrip("-"):
        sample = parse_sample(text)
    else:
        dealer, seed = parse_deal_id(text)
        sample = Sample(dealer.slug, seed, 1)
    get_dealer(sample.dealer).check_game(game)
    return sample


def _dealt(sample: Any, game: "Game") -> "Iterator[InputDeal]":
    from engine.dealing.dealers import get_dealer
    from engine.text.deal_lines import InputDeal

    dealer = get_dealer(sample.dealer)
    for first in range(sample.first, sample.last + 1, _BLOCK):
        cards = dealer.deal_block(first, min(_BLOCK, sample.last + 1 - first), game)
        for seed, row in enumerate(cards, start=first):
            yield InputDeal(f"{dealer.slug}:{seed}", game.deal(row.tolist()), dealer.slug, seed)
