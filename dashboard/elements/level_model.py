"""The model behind the levels of a ruleset: what it says, how well it tells, and how to get one."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from catalogue.difficulty.fitting import fit_difficulty
from catalogue.difficulty.grading import LEVELS, DifficultyModel
from catalogue.difficulty.playing import (
    advice_of_fit,
    chosen_players,
    old_features,
    submitted_solvers,
)
from catalogue.difficulty.reading import levels, model
from catalogue.jobs.queue import list_jobs
from catalogue.reading.bounds import headline_sample
from catalogue.store import Catalogue
from dashboard.elements.charts import calibration
from dashboard.elements.levels import for_whom
from dashboard.elements.saving import show_chart
from dashboard.elements.starting import DEALER, Offer, offer_here
from dashboard.elements.tables import Column, show_table
from dashboard.elements.wording import count, percent, ruleset_title, sample_title
from dashboard.server.access import why_not_write
from dashboard.server.connection import catalogue, literal, show_error
from dashboard.server.searching import begin, begun, forget, result_of
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.text.numbers import counted, p_value
from solvers.choice import Ability, capable
from solvers.solver import Solver

# Deals that a button has players play: about a minute on two cores; more by the command line.
DEALS = 300
# The normal quantile of the errors that the chart shows.
_ERRORS = 1.96
_FOUND = {
    "predicted": "difficulty, predicted from features alone",
    "played": "difficulty, with games of the other bots",
    "nodes": "search nodes alone",
    "length": "solution length alone",
    "winning share": "share of winning plays alone",
}


def show_levels(cat: Catalogue, ruleset: str) -> None:
    """Show the levels of a ruleset, or the way to them in steps."""
    st.subheader("Levels", anchor="levels")
    known, rules = model(cat, ruleset), parse_ruleset(ruleset)
    if known is None:
        _steps(cat, rules)
        return
    st.markdown(
        f"Level 1 is the easiest tenth of the winnable deals, level 10 the hardest"
        f"{for_whom(ruleset)}."
    )
    st.caption(
        f"Found from {count(known.fitted)} winnable deals, "
        f"{count(sum(each.played for each in known.players))} games on them by "
        f"{counted(len(known.players), 'bot')}. A bot is a program that plays by the open cards "
        "alone."
    )
    if known.rests_on_trials:
        st.caption(
            "Difficulty is predicted from trials: how many of ten games each of some quick bots "
            "wins. Deals are those that "
            + ("the best of its bots" if game_of(rules).hidden else "the exact search")
            + " wins in a short time."
        )
    if known.is_shipped:
        st.caption(
            "These levels come with the program. A catalogue's own take their place: "
            f"{advice_of_fit(rules)}."
        )
    if known.is_old:
        rests = old_features(known.features_version, rules)
        st.warning(f"These levels rest on {rests}.")
    _levels(levels(cat, ruleset), ruleset)
    _players(known)
    _validation(known, ruleset)


def _levels(deals: list[int], ruleset: str) -> None:
    """The names of the levels, with the deals of each if there are any."""
    names = [f"{number} {name}" for number, name in enumerate(LEVELS, start=1)]
    # Without a job that grades deals the catalogue has none of any level.
    if any(deals):
        show_table(
            [Column("Level"), Column("Deals", "number")],
            [(name, count(number)) for name, number in zip(names, deals, strict=True)],
            name="Levels",
        )
    else:
        st.markdown(" · ".join(names))
    st.markdown(f"[Find a deal of a level](./find?rules={ruleset})")


def _players(known: DifficultyModel) -> None:
    """The bots of the fit and the scale of difficulty; drawn when it is unfolded."""
    fold = st.expander("The bots, and how difficulty is measured", key="bots", on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.markdown(
            "Difficulty and strength are numbers on one scale, by the model of Rasch: a bot wins "
            "half of its games on deals that are as hard as it is strong. One step of the scale (a "
            "*logit*) multiplies the odds of winning by 2.7. Strengths have their standard errors."
        )
        show_table(
            [Column("Bot", "wide"), Column("Strength", "number"), Column("Games won", "wide")],
            [
                (
                    f"{each.name} v{each.version}",
                    f"{each.ability:+.2f} ± {each.error:.2f}",
                    f"{count(each.won)} of {count(each.played)}, {percent(each.won / each.played)}",
                )
                for each in known.players
            ],
            name="Bots of the fit",
        )
        st.caption(
            "A bot is named by its method with its parameters, and its version. The sample is "
            f"`{known.sample}`."
        )
        show_table(
            [Column("Level"), Column("Difficulty from", "number")],
            [
                (f"{number} {name}", f"{known.limits[number - 2]:+.2f}")
                for number, name in enumerate(LEVELS, start=1)
                if number > 1
            ],
            name="Limits of levels",
        )


def _validation(known: DifficultyModel, ruleset: str) -> None:
    """How well difficulties tell who wins; drawn when it is unfolded."""
    fold = st.expander("How well levels tell who wins", key="validation", on_change="rerun")
    if not fold.open:
        return
    found = known.validation
    with fold:
        if "auc" not in found:
            st.caption(
                "No bot can be held out: the others have not both won and lost on each half of "
                "the deals."
            )
        else:
            _areas(found["auc"], found["level"])
            _calibration(found["calibration"], ruleset)
        same = found.get("stability")
        if same:
            st.caption(
                "Fitted to one half of the deals and to the other, levels have a rank correlation "
                f"of {same['levels']:.3f}; {percent(same['same_level'])} of the deals have the "
                f"same level, {percent(same['within_one'])} are within one."
            )


def _areas(areas: dict[str, Any], level: float) -> None:
    st.markdown(
        "**Who wins, on deals and by bots that had no part in the fit.** Of a game that was won "
        "and one that was lost by the same bot, the chance that the lost one was on the harder "
        f"deal (AUC), over {count(areas['games'])} games."
    )
    interval = f"{100 * level:.0f} % interval"
    show_table(
        [Column("Deals ranked by", "wide"), Column("AUC", "number"), Column(interval)],
        [
            (words, f"{areas[name]['auc']:.3f}", _span(areas[name]))
            for name, words in _FOUND.items()
            if name in areas
        ],
        name="AUC",
    )


def _span(ends: dict[str, float]) -> str:
    return f"{ends['low']:.3f} to {ends['high']:.3f}"


def _calibration(known: dict[str, Any], ruleset: str) -> None:
    rows = [
        {
            "kind": kind,
            "games": each["games"],
            "expected": 100 * each["expected"],
            "won": 100 * each["won"],
            "low": max(0.0, 100 * (each["won"] - _ERRORS * each["error"])),
            "high": min(100.0, 100 * (each["won"] + _ERRORS * each["error"])),
        }
        for kind, of_kind in known.items()
        for each in of_kind["bins"]
    ]
    frame = pd.DataFrame(rows)
    show_chart(
        calibration(frame),
        frame,
        name=f"calibration-{ruleset}",
        key="calibration",
        alt_text="Share of games won against the chance that the model gave",
    )
    tests = "; ".join(
        f"{kind}: χ² {of_kind['statistic']:.1f} with {of_kind['degrees']} degrees of freedom, "
        f"{p_value(of_kind['p'])}"
        for kind, of_kind in known.items()
    )
    st.caption(
        "Games in ten groups by the chance that the model gave them; on the line, chances and "
        f"shares agree. Bars are 95 % intervals. {tests}."
    )


# --- the way to a model --------------------------------------------------------------------------


def _steps(cat: Catalogue, rules: Rules) -> None:
    """Offer the first of the steps to levels that is not done."""
    try:
        players = chosen_players(rules, None)
        solvers = submitted_solvers(rules, players)
    except BadInput as error:
        st.caption(literal(f"There are no levels here: {error}."))
        return
    sample = _sample(cat, rules)
    steps = [
        (
            f"bots of graded strength play {sample_title(sample)}",
            Offer(rules.slug, sample, solvers),
        )
    ]
    # Where trials are the features, the fit itself plays them.
    if capable(rules, Ability.FORGIVE) is not None:
        analysis = Offer(rules.slug, sample, (), "features")
        steps.append(("the winnable ones are analysed, move by move", analysis))
    none = f"There are no levels under {ruleset_title(rules.slug)} yet."
    made = list_jobs(cat)
    for number, (what, step) in enumerate(steps, start=1):
        if not any(step.is_made_by(job) and job.state == "done" for job in made):
            why = f"{none} Step {number} of {len(steps) + 1}: {what}."
            offer_here(cat, why, step, f"levels-{number}")
            return
    st.info(
        f"{none} Step {len(steps) + 1} of {len(steps) + 1}: the model is fitted to the games on "
        f"{sample_title(sample)}, and tells the levels of deals."
    )
    _fit(rules, sample, players)


def _sample(cat: Catalogue, rules: Rules) -> Sample:
    """The first deals of what was tried; those of the usual dealer if that is too little."""
    known = headline_sample(cat, rules.slug)
    if known is None or known.count < DEALS:
        return Sample(DEALER, 0, DEALS)
    return Sample(known.dealer, known.first, DEALS)


def _fit(rules: Rules, sample: Sample, players: list[Solver]) -> None:
    key = "levels", rules.slug, str(sample)
    doing = begun(key)
    if doing is not None and not doing.done():
        st.caption("Fitting and validating; this page shows the levels when it is done.")
        return
    if doing is not None:
        try:
            result_of(key, doing)
        except BadInput as error:
            show_error(error)
            st.caption(
                "More deals are played and fitted by `thoughtful difficulty fit SAMPLE --rules "
                f"{rules.slug}`."
            )
        else:
            forget(key)
            st.rerun()
    refused = why_not_write()
    if refused is not None:
        st.caption(literal(f"Nothing can be started from here: {refused}."))
    elif st.button("Fit the levels", key="levels-fit", type="primary"):
        forget(key)
        begin(key, partial(fit_difficulty, catalogue(), rules, sample, players))
        st.rerun()
