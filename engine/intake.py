"""Deals, positions and solutions out of files of any form that we can read, entry by entry.

`engine.text.entries` tells entries apart. Each is read in the form that is named, or else in that
which it looks like (`engine.detection`). A wrong entry does not end the reading: it is yielded as
what is wrong with it.
"""

import json
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, BinaryIO

from engine.cards import HIDDEN
from engine.dealing.dealers import Dealer, dealers, parse_deal_id
from engine.detection import Detected, detect
from engine.errors import BadInput, Renamed
from engine.game import Codec, Deal, Game, Move, Position, Rules
from engine.games import game_of, games
from engine.notations import read_moves
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal, input_deal
from engine.text.dialects import COLUMNS, dialect_of, fields_of
from engine.text.encoding import TextLine, as_stream, read_lines, read_text
from engine.text.entries import Shape, TextEntry, split_entries, split_lines
from engine.text.normal import plain_text
from engine.text.printed import form_of
from engine.text.strict_json import looks_like_json, parse_json

TEXT, CSV, NAME = "text", "csv", "name"
_SEED = re.compile(r"[0-9]{1,40}", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9-]*:[0-9_]+", re.ASCII)
_LIKE_A_NAME = re.compile(r"[^\s:]+:[0-9_-]+")
# A name as people spell it: ``PySolFC #5``, ``pysolfc,5``.
_SPELT = re.compile(r"(?P<word>[A-Za-z][A-Za-z0-9-]*)[\s:#,;]+(?P<number>[0-9]{1,40})", re.ASCII)
_RULES = re.compile(
    r"^[\s\"'`>*-]*rules(?:et)?\s*[:=]\s*[\"'`]?(?P<slug>[\w.-]+)", re.IGNORECASE | re.MULTILINE
)
# What the analysis board copies as text: a deal, and where moves lead from it.
_COPIED = re.compile(
    r"""\s*deal:[ \t]*(?P<deal>\S.*)\n+[ \t]*rules:[ \t]*(?P<rules>[\w.-]+)[ \t]*\n+
    [ \t]*moves:(?P<moves>.*)(?:\n+[ \t]*position:[ \t]*(?P<position>\S.*))?\s*""",
    re.IGNORECASE | re.VERBOSE,
)
# How a sentence about a line of an entry begins.
_LINE = re.compile(r"line (?P<number>[0-9]{1,6}): ")
_A_NAME = "the name of a deal"


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """The contents of an entry.

    Attributes:
        line: number of its first line.
        id: the name that it gives, else that of its dealer and seed, else the number of its line.
        deal: the starting deal; None for a position in mid-game.
        dealer: slug of the deal's dealer; None if the entry names none.
        seed: seed of the dealer; None without one.
        rules: the ruleset that is played.
        shown: the position of an entry that is no deal; None for a deal.
        data: the JSON of the entry, if it is JSON, for what else it says.
        observation: the JSON of a position of which cards are not known, or None.
        form: what the entry is, in words.
        stated: whether the entry itself states the ruleset.
    """

    line: int
    id: str | int
    deal: Deal | None
    dealer: str | None
    seed: int | None
    rules: Rules
    shown: Position | None = None
    data: dict[str, Any] | None = None
    observation: Mapping[str, Any] | None = None
    form: str = ""
    stated: bool = False

    @property
    def name(self) -> str | None:
        """The name of the deal, if it has one."""
        return None if self.dealer is None else f"{self.dealer}:{self.seed}"

    @property
    def position(self) -> Position:
        """The position, at its start if it is a deal.

        Raises:
            BadInput: a card of it is not known.
        """
        self._check_known()
        if self.shown is not None:
            return self.shown
        assert self.deal is not None  # one of the two is there
        # Made when it is asked for: most deals are only solved.
        return game_of(self.rules).start(self.deal, self.rules)

    def as_input(self) -> InputDeal:
        """The deal, for a solver.

        Raises:
            BadInput: it is a position in mid-game.
        """
        self._check_known()
        if self.deal is None:
            raise BadInput("this is a position in mid-game: expected a starting deal")
        rules = self.rules.slug if self.stated else None
        return InputDeal(self.id, self.deal, self.dealer, self.seed, rules)

    def as_given(self) -> "InputDeal | InputPosition":
        """The deal or the position, for a solver.

        Raises:
            BadInput: a card of it is not known.
        """
        return InputPosition(self.id, self.position) if self.deal is None else self.as_input()

    def _check_known(self) -> None:
        if self.observation is not None:
            raise BadInput(
                "a card of this position is not known: expected the name of every card; "
                "only `thoughtful hint` takes cards that nobody has seen, as ??"
            )

    def moves(self, notation: str | None = None) -> tuple[Move, ...] | None:
        """The moves of a result; None if it has none, or only their number.

        Args:
            notation: that of the moves, if the entry names none; None for that which they look
                like.

        Raises:
            BadInput: they cannot be read.
        """
        moves = (self.data or {}).get("moves")
        if moves is None or (isinstance(moves, int) and not isinstance(moves, bool)):
            return None
        named = (self.data or {}).get("notation", notation)
        if named is not None and not isinstance(named, str):
            raise BadInput(f'"notation" must be the name of a notation, not {named!r}')
        if isinstance(moves, list) and all(isinstance(move, str) for move in moves):
            moves = "\n".join(moves)
        if not isinstance(moves, str):
            raise BadInput('"moves" must be a list or a text of moves')
        return read_moves(moves, self.position, named)


