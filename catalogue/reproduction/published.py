"""Published figures, with the rules that they hold for, for comparison with ours.

Percentages are as printed. A half width is half of an interval at `level`: 99 % in the papers of
Yan et al. and Bjarnason et al., 95 % elsewhere. `ruleset` is our ruleset with the same rules, or
None if we have none. Table 8 of Blake and Gent, a row for each patience game, is the file
blake-gent-2026-table-8.csv; rulesets name their rows of it.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from catalogue.statistics import (
    MOST_UNDECIDED,
    Agreement,
    Interval,
    agreeing_shares,
    agrees,
    games_behind,
    share_text,
)
from engine.games import published_rows
from engine.text.numbers import significant

Measure = Literal["winnable", "wins", "upper bound", "dead ends"]

YAN_2004 = (
    "X. Yan, P. Diaconis, P. Rusmevichientong, B. Van Roy: "
    "Solitaire: Man Versus Machine (NIPS 2004)"
)
BJARNASON_2007 = (
    "R. Bjarnason, P. Tadepalli, A. Fern: Searching Solitaire in Real Time "
    "(ICGA Journal 30(3), 2007)"
)
BJARNASON_2009 = (
    "R. Bjarnason, A. Fern, P. Tadepalli: Lower Bounding Klondike Solitaire with Monte-Carlo "
    "Planning (ICAPS 2009)"
)
BLAKE_GENT = (
    "C. Blake, I. P. Gent: The Winnability of Klondike Solitaire and Many Other Patience Games "
    "(JAIR 85:21, 2026; arXiv:1906.12314)"
)
LONELYBOT = "lonelybot, README of May 2024 (https://github.com/vuonghy2442/lonelybot)"
PLSPIDER = "M. Robinson: plspider, an account of its deals of 2020"
WEISSER_2012 = (
    "M. S. Weisser: How Many Games of Spider Solitaire are Winnable? (thesis, Wesleyan University, "
    "2012)"
)
SPIDER_BLOG = "a blog on Spider Solitaire: Monkey, Guaranteed Turnovers, Look-Ahead Algorithms"

# The machine of the times of each source, as far as it is stated.
HARDWARE = {
    YAN_2004: "Java on a SUN Blade 2000 with two 900 MHz CPUs (section 1)",
    BJARNASON_2007: (
        "Dell Power Edge 1850 servers with two 3.4 GHz Intel Xeon processors, 2,048 KB of cache "
        "and 4 GB of memory (section 5)"
    ),
    BJARNASON_2009: "a machine that the paper does not name",
    SPIDER_BLOG: "a machine that the blog does not name",
    PLSPIDER: "a machine that the account does not name",
}


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """Published numbers of deals of a sample, by status.

    Attributes:
        winnable: deals that were won.
        unwinnable: deals of which it was proved that they cannot be won.
        undecided: the rest.
    """

    winnable: int
    unwinnable: int
    undecided: int

    @property
    def deals(self) -> int:
        return self.winnable + self.unwinnable + self.undecided

    @property
    def bounds(self) -> Interval:
        """The share with every undecided deal counted as unwinnable, and as winnable."""
        return Interval(self.winnable / self.deals, 1 - self.unwinnable / self.deals)


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure.

    Attributes:
        system: the program or method, in the words of the source.
        percent: the figure, 0 to 100.
        half_width: half the width of its interval in percentage points, if published.
        level: the level of that interval, such as 0.99.
        games: number of games or deals, if published.
        measures: a share of ``winnable`` deals, of ``wins`` by a player, a proved ``upper bound``
            on winnable deals, or the share of ``dead ends`` among deals.
        sees: ``deal`` if all cards are known to the player, ``observation`` if some are hidden.
        ruleset: slug of our ruleset with these rules, or None.
        rules: the rules in words.
        source: paper or program.
        seconds: mean time per game in the source, on its `HARDWARE`, if published.
        within: shares of games won within time limits there, as (seconds, percent).
        solver: our solver of the same method, with the parameters that matter, or None.
        kinds: for dead ends, the kinds of ours that the source tests for too.
        counts: the deals behind the share, by status, if published.
        decimals: those of the percentage as printed.
    """

    system: str
    percent: float
    half_width: float | None
    level: float
    games: int | None
    measures: Measure
    sees: Literal["deal", "observation"]
    ruleset: str | None
    rules: str
    source: str
    seconds: float | None = None
    within: tuple[tuple[float, float], ...] = ()
    solver: str | None = None
    kinds: tuple[str, ...] = ()
    counts: PublishedCounts | None = None
    decimals: int = 3

    def is_of(self, solver: str) -> bool:
        """Whether a solver, as text, is of the same method with the same parameters.

        Parameters that `solver` of the figure does not name may have any value.
        """
        if self.solver is None:
            return False
        (method, asked), (slug, given) = _parts(self.solver), _parts(solver)
        return method == slug and asked <= given

    @property
    def is_range(self) -> bool:
        """Whether its middle says nothing, for the number of undecided deals."""
        return self.counts is not None and self.counts.bounds.width > MOST_UNDECIDED

    @property
    def text(self) -> str:
        """The figure with the digits that it was published with; a range if it `is_range`."""
        if self.counts is not None and self.is_range:
            return share_text(self.counts.bounds, self.counts.bounds, self.decimals)
        return as_published(self.percent, self.half_width, self.decimals)

    def agreeing(self, winnable: int, unwinnable: int, n: int, level: float = 0.99) -> Interval:
        """The shares that would agree with counts of ours if published on as many games.

        Raises:
            BadInput: n is 0, or the counts exceed it.
        """
        games = self.games if self.counts is None else self.counts.deals
        if games is None and self.half_width:
            games = games_behind(self.percent / 100, self.half_width / 100, self.level)
        return agreeing_shares(winnable, unwinnable, n, games, level)

    def agreement(self, winnable: int, unwinnable: int, n: int, level: float = 0.99) -> Agreement:
        """Compare with counts of ours (see `statistics.agrees`).

        For a share of wins or of dead ends, pass the hits as `winnable`, the rest as `unwinnable`.

        Raises:
            BadInput: n is 0, or the counts exceed it.
        """
        counts = self.counts
        if counts is not None:
            # The figure itself is the middle of what the undecided deals leave open.
            return agrees(
                counts.bounds.low,
                winnable,
                unwinnable,
                n,
                high=counts.bounds.high,
                games=counts.deals,
                level=level,
            )
        return agrees(
            self.percent / 100,
            winnable,
            unwinnable,
            n,
            games=self.games,
            half_width=None if self.half_width is None else self.half_width / 100,
            published_level=self.level,
            level=level,
        )


