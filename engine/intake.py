"""Deals, positions and solutions out of files of any form that we can read, entry by entry.

`engine.text.entries` tells entries apart. Each is read in the form that is named, or else in that
which it looks like (`engine.detection`). A wrong entry does not end the reading: it is yielded as
what is wrong with it.
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from engine.dealing.dealers import Dealer, dealers
from engine.detection import Detected, detect
from engine.errors import BadInput
from engine.game import Codec, Deal, Game, Move, Position, Rules
from engine.games import game_of, games
from engine.notations import read_moves
from engine.text.deal_lines import InputDeal, input_deal
from engine.text.entries import TextEntry, split_entries, split_lines
from engine.text.strict_json import parse_json

TEXT, CSV, NAME = "text", "csv", "name"
_SEED = re.compile(r"[0-9]{1,40}", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9-]*:[0-9_]+", re.ASCII)
_LIKE_A_NAME = re.compile(r"[^\s:]+:[0-9_-]+")


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """What an entry holds.

    Attributes:
        line: number of its first line.
        id: the name that it gives, else that of its dealer and seed, else the number of its line.
        deal: the starting deal; None for a position in mid-game.
        dealer: slug of the deal's dealer; None if the entry names none.
        seed: seed of the dealer; None without one.
        rules: the ruleset that is played.
        shown: the position of an entry that is no deal; None for a deal.
        data: the JSON of the entry, if it is JSON, for what else it says.
    """

    line: int
    id: str | int
    deal: Deal | None
    dealer: str | None
    seed: int | None
    rules: Rules
    shown: Position | None = None
    data: dict[str, Any] | None = None

    @property
    def position(self) -> Position:
        """The position, at its start if it is a deal."""
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
        if self.deal is None:
            raise BadInput(
                "this is a position in mid-game, and deals are expected: "
                "a position is given with --position"
            )
        return InputDeal(self.id, self.deal, self.dealer, self.seed)

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
class WrongEntry:
    """An entry that cannot be read.

    Attributes:
        line: number of its first line.
        reason: one sentence: what is wrong, and what was expected.
        text: how the entry begins.
    """

    line: int
    reason: str
    text: str


def forms(game: Game) -> dict[str, str]:
    """The forms of entries of a game by name, each with what it is."""
    found = {codec.slug: codec.summary for codec in game.codecs}
    if game.read_table is not None:
        found[TEXT] = "positions as a person types them"
    found[CSV] = "a table with the columns id and deal, or those of our exports"
    found[NAME] = "dealer:seed"
    for dealing in game.dealings:
        slug = dealing.dealer.slug
        told = f"numbers of the dealer {slug}"
        found[slug] = f"{found[slug]}, or {told}" if slug in found else told
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
    stream: BinaryIO, rules: Rules, form: str | None = None
) -> Iterator[ReadEntry | WrongEntry]:
    """Read the entries of a stream, one at a time.

    Args:
        stream: bytes of UTF-8.
        rules: the ruleset, which determines the game.
        form: one of `forms`; if None, each entry is of the form that it looks like, and a first
            line with the names of columns begins a table.

    Raises:
        BadInput: there is no such form for the game.
    """
    reader = EntryReader(rules, form)
    if form == CSV:
        yield from _read_table(reader, split_lines(stream))
        return
    entries = split_entries(stream)
    for number, entry in enumerate(entries):
        if number == 0 and form is None and _is_heading(entry.text):
            yield from _read_table(reader, _after(entry, stream))
            return
        yield _read(reader, entry)


def _after(first: TextEntry, stream: BinaryIO) -> Iterator[TextEntry]:
    """The first entry, which was one line, and the lines of the rest of a stream."""
    yield first
    for entry in split_lines(stream):
        yield TextEntry(entry.line + first.line, entry.text, entry.problem)


def _read(reader: "EntryReader", entry: TextEntry) -> ReadEntry | WrongEntry:
    try:
        if entry.problem is not None:
            raise BadInput(entry.problem)
        return reader.read(entry.text, entry.line)
    except BadInput as error:
        return WrongEntry(entry.line, str(error), entry.text[:80])


class EntryReader:
    """Reads entries in one form, or each in its own.

    Raises:
        BadInput: there is no such form for the game.
    """

    def __init__(self, rules: Rules, form: str | None = None) -> None:
        self.rules = rules
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
            BadInput: it cannot be read in the form.
        """
        text = text.strip()
        if self._dealer is not None and _SEED.fullmatch(text):
            return self._named(f"{self._dealer.slug}:{int(text)}", line)
        if self._codec is not None and self.form != "json":
            return self._of_cards(self._codec.read(text), line)
        if self.form == TEXT:
            return self._detected(detect(text, self.rules), line)
        if self.form == NAME or (self._dealer is not None and self._codec is None):
            if self._dealer is not None:
                raise BadInput(
                    f"{text[:60]!r} is no number of the dealer {self._dealer.slug}: expected "
                    f"{self._dealer.min_seed} to {self._dealer.max_seed}"
                )
            return self._named(text, line)
        if self.form in ("json", CSV) or text[:1] in ("{", "["):
            return self._json(parse_json(text), text, line)
        if _LIKE_A_NAME.fullmatch(text):
            return self._named(text, line)
        return self._detected(detect(text, self.rules), line)

    def _json(self, data: Any, text: str, line: int) -> ReadEntry:
        if not isinstance(data, dict):
            raise BadInput("not a JSON object")
        own_id = data.get("id")
        if isinstance(data.get("position"), dict) or "down" in data or "up" in data:
            given = self._detected(detect(text, self.rules), line)
        elif isinstance(data.get("deal"), str):
            given = EntryReader(self.rules).read(data["deal"], line)
        elif isinstance(own_id, str) and _NAME.fullmatch(own_id) and not self._has_cards(data):
            given = self._named(own_id, line)
        else:
            others = () if self._has_cards(data) else self.game.codecs
            other = next(
                (each for each in others if each.slug != "json" and each.looks(text)), None
            )
            if other is None:
                found = input_deal(data, line, self.game)
                return ReadEntry(
                    line, found.id, found.deal, found.dealer, found.seed, self.rules, data=data
                )
            given = self._of_cards(other.read(text), line)
        if own_id is None:
            own_id = given.id
        elif not isinstance(own_id, str | int) or isinstance(own_id, bool):
            raise BadInput(f'"id" must be text or a whole number, not {own_id!r}')
        return replace(given, line=line, id=own_id, data=data)

    def _has_cards(self, data: dict[str, Any]) -> bool:
        return "dealer" in data or any(zone.name in data for zone in self.game.zones[:1])

    def _named(self, name: str, line: int) -> ReadEntry:
        from engine.dealing.dealers import parse_deal_id

        dealer, seed = parse_deal_id(name)
        deal = dealer.deal(seed, self.game)
        return ReadEntry(line, f"{dealer.slug}:{seed}", deal, dealer.slug, seed, self.rules)

    def _of_cards(self, deal: Deal, line: int) -> ReadEntry:
        return ReadEntry(line, line, deal, None, None, self.rules)

    def _detected(self, found: Detected, line: int) -> ReadEntry:
        if found.name is not None:
            return self._named(found.name, line)
        if found.position is None:
            raise BadInput(
                "a card of this position is not known: expected the name of every card; "
                "only `thoughtful hint` takes cards that nobody has seen, as ??"
            )
        shown = found.position if found.deal is None else None
        return ReadEntry(line, line, found.deal, None, None, self.rules, shown)