@dataclass(frozen=True, slots=True)
class InputPosition:
    """A position for a solver.

    Attributes:
        id: the name that its entry gives, else the number of its line.
        position: the position.
    """

    id: str | int
    position: Position


@dataclass(frozen=True, slots=True)
class WrongEntry:
    """An entry that cannot be read.

    Attributes:
        line: number of the line that is wrong, or of its first line.
        reason: one sentence: what is wrong, and what was expected.
        text: how the entry begins.
        is_exact: whether the line is that which is wrong.
    """

    line: int
    reason: str
    text: str
    is_exact: bool = False


def forms(game: Game) -> dict[str, str]:
    """The forms of entries of a game by name, each with what it is."""
    found = {codec.slug: codec.summary for codec in game.codecs}
    if game.read_table is not None:
        found[TEXT] = "positions as a person types them"
    found[CSV] = "a table with the columns id and deal, or those of our exports"
    found[NAME] = "dealer:seed"
    for dealing in game.dealings:
        slug = dealing.dealer.slug
        meaning = f"numbers of the dealer {slug}"
        found[slug] = f"{found[slug]}, or {meaning}" if slug in found else meaning
    for codec in game.codecs:
        found |= dict.fromkeys(codec.aliases, f"the same as {codec.slug}")
    return found


def check_form(form: str, game: Game) -> None:
    """Raise BadInput unless entries of a game can have a form."""
    if form in forms(game):
        return
    able = ", ".join(forms(game))
    if any(form in forms(other) for other in games()):
        raise BadInput(f"the format {form} does not support {game.name}: expected one of {able}")
    raise BadInput(f"unknown format {form!r}: expected one of {able}")


def read_entries(
    stream: BinaryIO, rules: Rules, form: str | None = None, *, asked: bool = True
) -> Iterator[ReadEntry | WrongEntry]:
    """Read the entries of a stream, one at a time.

    Args:
        stream: bytes of text.
        rules: the ruleset of entries that state none.
        form: one of `forms`; if None, each entry is of the form that it looks like, and a first
            line with the names of columns begins a table.
        asked: whether somebody asked for the ruleset, so that no other may be stated.

    Raises:
        BadInput: there is no such form for the game.
    """
    return entries_of(stream, EntryReader(rules, form, asked=asked))


