"""Published experiments that `thoughtful reproduce` repeats, row by row.

An experiment is data: the published figures of its rows, the names of the rows, and the default
number of games to play for each. The figures themselves, and the solver of each, are those of
`catalogue.reproduction.published`. The rows of most are shares of games won; those of
`BLAKE_GENT_2026` are shares of winnable deals, decided exactly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from catalogue.reproduction.published import (
    BJARNASON_2007,
    BJARNASON_2009,
    BLAKE_GENT,
    BLAKE_GENT_DEALS,
    FIGURES,
    HARDWARE,
    SPIDER_BLOG,
    YAN_2004,
    Figure,
)
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of, published_rows
from engine.rulesets import parse_ruleset
from solvers.choice import default_solver
from solvers.solver import configure, parse_solver


class Row(Protocol):
    """A row of an experiment: a solver under a ruleset."""

    @property
    def name(self) -> str:
        """Its name in `--rows`."""

    @property
    def games(self) -> int:
        """The default number of deals."""

    @property
    def ruleset(self) -> str:
        """Slug of the ruleset."""

    @property
    def solver(self) -> str:
        """Our solver of the row, as text."""


AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """One row of a published table.

    Attributes:
        name: its name in `--rows`.
        figure: the published figure.
        games: the default number of games to play here.
    """

    name: str
    figure: Figure
    games: int

    @property
    def ruleset(self) -> str:
        """Slug of the ruleset of the row."""
        assert self.figure.ruleset is not None
        return self.figure.ruleset

    @property
    def solver(self) -> str:
        """Our solver of the row's method, as text.

        Raises:
            BadInput: there is none, or it does not play the ruleset.
        """
        if self.figure.solver is None:
            raise BadInput(f"no solver here plays row {self.name!r}, {self.figure.system}")
        solver = parse_solver(self.figure.solver)
        solver.check_plays(parse_ruleset(self.ruleset))
        return str(solver)


@dataclass(frozen=True, slots=True)
class WinnabilityRow:
    """A row of a table of winnable shares: one ruleset, whose deals an exact solver decides.

    Or a player that does not see the face-down cards plays them, and what is counted is its wins.

    Attributes:
        name: its name in `--rows`.
        ruleset: slug of its ruleset.
        games: the default number of deals to decide here.
        figure: the published figure; None if nobody has published one.
        nodes: positions after which the solver gives a deal up; None for its own default.
        player: slug of the player; None where winnable deals are counted.
    """

    name: str
    ruleset: str
    games: int
    figure: Figure | None = None
    nodes: int | None = None
    player: str | None = None

    @property
    def rules(self) -> Rules:
        """The rules of its ruleset."""
        return parse_ruleset(self.ruleset)

    @property
    def title(self) -> str:
        """The name of its ruleset for players, such as ``FreeCell, 3 cells``."""
        rules = self.rules
        return game_of(rules).rulesets.title(rules)

    @property
    def options(self) -> dict[str, str]:
        """The options of its ruleset in the words of the game, by their titles."""
        return _options(self.rules)

    @property
    def unusual(self) -> set[str]:
        """The titles of the options in which its ruleset is not the game's usual one."""
        rulesets = game_of(self.rules).rulesets
        usual = _options(rulesets.presets[rulesets.default])
        return {title for title, text in self.options.items() if text != usual[title]}

    @property
    def solver(self) -> str:
        """The player with its defaults, or who decides deals, with the limit of nodes if any.

        Raises:
            BadInput: no solver plays the ruleset.
        """
        if self.player is not None:
            return str(parse_solver(self.player))
        solver = default_solver(self.rules)
        return str(
            solver if self.nodes is None else configure(solver.method, {"nodes": self.nodes})
        )


def _options(rules: Rules) -> dict[str, str]:
    return {option.title: option.text(rules) for option in game_of(rules).rulesets.options}


@dataclass(frozen=True, slots=True)
class Experiment(Generic[AnyRow]):
    """A published table.

    Attributes:
        name: its name on the command line.
        source: the paper.
        tables: the place of its rows in the paper.
        rows: in the order of the paper.
        further: rows in the same form that are chosen by name only; most are not published.
        first: dealer and seed of the first deal, unless another is asked for.
        groups: names of several rows at once, by a name for `choose`.
    """

    name: str
    source: str
    tables: str
    rows: tuple[AnyRow, ...]
    further: tuple[AnyRow, ...] = ()
    first: tuple[str, int] = ("thoughtful-1", 0)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def choose(self, names: Sequence[str] = ()) -> tuple[AnyRow, ...]:
        """The rows with these names, in the order of the paper; without names those of `rows`.

        The name of a group is that of all its rows. Spaces in names are ignored.

        Raises:
            BadInput: there is no row of that name.
        """
        wanted = {"".join(name.split()): name for name in names}
        every = (*self.rows, *self.further)
        known = [row.name for row in every]
        for name, given in wanted.items():
            if name not in known and name not in self.groups:
                expected = ", ".join((*known, *self.groups))
                raise BadInput(
                    f"{self.name} has no row {given.strip()!r}: expected one of {expected}"
                )
        chosen = {row for name in wanted for row in self.groups.get(name, (name,))}
        return tuple(row for row in every if row.name in chosen) if chosen else self.rows

    def first_of(self, asked: str | None) -> tuple[str, int]:
        """Dealer and seed of the first deal that is asked for by name, else of the paper's.

        Raises:
            BadInput: it is no name of a deal.
        """
        if asked is None:
            return self.first
        dealer, seed = parse_deal_id(asked)
        return dealer.slug, seed


