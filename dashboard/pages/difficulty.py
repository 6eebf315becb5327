"""The difficulty page: levels, search effort, length of solutions, and wins of each solver."""

from itertools import pairwise

import pandas as pd
import streamlit as st

from catalogue.difficulty.shipped import shipped_rulesets
from catalogue.reading.contenders import Contender, brief_names
from catalogue.reading.difficulty import Bin, Difficulty, SolverShare, difficulty
from catalogue.reading.overview import rulesets
from catalogue.reproduction.published import Figure, figures
from catalogue.store import Catalogue
from dashboard.elements.charts import histogram, results_by_solver
from dashboard.elements.level_model import show_levels
from dashboard.elements.links import choose_ruleset
from dashboard.elements.published import comparison
from dashboard.elements.saving import show_chart
from dashboard.elements.starting import Offer, offer
from dashboard.elements.tables import Column, show_table
from dashboard.elements.watching import watch
from dashboard.elements.wording import by_preference, count, percent, ruleset_title, sample_title
from dashboard.server.connection import catalogue
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.registry import methods_of

LEVEL = 0.99


def show() -> None:
    st.title("Difficulty")
    attempted = by_preference(rulesets(catalogue()))
    known = list(dict.fromkeys((*attempted, *by_preference(shipped_rulesets()))))
    ruleset = choose_ruleset(st, known)

    def part(cat: Catalogue) -> None:
        show_levels(cat, ruleset)
        if attempted:
            _difficulty(difficulty(cat, ruleset, level=LEVEL))

    watch(part)
    if not attempted:
        offer("Nothing has been solved yet.", Offer.first(), "first-job")


