"""Deals and positions as arguments of commands: names, texts of any form, and files of them."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from catalogue.commands import completing
from engine.errors import BadInput
from engine.games import game_of

if TYPE_CHECKING:
    from engine.game import Game, Position, Rules
    from engine.intake import ReadEntry
    from engine.text.deal_lines import InputDeal

From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        autocompletion=completing.formats,
        help="The format of what is read; by default that which it looks like",
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


def shown(file: str) -> str:
    """The name of a file for sentences."""
    return "standard input" if file == "-" else file


@contextmanager
def opened(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """A file or standard input, and the number of its lines if somebody watches a bar.

    Raises:
        BadInput: it cannot be read.
    """
    from catalogue.streams import open_input

    with open_input(file) as stream:
        lines = None
        if file != "-" and Path(file).is_file() and sys.stderr.isatty():
            lines = sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))
            stream.seek(0)
        yield stream, lines


def entries_of(file: str, rules: "Rules", form: str | None = None) -> "Iterator[ReadEntry]":
    """The entries of a file.

    Raises:
        BadInput: it cannot be read, or an entry is wrong; the sentence names file and line.
    """
    from engine.intake import WrongEntry, read_entries

    with opened(file) as (stream, _lines):
        for entry in read_entries(stream, rules, form):
            if isinstance(entry, WrongEntry):
                raise BadInput(f"{shown(file)}, line {entry.line}: {entry.reason}")
            yield entry


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
    if file is None:
        return _under(_read(text, rules, form), rules)
    entries = entries_of(file, rules, form)
    first = next(entries, None)
    if first is None:
        raise BadInput(f"{shown(file)} holds no deal: expected one")
    _under(first, rules, f"{shown(file)}, line {first.line}: ")
    second = next(entries, None)
    if second is not None:
        raise BadInput(
            f"{shown(file)} holds more than one entry: expected one, and line {second.line} begins "
            "another"
        )
    return first


def _under(entry: "ReadEntry", rules: "Rules", place: str = "") -> "ReadEntry":
    """The entry, unless it says that it is under another ruleset."""
    data = entry.data or {}
    told = data.get("position", data)
    named = told.get("rules") if isinstance(told, dict) else None
    if isinstance(named, str) and named != rules.slug:
        raise BadInput(f"{place}it is under {named}, not under {rules.slug}: give --rules {named}")
    return entry


@dataclass(frozen=True, slots=True)
class Shown:
    """A deal or position that an argument shows.

    Attributes:
        id: its name.
        position: the position, if all cards are known.
        observation: else its JSON, with ``??`` for those that are not.
        entry: what was read, if all cards are known.
    """

    id: str | int
    position: "Position | None"
    observation: "Mapping[str, Any] | None" = None
    entry: "ReadEntry | None" = None


def seen_of(text: str | None, file: str | None, rules: "Rules", form: str | None = None) -> Shown:
    """The deal or position of an argument or a file, of which some cards may be ``??``.

    Raises:
        BadInput: it is none, or a file with several.
    """
    from engine.cards import HIDDEN
    from engine.detection import detect
    from engine.intake import TEXT, WrongEntry, check_form, read_entries

    if form is not None:
        check_form(form, game_of(rules))
    file = file_of(text) if file is None and text is not None else file
    if file is None:
        assert text is not None
        if HIDDEN not in text or form not in (None, TEXT, "json"):
            entry = _under(_read(text, rules, form), rules)
            named = text if _LIKE_A_NAME.fullmatch(text) else "this position"
            return Shown(named, entry.position, entry=entry)
        found = detect(text, rules)
        return Shown("this position", found.position, found.observation)
    with opened(file) as (stream, _lines):
        data = stream.read(_LONGEST_POSITION + 1)
    if len(data) > _LONGEST_POSITION:
        raise BadInput(f"{shown(file)} is too long for a position: expected one")
    if HIDDEN.encode() in data and form in (None, TEXT, "json"):
        try:
            found = detect(data.decode("utf-8-sig"), rules)
        except UnicodeDecodeError:
            raise BadInput(f"{shown(file)} is not UTF-8 text") from None
        except BadInput as error:
            raise BadInput(f"{shown(file)}: {error}") from None
        return Shown(shown(file), found.position, found.observation)
    entries = list(read_entries(BytesIO(data), rules, form))
    wrong = next((each for each in entries if isinstance(each, WrongEntry)), None)
    if wrong is not None:
        raise BadInput(f"{shown(file)}, line {wrong.line}: {wrong.reason}")
    if len(entries) != 1:
        raise BadInput(f"{shown(file)} holds {len(entries) or 'no'} entries: expected one")
    (only,) = entries
    assert not isinstance(only, WrongEntry)
    _under(only, rules, f"{shown(file)}: ")
    named = only.id if isinstance(only.id, str) else shown(file)
    return Shown(named, only.position, entry=only)


def _read(text: str, rules: "Rules", form: str | None) -> "ReadEntry":
    from engine.dealing.dealers import dealers, parse_deal_id
    from engine.intake import EntryReader

    if form is None and _WORD.fullmatch(text):
        if text in dealers():
            parse_deal_id(text)  # its error says what a name looks like
        raise BadInput(
            f"{text!r} is neither a deal nor a file here: expected the name of a deal, such as "
            "thoughtful-1:42, a deal in a format that can be read, or a file"
        )
    return EntryReader(rules, form).read(text, 1)


def is_there(text: str) -> bool:
    """Whether no deal of an argument of `deals_given` has to be waited for, as in a pipe."""
    from catalogue.read_ahead import is_regular

    file = file_of(text)
    return file is None or is_regular(file)


def deals_given(
    texts: list[str], rules: "Rules", form: str | None = None, database: str | None = None
) -> "Iterator[InputDeal]":
    """The deals that arguments name, show, or name files of.

    An argument is a name such as ``thoughtful-1:42``, a sample such as ``thoughtful-1:0-99``, the
    digest of a deal in the catalogue, a deal in any form, or a file of deals, see `file_of`.

    Raises:
        BadInput: an argument is none of these, or of another game; raised before the first deal is
            made, but for what is wrong in standard input.
    """
    from catalogue.read_ahead import read_ahead
    from engine.intake import check_form

    game = game_of(rules)
    if form is not None:
        check_form(form, game)
    makers: list[Iterator[InputDeal]] = []
    for text in texts:
        file = file_of(text)
        if file is not None:
            found = _of_file(file, rules, form)
            makers.append(read_ahead(found) if is_there(text) else found)
        elif _DIGEST.fullmatch(text) and form is None:
            makers.append(iter([_of_catalogue(text, game, database)]))
        elif form is None and _LIKE_A_NAME.fullmatch(text):
            makers.append(_dealt(_sample_named(text, game), game))
        else:
            makers.append(iter([_read(text, rules, form).as_input()]))
    return (item for maker in makers for item in maker)


def _of_file(file: str, rules: "Rules", form: str | None) -> "Iterator[InputDeal]":
    for entry in entries_of(file, rules, form):
        try:
            yield entry.as_input()
        except BadInput as error:
            raise BadInput(f"{shown(file)}, line {entry.line}: {error}") from None


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