def as_published(percent: float, half_width: float | None, decimals: int = 3) -> str:
    """A published percentage, 0 to 100, with the digits it was published with."""
    half = "" if half_width is None else f" ± {significant(half_width)}"
    return f"{significant(round(percent, decimals), 12)}{half}"


def figures(
    ruleset: str | None = None,
    measures: Measure | None = None,
    sees: Literal["deal", "observation"] | None = None,
) -> list[Figure]:
    """The published figures that match all arguments, in the order of `FIGURES`."""
    return [
        figure
        for figure in FIGURES
        if (ruleset is None or figure.ruleset == ruleset)
        and (measures is None or figure.measures == measures)
        and (sees is None or figure.sees == sees)
    ]


def _parts(solver: str) -> tuple[str, set[str]]:
    """Slug and ``name=value`` parameters of a solver as text, possibly of an older version."""
    slug, _, values = solver.partition("(")
    return slug, {value for part in values.rstrip(")").split(",") if (value := part.strip())}


_MINUTE, _HOUR = 60.0, 3600.0


def _yan() -> list[Figure]:
    """Yan et al. 2004, the table of section 5 and, for the upper bound, section 6."""
    rules = "thoughtful Klondike, draw 3, unlimited redeals, all face-up cards of a stack together"
    rows: list[tuple[str, float, float, int, float, str | None]] = [
        ("human expert", 36.6, 2.78, 2_000, 20 * _MINUTE, None),
        ("heuristic", 13.05, 0.882, 10_000, 0.021, "yan-heuristic"),
        ("1 rollout", 31.20, 1.20, 10_000, 0.67, "yan-rollout(iterations=1)"),
        ("2 rollouts", 47.60, 1.30, 10_000, 7.13, "yan-rollout(iterations=2)"),
        ("3 rollouts", 56.83, 1.30, 10_000, 96.0, "yan-rollout(iterations=3)"),
        ("4 rollouts", 60.51, 4.00, 1_000, 18 * _MINUTE + 7, "yan-rollout(iterations=4)"),
        ("5 rollouts", 70.20, 8.34, 200, 1 * _HOUR + 45 * _MINUTE, "yan-rollout(iterations=5)"),
    ]
    played = [
        Figure(
            system, percent, half_width, 0.99, games, "wins", "deal", "klondike-yan", rules,
            YAN_2004, seconds, solver=solver,
        )
        for system, percent, half_width, games, seconds, solver in rows
    ]  # fmt: skip
    bound = Figure(
        "proved upper bound", 98.81, None, 0.99, None, "upper bound", "deal", "klondike-yan",
        rules, YAN_2004,
    )  # fmt: skip
    return [*played, bound]