def _difficulty(hard: Difficulty) -> None:
    if hard.sample is None:
        st.info(f"No sample has been attempted under {ruleset_title(hard.ruleset)} yet.")
        return
    st.caption(
        f"What solvers found on {sample_title(hard.sample)}, {count(hard.sample.count)} in all."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Search nodes")
        if hard.nodes:
            # A logarithmic axis has no zero.
            bins = [Bin(max(1, b.low), b.high, b.winnable, b.unwinnable) for b in hard.nodes]
            stacked = _stacked(bins)
            show_chart(
                histogram(stacked, "Nodes (logarithmic)", logarithmic=True),
                stacked,
                name=f"nodes-{hard.ruleset}",
                key="nodes",
                alt_text="Deals by the nodes of the exact search that decided them",
            )
            st.caption(
                "Positions that the exact search entered before it reached a verdict. The number "
                "depends on the search as well as on the deal."
            )
        elif not any(method.grades for method in methods_of(parse_ruleset(hard.ruleset).game)):
            st.caption("No solver of this game tells by its nodes how hard a deal is.")
        else:
            st.caption("No deal of this sample was decided by exact search.")
    with right:
        st.subheader("Solution length")
        if hard.lengths:
            stacked = _stacked(hard.lengths)
            show_chart(
                histogram(stacked, "Moves of the shortest solution known"),
                stacked,
                name=f"lengths-{hard.ruleset}",
                key="lengths",
                alt_text="Winnable deals by the length of their shortest solution",
            )
            st.caption(
                "Standard moves; each turn of the stock and each row dealt counts as one. The "
                "shortest solution known is seldom the shortest possible."
            )
        else:
            st.caption("No solution is stored for this sample.")
    st.subheader("Results by solver")
    _solvers(hard)


def _stacked(bins: list[Bin]) -> pd.DataFrame:
    """One row for each bin and status, with the bars of a bin stacked."""
    rows = []
    for each in bins:
        ends = (0, each.winnable, each.winnable + each.unwinnable)
        for status, (below, above) in zip(("winnable", "unwinnable"), pairwise(ends), strict=True):
            if above > below:
                rows.append((each.low, each.high, status, below, above, above - below))
    return pd.DataFrame(rows, columns=["low", "high", "status", "below", "above", "deals"])


def _solvers(hard: Difficulty) -> None:
    if not hard.solvers:
        st.caption("No solver has attempted this sample from its first deal on.")
        return
    names = brief_names([Contender(s.solver, s.version) for s in hard.solvers])
    rows = [
        (name, result, deals)
        for name, s in zip(names, hard.solvers, strict=True)
        for result, deals in (
            ("won", s.won),
            ("lost", s.lost),
            ("unwinnable", s.unwinnable),
            ("gave up", s.gave_up),
        )
    ]
    frame = pd.DataFrame(rows, columns=["solver", "result", "deals"])
    show_chart(
        results_by_solver(frame),
        frame,
        name=f"solvers-{hard.ruleset}",
        key="solvers",
        alt_text="Results of each solver: shares won, lost, unwinnable and given up",
    )
    _solver_table(hard, names)
    _published(hard)
    if len(hard.solvers) > 1:
        _winners(hard, names)


def _solver_table(hard: Difficulty, names: list[str]) -> None:
    show_table(
        [
            Column("Solver", "wide"),
            Column("Attempted", "number"),
            Column("Won", "number"),
            Column("Share won, 99 %"),
            Column("Unwinnable", "number"),
            Column("Lost", "number"),
            Column("Gave up", "number"),
            Column("Nodes per deal", "number"),
            Column("CPU per deal", "number"),
        ],
        [
            (
                name,
                count(s.attempted),
                count(s.won),
                f"{percent(s.share)} ({percent(s.interval.low)} to {percent(s.interval.high)})",
                count(s.unwinnable),
                count(s.lost),
                count(s.gave_up),
                count(s.nodes / s.attempted),
                f"{s.cpu_ms / s.attempted:,.2f} ms",
            )
            for name, s in zip(names, hard.solvers, strict=True)
        ],
        name="Solvers",
        cards=True,
    )
    with st.expander("The solvers with their parameters, and how they are measured"):
        st.markdown(
            "\n".join(
                f"- **{name}** is `{s.solver}`, version {s.version}."
                for name, s in zip(names, hard.solvers, strict=True)
            )
        )
        st.caption(
            "Nodes are positions that a search entered; what counts as one depends on the solver. "
            "The interval of a share is Clopper and Pearson's."
        )


def _winners(hard: Difficulty, brief: list[str]) -> None:
    names = {f"{s.solver} v{s.version}": name for s, name in zip(hard.solvers, brief, strict=True)}
    st.markdown(f"**Who wins which deals**, among the first {count(hard.winner_deals)} deals")
    show_table(
        [
            Column("Won by these and no others", "wide"),
            Column("Deals", "number"),
            Column("Share", "number"),
        ],
        [
            (
                " and ".join(names.get(solver, solver) for solver in each.solvers)
                or "none of them",
                count(each.deals),
                percent(each.deals / hard.winner_deals),
            )
            for each in hard.winners
        ],
        name="Winners",
    )


def _published(hard: Difficulty) -> None:
    """Show published figures on wins and dead ends, of methods that we run too."""
    compared = [
        (figure, share)
        for figure in figures(hard.ruleset, sees="deal")
        for share in hard.solvers
        if figure.is_of(share.solver) and figure.measures in ("wins", "dead ends")
    ]
    if not compared:
        return
    st.markdown("**Comparison with published figures of the same methods**")
    show_table(
        [
            Column("Published"),
            Column("Percent", "number"),
            Column("Here", "number"),
            Column("Comparison, 99 %"),
            Column("Source", "wide"),
        ],
        [_comparison(hard.ruleset, figure, share) for figure, share in compared],
        name="Published methods",
    )


def _comparison(ruleset: str, figure: Figure, share: SolverShare) -> tuple[str, ...]:
    hits = share.won
    if figure.measures == "dead ends":
        hits = sum(share.dead_ends.get(kind, 0) for kind in figure.kinds)
    load = game_of(parse_ruleset(ruleset)).load_dead_ends
    words = {} if load is None else load().kinds
    of = "; ".join(words.get(kind, kind) for kind in figure.kinds)
    return (
        f"{figure.system} ({figure.measures}{': ' * bool(of)}{of})",
        figure.text,
        percent(hits / share.attempted),
        comparison(figure, hits, share.attempted - hits, share.attempted, LEVEL),
        figure.source,
    )
