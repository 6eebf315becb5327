"""The tables of a dataset: every column with its type, unit, meaning and provenance."""

from dataclasses import dataclass

import pyarrow as pa

from catalogue.exports.columns import REAL, SHORT, TEXT, WHOLE, YES_NO
from engine.game import Codec, Game
from engine.games import games

# The first critical moment comes before this move in deals of the theme for it.
EARLY = 20
# What a theme beside the options of rulesets says.
THEMES = {
    "no-critical-moment": "no position of the solution has just one play that keeps the win",
    "early-critical-moment": f"the first such position comes before move {EARLY}",
    "no-losing-play": "no play along the solution loses the win",
    "played": "players of graded strength have played the deal",
}
_CATALOGUE = "catalogue.schema"
_BLOCKS = "catalogue.blocks, from the columns of the blocks of seeds"
_TRAITS = "solvers.traits, in the version of traits_version"
_MODEL = "catalogue.difficulty, the model in provenance.json"


@dataclass(frozen=True, slots=True)
class DatasetColumn:
    """A column of a dataset.

    Attributes:
        name: in the files.
        type: in Parquet.
        unit: of the values; empty if they have none.
        meaning: what a value says.
        source: the code, solver and version that it comes from.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    source: str


@dataclass(frozen=True, slots=True)
class DatasetTable:
    """A table of a dataset: its name, what a row is, and its columns in order."""

    name: str
    meaning: str
    columns: tuple[DatasetColumn, ...]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(each.name, each.type) for each in self.columns])


_DEAL = DatasetColumn(
    "deal", TEXT, "", "permanent name of the deal, dealer:seed", "engine.dealing.dealers"
)
_RULESET = DatasetColumn(
    "ruleset", TEXT, "", "slug of the ruleset: which moves are legal and what wins", _CATALOGUE
)
_DEALER = DatasetColumn("dealer", TEXT, "", "dealer, with its version", "engine.dealing.dealers")
_SEED = DatasetColumn("seed", WHOLE, "", "seed that the dealer deals", "engine.dealing.dealers")
_KEY = (_DEAL, _RULESET, _DEALER, _SEED)
_SOLVER = DatasetColumn("solver", TEXT, "", "solver or player with its parameters", _CATALOGUE)
_VERSION = DatasetColumn("version", SHORT, "", "version of the solver's method", _CATALOGUE)


def deal_codec(game: Game) -> Codec:
    """The text form of deals in datasets: the game's first that is one line, or else its JSON."""
    dealing = game.dealings[0]
    first = game.deal(dealing.block(dealing.dealer.min_seed, 1)[0])
    codecs = {codec.slug: codec for codec in game.codecs}
    of_others = (codec for slug, codec in codecs.items() if slug != "json")
    return next((c for c in of_others if "\n" not in c.write(first).strip()), codecs["json"])


def _deal_text() -> str:
    told = [f"{each.name}: {codec.summary}" for each in games() for codec in [deal_codec(each)]]
    return "the place of every card at the start, as text; " + "; ".join(told)


def _moves_text() -> str:
    return "moves separated by blanks; " + "; ".join(f"{g.name}: {g.notation}" for g in games())


def _deals() -> DatasetTable:
    return DatasetTable(
        "deals",
        "A deal that was attempted under one of the rulesets.",
        (
            _DEAL,
            DatasetColumn("game", TEXT, "", "game that the cards are dealt for", "engine.games"),
            _DEALER,
            _SEED,
            DatasetColumn("cards", TEXT, "", _deal_text(), "engine.dealing.dealers"),
            DatasetColumn(
                "digest",
                TEXT,
                "",
                "first 32 hexadecimal digits of the SHA-256 of one byte a card (rank × 4 + suit)",
                "engine.deal",
            ),
        ),
    )


def _verdicts() -> DatasetTable:
    source = f"catalogue.blocks.combine, over all rows of the deal in outcomes; {_BLOCKS}"
    return DatasetTable(
        "verdicts",
        "What is known of a deal under a ruleset, from the outcomes of all solvers and players.",
        (
            *_KEY,
            DatasetColumn(
                "status",
                TEXT,
                "",
                "winnable (won at least once), unwinnable (proved), or unresolved",
                source,
            ),
            DatasetColumn("solvers", SHORT, "solvers", "number of those with an outcome", source),
            DatasetColumn("wins", SHORT, "solvers", "number of those that won", source),
            DatasetColumn(
                "proofs",
                SHORT,
                "solvers",
                "number of those that proved it unwinnable; wins and proofs both above 0 are a "
                "contradiction",
                source,
            ),
            DatasetColumn(
                "claims",
                SHORT,
                "solvers",
                "number of the proofs that are taken on the word of other programs, whose results "
                "were imported; if all are, nothing here has proved it",
                source,
            ),
            DatasetColumn(
                "nodes",
                WHOLE,
                "positions",
                "entered by the exact search that decided it, the fewest if several did",
                source,
            ),
            DatasetColumn(
                "solution_length", SHORT, "moves", "of the shortest solution found", source
            ),
            DatasetColumn("dead_end", TEXT, "", "kind of its dead-end classification", source),
        ),
    )