@dataclass(frozen=True, slots=True)
class PlayedExperiment(Experiment[ExperimentRow]):
    """A published table of shares of games won."""

    @property
    def hardware(self) -> str:
        """The machine on which the published times were measured."""
        return HARDWARE[self.source]

    @property
    def rules(self) -> str:
        """The rules in words, joined where the rows differ."""
        return "; or ".join(dict.fromkeys(row.figure.rules for row in self.rows))


def get_experiment(name: str) -> PlayedExperiment:
    """Get an experiment whose rows are shares of games won, by its name.

    Raises:
        BadInput: there is none.
    """
    if name not in EXPERIMENTS:
        expected = ", ".join((*EXPERIMENTS, BLAKE_GENT_2026.name))
        raise BadInput(f"unknown experiment {name!r}: expected one of {expected}")
    return EXPERIMENTS[name]


def _experiment(
    name: str, source: str, tables: str, rows: Sequence[tuple[str, str, int]]
) -> PlayedExperiment:
    """Make an experiment from the name, published system and number of games of each row."""
    published = {figure.system: figure for figure in FIGURES if figure.source == source}
    return PlayedExperiment(
        name,
        source,
        tables,
        tuple(ExperimentRow(row, published[system], n) for row, system, n in rows),
    )


EXPERIMENTS: dict[str, PlayedExperiment] = {
    experiment.name: experiment
    for experiment in (
        _experiment(
            "yan-2004",
            YAN_2004,
            "table of section 5",
            (
                ("0", "heuristic", 10_000),
                ("1", "1 rollout", 10_000),
                ("2", "2 rollouts", 10_000),
                ("3", "3 rollouts", 2_000),
                ("4", "4 rollouts", 1_000),
                ("5", "5 rollouts", 1_000),
            ),
        ),
        _experiment(
            "bjarnason-2007",
            BJARNASON_2007,
            "tables 2 (a) and 3",
            (
                ("n=0", "nested rollouts n=0", 20_000),
                ("n=1", "nested rollouts n=1", 20_000),
                ("n=2", "nested rollouts n=2", 10_000),
                ("n0=1;n1=1", "nested rollouts n0=1; n1=1", 20_000),
                ("n=3", "nested rollouts n=3", 5_000),
                ("n0=2;n1=1", "nested rollouts n0=2; n1=1", 5_000),
                ("n=4", "nested rollouts n=4", 200),
                ("n0=3;n1=1", "nested rollouts n0=3; n1=1", 200),
            ),
        ),
        # Enough games for a half width of two points of the 99 % interval, where that takes two
        # cores about an hour; otherwise as many as were published.
        _experiment(
            "bjarnason-2009",
            BJARNASON_2009,
            "section Planning in Klondike, tables 1 and 2",
            (
                ("random", "random", 1_000_000),
                ("greedy", "greedy (priority order)", 1_000_000),
                ("hop-10-0", "HOP 10 samples, level 0", 10_000),
                ("hop-100-0", "HOP 100 samples, level 0", 4_000),
                ("hop-10-1", "HOP 10 samples, level 1", 4_000),
                ("hop-100-1", "HOP 100 samples, level 1", 1_814),
                ("uct-100", "UCT 100 trajectories", 10_000),
                ("uct-1000", "UCT 1000 trajectories", 4_000),
                ("uct-2000", "UCT 2000 trajectories", 4_000),
                ("hop-uct-100-20", "HOP-UCT 100 trajectories, 20 trees", 4_000),
                ("hop-uct-1000-5", "HOP-UCT 1000 trajectories, 5 trees", 690),
                ("sparse-uct-100-1", "Sparse UCT 100 trajectories, width 1", 10_000),
                ("sparse-uct-1000-1", "Sparse UCT 1000 trajectories, width 1", 4_000),
                ("sparse-uct-1000-5", "Sparse UCT 1000 trajectories, width 5", 4_000),
                ("sparse-uct-1000-10", "Sparse UCT 1000 trajectories, width 10", 4_000),
                ("sparse-uct-2000-4", "Sparse UCT 2000 trajectories, width 4", 4_000),
                ("ensemble-uct-200-20", "Ensemble-UCT 200 trajectories, 20 trees", 4_000),
                ("ensemble-uct-100-10", "Ensemble-UCT 100 trajectories, 10 trees", 4_000),
                (
                    "ensemble-sparse-uct-50-50-2",
                    "Ensemble-Sparse-UCT 50 trajectories, 50 trees, width 2",
                    4_000,
                ),
            ),
        ),
        _experiment(
            "monkey",
            SPIDER_BLOG,
            "posts on the Monkey, its levels and its look-ahead",
            (
                ("random-1", "random Monkey, 1 suit", 20_000),
                ("random-4", "random Monkey", 20_000),
                ("level-2", "Monkey level 2", 2_000),
                ("level-3", "Monkey level 3", 2_000),
                ("level-4-50", "Monkey level 4, p = 0.5", 2_000),
                ("level-4-90", "Monkey level 4, p = 0.9", 2_000),
                ("look-ahead", "look-ahead (GMES)", 2_000),
            ),
        ),
    )
}