def entries_of(stream: BinaryIO, reader: "EntryReader") -> Iterator[ReadEntry | WrongEntry]:
    """The entries of a stream, as a reader reads them."""
    if reader.form == CSV:
        yield from _read_table(reader, split_lines(read_lines(stream)))
        return
    shapes = [*_shapes_of(reader.game)]
    if shapes:
        shapes += (shape for game in games() if game != reader.game for shape in _shapes_of(game))
    lines = read_lines(stream)
    before: list[TextLine] = []
    for line in lines:
        before.append(line)
        if line.problem is not None or (line.text.strip() and not line.text.startswith("#")):
            break
    all_lines = chain(before, lines)
    if before and reader.form is None and dialect_of(before[-1].text) is not None:
        yield from _read_table(reader, split_lines(all_lines))
        return
    last: ReadEntry | WrongEntry | None = None
    for entry in split_entries(all_lines, shapes):
        found = _read(reader, entry)
        if form_of(entry.text.split("\n", 1)[0]) is None or not _is_of(found, last):
            yield found
        last = found


def _shapes_of(game: Game) -> Iterator[Shape]:
    """The shape of the boards of a game, if it has any."""
    if game.read_table is not None:
        yield Shape(len(game.zones[0].piles), game.decks)


def _is_of(found: ReadEntry | WrongEntry, last: ReadEntry | WrongEntry | None) -> bool:
    """Whether a printed table is that of the deal that the line just above it names.

    So `thoughtful deal` prints it.
    """
    if not isinstance(found, ReadEntry) or not isinstance(last, ReadEntry):
        return False
    if last.line != found.line - 1 or last.form != _A_NAME or found.observation is not None:
        return False
    return found.position == last.position


def _read(reader: "EntryReader", entry: TextEntry) -> ReadEntry | WrongEntry:
    try:
        if entry.problem is not None:
            raise BadInput(entry.problem)
        return reader.read(entry.text, entry.line)
    except BadInput as error:
        inside = _LINE.match(str(error))
        if inside is None:
            return WrongEntry(entry.line, str(error), entry.text[:80])
        line = entry.line + int(inside["number"]) - 1
        return WrongEntry(line, str(error)[inside.end() :], entry.text[:80], is_exact=True)