def _bjarnason_2007() -> list[Figure]:
    """Bjarnason et al. 2007, tables 2 (a) and 3 and, for the dead ends, section 4.1."""
    rules = "thoughtful Klondike, draw 3, unlimited redeals, partial runs may move"
    # Nesting, of both stages where there are two; the last four are the wins within 1, 4, 16 and
    # 64 seconds.
    rows: list[tuple[tuple[int, ...], float, float, int, float, tuple[float, ...]]] = [
        ((0,), 16.17, 0.42, 50_000, 0.02, (16.17, 16.17, 16.17, 16.17)),
        ((1,), 60.98, 0.56, 50_000, 0.74, (49.03, 60.38, 60.97, 60.98)),
        ((2,), 74.03, 0.51, 50_000, 7.37, (52.38, 67.88, 73.23, 74.03)),
        ((1, 1), 74.94, 0.50, 50_000, 3.64, (56.98, 69.82, 74.23, 74.94)),
        ((3,), 77.99, 0.79, 18_325, 302.85, (53.41, 69.22, 75.33, 77.14)),
        ((2, 1), 78.94, 0.47, 49_956, 212.38, (56.87, 70.47, 76.11, 78.06)),
        ((4,), 79.17, 3.05, 1_176, 89.17 * _MINUTE, (55.44, 69.98, 74.92, 77.21)),
        ((3, 1), 82.24, 2.71, 1_323, 31.67 * _MINUTE, (57.82, 72.26, 78.31, 80.57)),
    ]
    one_stage = ("nested rollouts n={}", "nested-rollout(n={})")
    two_stages = ("nested rollouts n0={}; n1={}", "multistage(n0={}, n1={})")
    played = []
    for nesting, percent, half_width, games, seconds, within in rows:
        system, solver = one_stage if len(nesting) == 1 else two_stages
        played.append(
            Figure(
                system.format(*nesting), percent, half_width, 0.99, games, "wins", "deal",
                "klondike-draw3", rules, BJARNASON_2007, seconds,
                within=tuple(zip((1.0, 4.0, 16.0, 64.0), within, strict=True)),
                solver=solver.format(*nesting),
            )
        )  # fmt: skip
    dead = 855_741 / 10_000_000 * 100
    return [
        *played,
        Figure(
            "dead ends found before any move", dead, None, 0.99, 10_000_000, "dead ends", "deal",
            "klondike-draw3", rules, BJARNASON_2007, solver="dead-end", kinds=("relaxed", "pair"),
        ),
        Figure(
            "upper bound from dead ends", 100 - dead, None, 0.99, 10_000_000, "upper bound",
            "deal", "klondike-draw3", rules, BJARNASON_2007,
        ),
    ]  # fmt: skip