def _klondike_rows() -> tuple[WinnabilityRow, ...]:
    """A row for each ruleset of tables 3 and 4 of Blake and Gent, in their order."""
    rows = []
    for slug, figure in _published_by("exact"):
        rules = parse_ruleset(slug)
        # Where any suit may be built and empty columns stay empty, most deals are out of reach
        # of every search known.
        hard = _name(rules) == "any-suit-spaces-none"
        nodes = 10_000 if hard else None
        rows.append(WinnabilityRow(_name(rules), rules.slug, BLAKE_GENT_DEALS[2], figure, nodes))
    return tuple(rows)


def _patience_rows() -> tuple[WinnabilityRow, ...]:
    """A row for each game of table 8, in its order, called as its ruleset.

    Two rows have a billion deals, of which their search saw about ten million, the largest number
    of all others; that is the default.
    """
    return tuple(
        WinnabilityRow(slug, slug, min(figure.games or 0, 10_000_000), figure)
        for slug, figure in _published_by("patience-exact")
    )


def _published_by(solver: str) -> list[tuple[str, Figure]]:
    """The figures of Blake and Gent that a solver of ours repeats, with their rulesets."""
    return [
        (each.ruleset, each)
        for each in FIGURES
        if each.source == BLAKE_GENT and each.solver == solver and each.ruleset is not None
    ]


def _unpublished_rows() -> tuple[WinnabilityRow, ...]:
    """Rows of Klondike that nobody has published: limited redeals, and runs that move whole."""
    redeals = [f"klondike-draw{draw}-redeals{k}" for draw in (1, 3) for k in (0, 1, 2, 3, 5)]
    whole = [f"klondike-draw{draw}-whole-runs" for draw in range(1, 14)]
    return tuple(
        WinnabilityRow(_name(rules), rules.slug, BLAKE_GENT_DEALS[2])
        for rules in map(parse_ruleset, (*redeals, *whole))
    )


def _player_rows() -> tuple[WinnabilityRow, ...]:
    """Rows that nobody has published: what the best player that plays every draw wins by it."""
    slug = "exact-uct"
    usual = [parse_ruleset(f"klondike-draw{draw}") for draw in range(1, 14)]
    return tuple(
        WinnabilityRow(f"{_name(rules)}-{slug}", rules.slug, 1_000, player=slug) for rules in usual
    )


def _further_games() -> tuple[WinnabilityRow, ...]:
    """Rows that nobody has published: the other rulesets of the games of data."""
    return tuple(
        WinnabilityRow(slug, slug, BLAKE_GENT_DEALS[2])
        for slug, published in published_rows().items()
        if not published
    )


def _name(rules: Rules) -> str:
    """The name of a row of Klondike: what distinguishes its ruleset from the others."""
    option = {title: text.replace(" ", "-") for title, text in _options(rules).items()}
    if (option["building"], option["spaces"]) != ("alternating", "kings"):
        return f"{option['building']}-spaces-{option['spaces']}"
    parts = [f"draw{option['draw']}"]
    if option["redeals"] != "unlimited":
        parts.append(f"redeals{option['redeals']}")
    if option["partial runs"] == "no":
        parts.append("whole-runs")
    if option["worrying back"] == "no":
        parts.append("no-worrying-back")
    return "-".join(parts)


_KLONDIKE_ROWS, _PATIENCE_ROWS = _klondike_rows(), _patience_rows()
# Table 8 has two rows of table 3 again, by their names there: these have a search of their own.
_SAME = {
    again.name: row.name
    for row in _KLONDIKE_ROWS
    for again in _PATIENCE_ROWS
    if row.figure and again.figure and row.figure.counts == again.figure.counts
}

BLAKE_GENT_2026 = Experiment(
    "blake-gent-2026",
    BLAKE_GENT,
    "tables 3, 4 and 8",
    _KLONDIKE_ROWS,
    # Some games of table 8 take hours a deal, so they are asked for by name.
    further=(*_unpublished_rows(), *_player_rows(), *_PATIENCE_ROWS, *_further_games()),
    first=BLAKE_GENT_DEALS[:2],
    groups={"table-8": tuple(_SAME.get(row.name, row.name) for row in _PATIENCE_ROWS)},
)