class EntryReader:
    """Reads entries in one form, or each in its own.

    An entry may state its ruleset, which then holds; another one that was asked for is an error.

    Args:
        rules: the ruleset of entries that state none.
        form: one of `forms`; None for that which each entry looks like.
        asked: whether somebody asked for the ruleset, so that no other may be stated.

    Raises:
        BadInput: there is no such form for the game.
    """

    def __init__(self, rules: Rules, form: str | None = None, *, asked: bool = True) -> None:
        self.rules = rules
        self.asked = asked
        self.game = game_of(rules)
        if form is not None:
            check_form(form, self.game)
        own = (each for each in self.game.codecs if form in (each.slug, *each.aliases))
        self._codec: Codec | None = next(own, None)
        self.form = form if self._codec is None else self._codec.slug
        named = dealers().get(self.form or "")
        self._dealer: Dealer | None = named if named and self.game in named.games else None

    def read(self, text: str, line: int) -> ReadEntry:
        """Read one entry.

        Raises:
            BadInput: it cannot be read in the form, or states another ruleset than that asked for.
        """
        text = plain_text(text).strip()
        stated = stated_ruleset(text)
        return replace(self.under(stated)._read(text, line), stated=stated is not None)

    def under(self, stated: Rules | None) -> "EntryReader":
        """The reader of an entry that states a ruleset, or none.

        Raises:
            BadInput: another one was asked for.
        """
        if stated is None or stated == self.rules:
            return self
        if self.asked:
            raise BadInput(
                f"this states the ruleset {stated}, and {self.rules} was asked for: expected the "
                "same, or none beside it"
            )
        return EntryReader(stated, self.form)

    def _read(self, text: str, line: int) -> ReadEntry:
        if self._dealer is not None and _SEED.fullmatch(text):
            return self._named(f"{self._dealer.slug}:{int(text)}", line)
        if self._codec is not None and self.form != "json":
            return self._in_format(self._codec, text, line)
        if self.form == TEXT:
            return self._detected(detect(text, self.rules), line)
        if self.form == NAME or (self._dealer is not None and self._codec is None):
            if self._dealer is not None:
                raise BadInput(
                    f"{text[:60]!r} is no number of the dealer {self._dealer.slug}: expected "
                    f"{self._dealer.min_seed} to {self._dealer.max_seed}"
                )
            return self._named(self._name_in(text) or text, line)
        if self.form in ("json", CSV) or looks_like_json(text):
            return self._json(parse_json(text), text, line)
        name = self._name_in(text)
        if name is not None:
            return self._named(name, line)
        return self._detected(detect(text, self.rules), line)

    def _in_format(self, codec: Codec, text: str, line: int) -> ReadEntry:
        """The deal of a text in a format, or a position, as far as the format shows any."""
        try:
            return self._of_cards(codec.read(text), line, codec.summary)
        except BadInput:
            with suppress(BadInput):
                if codec.looks(text):
                    return self._detected(detect(text, self.rules), line)
            raise

    def _name_in(self, text: str) -> str | None:
        """The name of a deal that a text is, as it may be spelt; None if it is none."""
        text = text.strip("\"'`")
        if _LIKE_A_NAME.fullmatch(text) and not _SPELT.fullmatch(text):
            return text
        spelt = _SPELT.fullmatch(text)
        if spelt is None:
            # What begins with a dealer can only be meant as a name.
            word, colon, seed = text.partition(":")
            return text if colon and word in dealers() and " " not in seed.strip() else None
        word = spelt["word"].lower()
        for dealing in self.game.dealings:
            if word == dealing.title.lower() and text[len(word) :].lstrip()[:1] == ":":
                return f"{dealing.dealer.slug}:{spelt['number']}"
        if word in dealers():
            return f"{word}:{spelt['number']}"
        return text if _LIKE_A_NAME.fullmatch(text) else None

    def _json(self, data: Any, text: str, line: int) -> ReadEntry:
        if isinstance(data, str):
            return self._read(data.strip(), line)
        if isinstance(data, list) and len(data) == 1:
            return self._json(data[0], json.dumps(data[0]), line)
        if not isinstance(data, dict):
            raise BadInput("not a JSON object")
        own_id = data.get("id")
        name = own_id if isinstance(own_id, str) and _NAME.fullmatch(own_id) else None
        inner = data.get("deal")
        if isinstance(data.get("position"), dict) or "down" in data or "up" in data:
            given = self._detected(detect(text, self.rules), line)
        elif isinstance(inner, str):
            given = EntryReader(self.rules)._read(plain_text(inner).strip(), line)
        elif isinstance(inner, dict):
            given = EntryReader(self.rules)._json(inner, json.dumps(inner), line)
        elif name is not None and not self._has_cards(data):
            given = self._named(name, line)
        elif self.game.normal_json(data) is not None:
            given = self._detected(detect(text, self.rules), line)
            if data.get("dealer") is not None:
                name = f"{data['dealer']}:{data.get('seed')}"
                if given.deal != self._named(name, line).deal:
                    raise BadInput(f"these are not the cards of {name}")
        else:
            found = input_deal(data, line, self.game)
            given = self._of_cards(found.deal, line, "Thoughtful's JSON")
            given = replace(given, id=found.id, dealer=found.dealer, seed=found.seed)
        if given.dealer is None and name is not None and given.deal is not None:
            given = self._with_name(given, name)
        if own_id is None:
            own_id = given.id
        elif not isinstance(own_id, str | int) or isinstance(own_id, bool):
            raise BadInput(f'"id" must be text or a whole number, not {own_id!r}')
        return replace(given, line=line, id=own_id, data=data)

    def _with_name(self, given: ReadEntry, name: str) -> ReadEntry:
        """The entry with the dealer and seed of a name, if that is the name of its deal."""
        with suppress(BadInput):
            named = self._named(name, given.line)
            if named.deal == given.deal:
                return replace(given, dealer=named.dealer, seed=named.seed)
        return given

    def _has_cards(self, data: dict[str, Any]) -> bool:
        return "dealer" in data or bool({"tableau piles", self.game.zones[0].name} & set(data))

    def _named(self, name: str, line: int) -> ReadEntry:
        dealer, seed = parse_deal_id(name)
        deal = dealer.deal(seed, self.game)
        found = f"{dealer.slug}:{seed}"
        return ReadEntry(line, found, deal, dealer.slug, seed, self.rules, form=_A_NAME)

    def _of_cards(self, deal: Deal, line: int, form: str) -> ReadEntry:
        return ReadEntry(line, line, deal, None, None, self.rules, form=form)

    def _detected(self, found: Detected, line: int) -> ReadEntry:
        if found.name is not None:
            return self._named(found.name, line)
        shown = found.position if found.deal is None else None
        return ReadEntry(
            line,
            line,
            found.deal,
            None,
            None,
            self.rules,
            shown,
            observation=found.observation,
            form=found.form,
        )