def _blake_gent() -> list[Figure]:
    """Blake and Gent 2026, tables 3 and 4: Klondike by rules.

    The deals of every row are `BLAKE_GENT_DEALS`. Times are given for two rows only.
    """
    # Draw; percentage, half width and counts with worrying back; the same without.
    draws: list[tuple[int, float, float, PublishedCounts, float, float, PublishedCounts]] = [
        (
            1, 90.480, 0.116, PublishedCounts(904_226, 94_629, 1_145),
            90.204, 0.093, PublishedCounts(901_702, 97_622, 676),
        ),
        (
            2, 88.620, 0.135, PublishedCounts(885_476, 113_084, 1_440),
            88.289, 0.112, PublishedCounts(882_409, 116_624, 967),
        ),
        (
            3, 81.945, 0.084, PublishedCounts(819_371, 180_472, 157),
            81.524, 0.089, PublishedCounts(815_114, 184_637, 249),
        ),
        (
            4, 69.337, 0.098, PublishedCounts(693_296, 306_564, 140),
            68.723, 0.095, PublishedCounts(687_198, 312_729, 73),
        ),
        (
            5, 53.434, 0.099, PublishedCounts(534_329, 465_656, 15),
            52.638, 0.099, PublishedCounts(526_376, 473_621, 3),
        ),
        (
            6, 35.854, 0.095, PublishedCounts(358_539, 641_460, 1),
            34.982, 0.094, PublishedCounts(349_817, 650_183, 0),
        ),
        (
            7, 23.779, 0.084, PublishedCounts(237_786, 762_214, 0),
            22.952, 0.083, PublishedCounts(229_522, 770_478, 0),
        ),
        (
            8, 12.276, 0.065, PublishedCounts(122_759, 877_241, 0),
            11.703, 0.064, PublishedCounts(117_024, 882_976, 0),
        ),
        (
            9, 7.670, 0.053, PublishedCounts(76_699, 923_301, 0),
            7.214, 0.051, PublishedCounts(72_140, 927_860, 0),
        ),
        (
            10, 4.237, 0.040, PublishedCounts(42_372, 957_628, 0),
            3.939, 0.039, PublishedCounts(39_392, 960_608, 0),
        ),
        (
            11, 2.066, 0.029, PublishedCounts(20_655, 979_345, 0),
            1.904, 0.027, PublishedCounts(19_037, 980_963, 0),
        ),
        (
            12, 0.849, 0.019, PublishedCounts(8_489, 991_511, 0),
            0.779, 0.018, PublishedCounts(7_788, 992_212, 0),
        ),
        (
            13, 0.600, 0.016, PublishedCounts(5_998, 994_002, 0),
            0.545, 0.015, PublishedCounts(5_444, 994_556, 0),
        ),
    ]  # fmt: skip
    # Building and spaces; percentage, half width and counts.
    tableaus: list[tuple[str, str, float, float, PublishedCounts]] = [
        ("any-suit", "any", 99.923, 0.006, PublishedCounts(999_233, 763, 4)),
        ("any-suit", "kings", 99.855, 0.049, PublishedCounts(998_155, 1_033, 812)),
        ("any-suit", "none", 51.135, 48.759, PublishedCounts(24_068, 1_134, 974_798)),
        ("alternating", "any", 94.959, 0.045, PublishedCounts(949_577, 50_406, 17)),
        ("alternating", "none", 2.168, 0.121, PublishedCounts(20_757, 977_411, 1_832)),
        ("same-suit", "any", 40.762, 0.097, PublishedCounts(407_620, 592_380, 0)),
        ("same-suit", "kings", 6.895, 0.050, PublishedCounts(68_945, 931_055, 0)),
        ("same-suit", "none", 0.178, 0.009, PublishedCounts(1_772, 998_228, 0)),
    ]
    seconds = {1: 190.0, 3: 75.0}

    def figure(
        draw: int,
        slug: str,
        words: str,
        percent: float,
        half_width: float,
        counts: PublishedCounts,
        seconds: float | None = None,
    ) -> Figure:
        usual = f"thoughtful Klondike, draw {draw}, unlimited redeals, partial runs may move"
        return Figure(
            "Solvitaire", percent, half_width, 0.95, counts.deals, "winnable", "deal",
            f"klondike-draw{draw}{slug}", usual + words, BLAKE_GENT, seconds, solver="exact",
            counts=counts,
        )  # fmt: skip

    found = []
    for draw, percent, half, counts, percent_not, half_not, counts_not in draws:
        found += [
            figure(draw, "", "", percent, half, counts, seconds.get(draw)),
            figure(
                draw, "-no-worrying-back", ", no worrying back", percent_not, half_not, counts_not
            ),
        ]
    for building, spaces, percent, half, counts in tableaus:
        slug = "" if building == "alternating" else f"-build-{building}"
        slug += "" if spaces == "kings" else f"-spaces-{spaces}"
        words = f", building {building}, spaces {spaces}"
        found.append(figure(3, slug, words, percent, half, counts))
    return found


