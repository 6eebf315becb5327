"""Tables and their columns: one name, type, unit and meaning wherever a column appears.

The dictionary of columns is the file dictionary.csv. Exports, datasets with their card, the
documentation and `thoughtful sql` all take it from here.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa

from catalogue.tables.puzzles import THEMES
from engine.game import Codec, Game
from engine.games import games

# The types of columns, by the names that Parquet and Arrow have for them.
TEXT, WHOLE, SHORT, REAL, YES_NO = map(
    pa.type_for_alias, ("string", "int64", "int32", "double", "bool")
)
MOMENT = pa.timestamp("us", tz="UTC")
_SQL_TYPES = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "int32": "INTEGER",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp[us, tz=UTC]": "TIMESTAMPTZ",
}


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Attributes:
        name: in all files and in SQL.
        type: in Parquet.
        unit: of the values; empty if they have none.
        meaning: what a value says.
        source: the code, solver and version that it comes from.
        is_published: whether datasets have it: not what differs from run to run, nor what another
            column says as well.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    source: str
    is_published: bool = True

    @property
    def sql_type(self) -> str:
        """The type in DuckDB."""
        return _SQL_TYPES[str(self.type)]


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table: its name, what its rows are, and its columns in order."""

    name: str
    meaning: str
    columns: tuple[TableColumn, ...]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(each.name, each.type) for each in self.columns])

    @property
    def published(self) -> "CatalogueTable":
        """The table as datasets have it."""
        columns = tuple(each for each in self.columns if each.is_published)
        return CatalogueTable(self.name, self.meaning, columns)

    def batch(self, values: dict[str, Any]) -> pa.RecordBatch:
        """Some rows of it, from values by the names of columns, or functions that make these.

        Values of columns that it does not have are left out.
        """
        arrays = []
        for column in self.columns:
            own = values[column.name]
            own = own() if callable(own) else own
            arrays.append(own if isinstance(own, pa.Array) else pa.array(own, type=column.type))
        return pa.record_batch(arrays, schema=self.schema)


def deal_codec(game: Game) -> Codec:
    """The text form of deals in a column: the game's first that is one line, or else its JSON."""
    dealing = game.dealings[0]
    first = game.deal(dealing.block(dealing.dealer.min_seed, 1)[0])
    codecs = {codec.slug: codec for codec in game.codecs}
    of_others = (codec for slug, codec in codecs.items() if slug != "json")
    return next((c for c in of_others if "\n" not in c.write(first).strip()), codecs["json"])


def zone_names() -> list[str]:
    """The zones of all games, beginning with those of the first game."""
    return list(dict.fromkeys(zone.name for game in games() for zone in game.zones))


def columns() -> dict[str, TableColumn]:
    """All columns by their names; those of zones and moves say what each game has."""
    words = {
        "sizes": ", ".join(f"{game.name} {game.cards}" for game in games()),
        "codecs": "; ".join(f"{game.name}: {deal_codec(game).summary}" for game in games()),
        "notations": "; ".join(f"{game.name}: {game.notation}" for game in games()),
        "themes": "; ".join(f"{word}: {meaning}" for word, meaning in THEMES.items()),
    }
    found = {}
    for name, kind, unit, meaning, source, published in _dictionary():
        own = MOMENT if kind == "timestamp" else pa.type_for_alias(kind)
        is_published = published == "yes"
        found[name] = TableColumn(name, own, unit, meaning.format(**words), source, is_published)
    source = found["cards"].source
    return found | {
        name: TableColumn(name, TEXT, "", _meaning_of_zone(name), source, False)
        for name in zone_names()
    }


@cache
def _dictionary() -> list[list[str]]:
    text = (files("catalogue.tables") / "dictionary.csv").read_text("utf-8")
    return list(csv.reader(text.splitlines()[1:]))


def _meaning_of_zone(name: str) -> str:
    zones = [(game, zone) for game in games() for zone in game.zones if zone.name == name]
    words = "; ".join(f"{game.name}: {zone.meaning}" for game, zone in zones)
    return (
        "cards by rank A23456789TJQK and suit CDSH, separated by spaces, piles by ` | `; "
        f"{words}; empty for other games"
    )


_KEY = "deal game ruleset dealer seed"
_BY = f"{_KEY} solver version"
_GRADED = "level difficulty difficulty_error difficulty_games"
_TABLES = (
    (
        "deals",
        "The deals of the selection, with the place of every card at the start.",
        "deal game dealer seed digest cards ZONES",
    ),
    (
        "statuses",
        "The status of each deal under each ruleset, from the outcomes of all solvers.",
        f"{_KEY} status solvers wins proofs claims nodes solution_length dead_end {_GRADED}",
    ),
    (
        "outcomes",
        "The outcome of each solver on each deal under each ruleset.",
        f"{_BY} sees result nodes length cpu_ms stored_at program revision processor numba "
        "cpu_may_hold_compiling",
    ),
    (
        "solutions",
        "The moves of every win, all replayed by a referee.",
        f"{_BY} length moves made_again",
    ),
    (
        "dead_ends",
        "Classifications of starting deals that a dead-end test proved unwinnable, with their "
        "witnesses. The kind of one whose witness is not kept is in `statuses`.",
        f"{_BY} dead_end witness",
    ),
    (
        "difficulty",
        "The features of a winnable deal, and how hard it is for somebody who sees what a person "
        "would.",
        f"{_KEY} {_GRADED} solver version features_version nodes length plays winning choices "
        "critical first_critical luck luck_error needs unsure",
    ),
    (
        "puzzles",
        "Each winnable deal with its shortest solution that is kept; one flat table for programs.",
        f"{_KEY} cards moves length level level_error themes critical",
    ),
    (
        "regrets",
        "Where bots lost games on winnable deals, for the games that were analysed.",
        f"{_BY} kind step action length moves reference reference_version",
    ),
    (
        "bounds",
        "History of the bounds of samples. Bounds are of whole samples, whatever status or seeds "
        "are selected, and count every deal attempted, unresolved ones included.",
        "ruleset dealer first_seed n winnable unwinnable lower upper low high stored_at job_id",
    ),
)


def tables() -> dict[str, CatalogueTable]:
    """All tables by their names, in the order in which they are written and described."""
    known, zones = columns(), " ".join(zone_names())
    return {
        name: CatalogueTable(
            name,
            meaning,
            tuple(known[word] for word in words.replace("ZONES", zones).split()),
        )
        for name, meaning, words in _TABLES
    }


def described(table: CatalogueTable) -> list[str]:
    """The columns of a table as lines of Markdown."""
    rows = [(f"`{c.name}`", str(c.type), c.unit, c.meaning, c.source) for c in table.columns]
    return [
        "| column | type | unit | meaning | provenance |",
        "|---|---|---|---|---|",
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