# --- tables --------------------------------------------------------------------------------------


def _is_heading(text: str) -> bool:
    """Whether a line holds the names of the columns of a table of deals."""
    words = [word.strip().strip('"').lower() for word in text.split(",")]
    return "\n" not in text and ("deal" in words or {"tableau", "stock"} <= set(words))


def _read_table(
    reader: EntryReader, entries: Iterator[TextEntry]
) -> Iterator[ReadEntry | WrongEntry]:
    """Read the lines of a table, the first of which names the columns."""
    names: list[str] | None = None
    for entry in entries:
        try:
            if entry.problem is not None:
                raise BadInput(entry.problem)
            fields = _fields(entry.text)
            if names is None:
                names = _names_of_columns(fields, reader.game)
                continue
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


def _fields(line: str) -> list[str]:
    try:
        (fields,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError) as error:
        raise BadInput(f"the line is no line of a table: {error}") from None
    return fields


def _names_of_columns(fields: list[str], game: Game) -> list[str]:
    names = [field.strip().lower() for field in fields]
    zones = [zone.name for zone in game.zones]
    if len(set(names)) < len(names):
        raise BadInput(f"two columns of the table have one name: {', '.join(names)}")
    if "deal" not in names and not set(zones) <= set(names):
        raise BadInput(
            f"the columns of the table are {', '.join(names)[:80]}: expected the column deal, or "
            f"{' and '.join(zones)}"
        )
    return names


def _row(reader: EntryReader, row: dict[str, str], line: int) -> ReadEntry:
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
    else:
        raise BadInput("the line has no deal: expected its name or its cards in the column deal")
    own_id = row.get("id") or given.id
    return replace(given, line=line, id=own_id)