def _table_8() -> list[Figure]:
    """Blake and Gent 2026, table 8: patience games, each under the ruleset that names its row."""
    home = files("catalogue.reproduction") / "blake-gent-2026-table-8.csv"
    lines = home.read_text("utf-8").splitlines()
    rulesets = {name: slug for slug, name in published_rows().items()}
    found = []
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        percent, half_width = row["ci95"].split(" ± ")
        counts = PublishedCounts(*(int(row[key]) for key in ("winnable", "unwinnable", "unknown")))
        found.append(
            Figure(
                "Solvitaire", float(percent), float(half_width), 0.95, counts.deals, "winnable",
                "deal", rulesets[row["game"]], row["game"], BLAKE_GENT, float(row["cpu_s_mean"]),
                solver="patience-exact", counts=counts, decimals=len(percent.partition(".")[2]),
            )
        )  # fmt: skip
    return found


# The deals of every row of Blake and Gent on Klondike: dealer, first seed and number. Those of
# other games have the same dealer and first seed.
BLAKE_GENT_DEALS = ("solvitaire", 1, 1_000_000)

# The share of winnable deals, in percent, that cannot be won without worrying back, with half the
# width of its interval at 95 %, by draw: Blake and Gent 2026, table 4.
BLAKE_GENT_NECESSITY = {
    f"klondike-draw{draw}": found
    for draw, found in enumerate(
        (
            (0.34, 0.08), (0.43, 0.11), (0.52, 0.04), (0.89, 0.04), (1.49, 0.04), (2.44, 0.06),
            (3.47, 0.08), (4.68, 0.13), (5.94, 0.18), (7.04, 0.25), (7.84, 0.37), (8.28, 0.59),
            (9.26, 0.74),
        ),
        start=1,
    )
}  # fmt: skip


def _lonelybot() -> Figure:
    """The README of a program that decides every deal that it tries."""
    return Figure(
        "lonelybot", 81.95, 0.03, 0.95, 5_910_579, "winnable", "deal", "klondike-draw3",
        "thoughtful Klondike, draw 3, unlimited redeals, partial runs may move", LONELYBOT,
        solver="exact",
    )  # fmt: skip


def _hidden_cards() -> list[Figure]:
    """Bjarnason et al. 2009, tables 1 and 2, and lonelybot: 21 cards are unknown."""
    rules = (
        "Klondike, draw 3, unlimited redeals, partial runs may move; "
        "the 21 face-down cards are hidden, the 24 of the stock are known"
    )
    rows: list[tuple[str, float, float | None, int | None, float | None, str]] = [
        ("random", 7.135, None, 1_000_000, None, "random"),
        ("greedy (priority order)", 12.992, None, 1_000_000, None, "greedy"),
        # As printed, although ±0.34 is the half width for 100,000 games.
        ("HOP 10 samples, level 0", 22.96, 0.34, 1_000_000, 43.54, "hop(samples=10, level=0)"),
        ("HOP 100 samples, level 0", 27.20, 0.80, 20_614, 689.78, "hop(samples=100, level=0)"),
        ("HOP 10 samples, level 1", 25.24, 0.78, 20_618, 833.26, "hop(samples=10, level=1)"),
        ("HOP 100 samples, level 1", 26.13, 2.66, 1_814, 9_056.58, "hop(samples=100, level=1)"),
        ("UCT 100 trajectories", 24.64, 3.04, 1_331, 44.50, "uct(trajectories=100, c=1)"),
        ("UCT 1000 trajectories", 34.24, 4.52, 733, 1_042.56, "uct(trajectories=1000, c=1)"),
        ("UCT 2000 trajectories", 34.41, 4.01, 933, 2_980.44, "uct(trajectories=2000, c=1)"),
        (
            "HOP-UCT 100 trajectories, 20 trees", 35.47, 4.00, 953, 767.57,
            "hop-uct(trajectories=100, trees=20)",
        ),
        (
            "HOP-UCT 1000 trajectories, 5 trees", 30.58, 4.53, 690, 3_531.12,
            "hop-uct(trajectories=1000, trees=5)",
        ),
        (
            "Sparse UCT 100 trajectories, width 1", 22.65, 2.41, 2_000, 40.11,
            "sparse-uct(trajectories=100, width=1)",
        ),
        (
            "Sparse UCT 1000 trajectories, width 1", 28.66, 4.21, 764, 566.65,
            "sparse-uct(trajectories=1000, width=1)",
        ),
        (
            "Sparse UCT 1000 trajectories, width 5", 33.98, 1.63, 5_583, 495.68,
            "sparse-uct(trajectories=1000, width=5)",
        ),
        (
            "Sparse UCT 1000 trajectories, width 10", 33.79, 3.11, 1_536, 747.82,
            "sparse-uct(trajectories=1000, width=10)",
        ),
        (
            "Sparse UCT 2000 trajectories, width 4", 35.62, 2.58, 2_288, 1_485.19,
            "sparse-uct(trajectories=2000, width=4)",
        ),
        (
            "Ensemble-UCT 200 trajectories, 20 trees", 36.97, 1.92, 4_206, 2_280.55,
            "ensemble-uct(trajectories=200, trees=20)",
        ),
        (
            "Ensemble-UCT 100 trajectories, 10 trees", 32.86, 1.57, None, None,
            "ensemble-uct(trajectories=100, trees=10)",
        ),
        (
            "Ensemble-Sparse-UCT 50 trajectories, 50 trees, width 2", 35.27, 2.16, 3_249, 1_302.38,
            "ensemble-sparse-uct(trajectories=50, trees=50, width=2)",
        ),
    ]  # fmt: skip
    planners = [
        Figure(
            system, percent, half_width, 0.99, games, "wins", "observation", "klondike-draw3",
            rules, BJARNASON_2009, seconds, solver=solver,
        )
        for system, percent, half_width, games, seconds, solver in rows
    ]  # fmt: skip
    lonelybot = Figure(
        "lonelybot, hidden cards sampled", 47.58, 0.80, 0.95, 15_024, "wins", "observation",
        "klondike-draw3", rules, LONELYBOT, 3.0,
    )  # fmt: skip
    return [*planners, lonelybot]