def stated_ruleset(text: str) -> Rules | None:
    """The ruleset that a text states; None if it states none.

    Raises:
        BadInput: what it states is none.
    """
    named: object = None
    if looks_like_json(text):
        if '"rules"' in text:
            data = parse_json(text)
            while isinstance(data, dict) and named is None:
                named = data.get("rules")
                data = data.get("position", data.get("deal"))
    elif (line := _RULES.search(text)) is not None:
        named = line["slug"]
    if named is None:
        return None
    if not isinstance(named, str):
        raise BadInput(f'"rules" must be the slug of a ruleset, not {named!r}')
    with warnings.catch_warnings():
        # Former names still work; who made the data cannot be told of it.
        warnings.simplefilter("ignore", Renamed)
        return parse_ruleset(named.lower())


def read_one(text: str | bytes, reader: EntryReader, place: str = "") -> ReadEntry:
    """The only entry of a text, read as a file of it would be, or what the board copies as text.

    Args:
        text: the text, or the bytes of a file.
        reader: reads it.
        place: the name of the file, for sentences; empty for a text.

    Raises:
        BadInput: it holds none, or several, or is wrong.
    """
    copied = _COPIED.fullmatch(plain_text(_decoded(text)))
    if copied is not None:
        return _read_copied(copied, reader)
    found = entries_of(as_stream(text), reader)
    first = next(found, None)
    if first is None:
        raise BadInput(f"{place or 'the text'} holds no deal: expected one")
    if isinstance(first, WrongEntry):
        several = len(text.strip().splitlines()) > 1
        number = first.line if place or (first.is_exact and several) else 0
        raise BadInput(_placed(first.reason, place, number))
    second = next(found, None)
    if second is not None:
        what = second.reason if isinstance(second, WrongEntry) else ""
        raise BadInput(
            f"{place or 'the text'} holds more than one entry: expected one, and line "
            f"{second.line} begins another" + (f" ({what})" if what else "")
        )
    return first


def _decoded(text: str | bytes) -> str:
    """A text, or that of the bytes of a file; empty if they are none."""
    if isinstance(text, bytes):
        try:
            return read_text(text, "")
        except BadInput:
            return ""  # lines that cannot be read are named when they are read one by one
    return text