def _outcomes() -> DatasetTable:
    return DatasetTable(
        "outcomes",
        "The outcome of one solver or player on one deal under one ruleset.",
        (
            *_KEY,
            _SOLVER,
            _VERSION,
            DatasetColumn(
                "sees",
                TEXT,
                "",
                "deal: a solver, which is given all cards; observation: a player, which sees what "
                "a person would; empty if the method is unknown here",
                "solvers.registry",
            ),
            DatasetColumn(
                "result",
                TEXT,
                "",
                "won, lost (proves nothing), unwinnable (proved), or gave_up (budget spent)",
                _BLOCKS,
            ),
            DatasetColumn("nodes", WHOLE, "positions", "entered by the search", _BLOCKS),
            DatasetColumn("length", SHORT, "moves", "of the win; empty if not won", _BLOCKS),
        ),
    )


def _solutions() -> DatasetTable:
    return DatasetTable(
        "solutions",
        "The moves of a win, which a referee has replayed.",
        (
            *_KEY,
            _SOLVER,
            _VERSION,
            DatasetColumn("length", SHORT, "moves", "number of moves", _CATALOGUE),
            DatasetColumn("moves", TEXT, "", _moves_text(), "the solver in solver and version"),
            DatasetColumn(
                "made_again",
                YES_NO,
                "",
                "whether the catalogue kept only the verdict, and the same solver in the same "
                "version found the moves again for this dataset",
                "catalogue.datasets.solving",
            ),
        ),
    )


def _difficulty() -> DatasetTable:
    def trait(name: str, unit: str, meaning: str, kind: pa.DataType = SHORT) -> DatasetColumn:
        return DatasetColumn(name, kind, unit, meaning, _TRAITS)

    return DatasetTable(
        "difficulty",
        "The traits of a winnable deal, and how hard it is for a player who sees what a person "
        "would.",
        (
            *_KEY,
            DatasetColumn("level", SHORT, "", "1 (easiest) to 10, tenths of the fit", _MODEL),
            DatasetColumn("difficulty", REAL, "logits", "0 is the mean of the fit", _MODEL),
            DatasetColumn("difficulty_error", REAL, "logits", "its standard error", _MODEL),
            DatasetColumn(
                "games", SHORT, "games", "of players on which it rests beside the traits", _MODEL
            ),
            DatasetColumn(
                "solver", TEXT, "", "solver that gave the line looked at", "solvers.traits"
            ),
            DatasetColumn("version", SHORT, "", "version of its method", "solvers.traits"),
            trait("traits_version", "", "version of solvers.traits"),
            trait("nodes", "positions", "entered by the exact search", WHOLE),
            trait("length", "moves", "of the line looked at"),
            trait("plays", "plays", "that are legal along it"),
            trait("winning", "plays", "of these, that keep the win"),
            trait("choices", "positions", "of the line in which some play loses the win"),
            trait("critical", "positions", "of these, with just one play that keeps it"),
            trait("first_critical", "moves", "before the first of these; empty without one"),
            trait(
                "luck",
                "nats",
                "minus the logarithm of the estimated chance that the player at random wins; a "
                "lower bound where luck_error is empty",
                REAL,
            ),
            trait("luck_error", "nats", "its standard error; empty where no game was won", REAL),
            trait("needs", "", "options of the ruleset needed to win, by blanks", TEXT),
            trait("unsure", "", "options of which that was not decided, by blanks", TEXT),
        ),
    )


def _puzzles() -> DatasetTable:
    themes = "; ".join(f"{word}: {meaning}" for word, meaning in THEMES.items())
    shortest = "catalogue.datasets.puzzles, from the shortest row in solutions"
    return DatasetTable(
        "puzzles",
        "A winnable deal with a solution; one flat table for programs.",
        (
            DatasetColumn("DealId", TEXT, "", _DEAL.meaning, _DEAL.source),
            DatasetColumn("Ruleset", TEXT, "", _RULESET.meaning, _RULESET.source),
            DatasetColumn("Deal", TEXT, "", _deal_text(), "engine.dealing.dealers"),
            DatasetColumn("Solution", TEXT, "", _moves_text(), shortest),
            DatasetColumn("Level", SHORT, "", "1 (easiest) to 10; empty if not graded", _MODEL),
            DatasetColumn(
                "LevelDeviation",
                REAL,
                "levels",
                "half of the levels from one standard error below the difficulty to one above",
                _MODEL,
            ),
            DatasetColumn(
                "Themes",
                TEXT,
                "",
                "words separated by blanks: each option of the ruleset without which the deal "
                f"cannot be won, as `thoughtful find --needs` names it; {themes}; empty if the "
                "deal has no traits",
                _TRAITS,
            ),
            DatasetColumn("SolutionLength", SHORT, "moves", "number of moves", shortest),
            DatasetColumn(
                "CriticalMoments",
                SHORT,
                "positions",
                "of the line that was looked at, with just one play that keeps the win; empty if "
                "the deal has no traits",
                _TRAITS,
            ),
        ),
    )


def dataset_tables() -> dict[str, DatasetTable]:
    """The tables by their names, in the order in which they are described."""
    made = (_puzzles(), _deals(), _verdicts(), _solutions(), _difficulty(), _outcomes())
    return {table.name: table for table in made}