def _spider() -> list[Figure]:
    """The figures of the Spider blog that are shares of games.

    The Monkey's times are "100 games of Spider Solitaire inside three minutes", at one suit. Levels
    1, 2 and 4 were tried on one hand shown in a video, as was level 3, without a win; later level 3
    was tried on a random hand: "zero games in 500". Here they play random deals.
    """
    four = "Spider, 4 suits, a row may be dealt onto empty columns"
    rows: list[tuple[str, float, int | None, str | None, str, float | None, str | None]] = [
        (
            "random Monkey, 1 suit", 62.0, None, "spider-1-relaxed",
            "Spider, 1 suit, a row may be dealt onto empty columns", 1.8, "monkey(level=1)",
        ),
        ("random Monkey", 0.0, 200, "spider-4-relaxed", four, None, "monkey(level=1)"),
        ("Monkey level 2", 0.0, 200, "spider-4-relaxed", four, None, "monkey(level=2)"),
        ("Monkey level 3", 0.0, 500, "spider-4-relaxed", four, None, "monkey(level=3)"),
        (
            "Monkey level 4, p = 0.5", 0.0, 200, "spider-4-relaxed", four, None,
            "monkey(level=4, p=50)",
        ),
        (
            "Monkey level 4, p = 0.9", 0.5, 200, "spider-4-relaxed", four, None,
            "monkey(level=4, p=90)",
        ),
        ("look-ahead (GMES)", 5.0, None, "spider-4-relaxed", four, None, "look-ahead"),
        ("human (S. Brown), no undo", 48.7, 306, None, "Spider, 4 suits", None, None),
    ]  # fmt: skip
    return [
        Figure(
            system, percent, None, 0.95, games, "wins", "observation", ruleset, rules, SPIDER_BLOG,
            seconds, solver=solver,
        )
        for system, percent, games, ruleset, rules, seconds, solver in rows
    ]  # fmt: skip


def _spider_with_all_cards_known() -> list[Figure]:
    """The shares of four-suit hands that programs won, some of them with a person's help."""
    rows = [
        ("plspider, some hands by people", PLSPIDER, 31_998, 32_000, 60.0),
        ("Weisser's program", WEISSER_2012, 3_199, 3_200, None),
    ]
    return [
        Figure(
            system, round(100 * won / hands, 3), None, 0.95, hands, "winnable", "deal", "spider-4",
            "Spider, 4 suits", source, seconds, counts=PublishedCounts(won, 0, hands - won),
        )
        for system, source, won, hands, seconds in rows
    ]  # fmt: skip


FIGURES: tuple[Figure, ...] = (
    *_yan(),
    *_bjarnason_2007(),
    *_blake_gent(),
    *_table_8(),
    _lonelybot(),
    *_hidden_cards(),
    *_spider(),
    *_spider_with_all_cards_known(),
)