def _read_copied(copied: re.Match[str], reader: EntryReader) -> ReadEntry:
    """The position on the board when its text was copied; as a person sees it, if so it was shown.

    Raises:
        BadInput: the deal or a move is none, or another ruleset was asked for.
    """
    rules = parse_ruleset(copied["rules"].lower())
    entry = reader.under(rules).read(copied["deal"], 1)
    moves = read_moves(copied["moves"], entry.position) if copied["moves"].strip() else ()
    reached = replay(entry.position, moves)
    seen = copied["position"] is not None and HIDDEN in copied["position"]
    return replace(
        entry,
        deal=None if moves or seen else entry.deal,
        shown=reached if moves or seen else entry.shown,
        observation=reached.observation() if seen else entry.observation,
        form="what the analysis board copies as text",
        stated=True,
    )


def _placed(reason: str, place: str, line: int) -> str:
    where = ", ".join(filter(None, (place, f"line {line}" if line else "")))
    return f"{where}: {reason}" if where else reason


# --- tables --------------------------------------------------------------------------------------


def _read_table(
    reader: EntryReader, entries: Iterator[TextEntry]
) -> Iterator[ReadEntry | WrongEntry]:
    """Read the lines of a table, the first of which names the columns."""
    names: list[str] | None = None
    between = ","
    for entry in entries:
        try:
            if entry.problem is not None:
                raise BadInput(entry.problem)
            if names is None:
                between = dialect_of(entry.text) or ","
                names = _names_of_columns(fields_of(entry.text, between), reader.game)
                continue
            fields = fields_of(entry.text, between)
            if len(fields) != len(names):
                raise BadInput(
                    f"the line has {len(fields)} fields: expected {len(names)}, for "
                    f"{', '.join(names)}"
                )
            yield _row(reader, dict(zip(names, fields, strict=True)), entry.line)
        except BadInput as error:
            yield WrongEntry(entry.line, str(error), entry.text[:80])
            if names is None:
                return


def _names_of_columns(fields: list[str], game: Game) -> list[str]:
    names = ["deal" if field.lower() == "board" else field.lower() for field in fields]
    zones = [zone.name for zone in game.zones]
    if len(set(names)) < len(names):
        raise BadInput(f"two columns of the table have one name: {', '.join(names)}")
    if "deal" not in names and not any(map(set(names).issuperset, ({*zones}, *COLUMNS))):
        raise BadInput(
            f"the columns of the table are {', '.join(names)[:80]}: expected the column deal, or "
            f"dealer and seed, or {' and '.join(zones)}"
        )
    return names


def _row(reader: EntryReader, row: dict[str, str], line: int) -> ReadEntry:
    named = row.get("rules") or row.get("ruleset")
    if named:
        reader = reader.under(parse_ruleset(named))
    game = reader.game
    if row.get("game") not in (None, "", game.slug):
        raise BadInput(f"this is a deal of {row['game']}: expected one of {game.name}")
    cards = {zone.name: row.get(zone.name, "") for zone in game.zones}
    if all(cards.values()):
        piles = {
            zone.name: [pile.split() for pile in cards[zone.name].split("|")] for zone in game.zones
        }
        data: dict[str, Any] = {
            zone.name: piles[zone.name][0] if len(zone.piles) == 1 else piles[zone.name]
            for zone in game.zones
        }
        if row.get("dealer") or row.get("seed"):
            seed = row.get("seed", "")
            data |= {
                "dealer": row.get("dealer", ""),
                "seed": int(seed) if _SEED.fullmatch(seed) else seed,
            }
        given = reader.read(json.dumps(data), line)
    elif row.get("deal"):
        given = EntryReader(reader.rules).read(row["deal"], line)
    elif row.get("dealer") and row.get("seed"):
        given = EntryReader(reader.rules).read(f"{row['dealer']}:{row['seed']}", line)
    else:
        raise BadInput("the line has no deal: expected its name or its cards in the column deal")
    own_id = row.get("id") or given.id
    return replace(given, line=line, id=own_id)
