"""A button that saves the deals of a list as CSV, with their levels and features."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import pandas as pd
import streamlit as st

from catalogue.difficulty.reading import GradedDeal
from dashboard.elements.saving import as_csv
from dashboard.elements.wording import count

# Deals of a file at most; `thoughtful export` writes any number.
FILE_DEALS = 10_000
# The attribute of a deal in each column.
_COLUMNS = {
    "level": "level",
    "level_name": "name",
    "difficulty": "difficulty",
    "difficulty_error": "deviation",
    "difficulty_games": "games",
    "length": "length",
    "choices": "choices",
    "critical": "critical",
    "first_critical": "first_critical",
    "random_wins": "luck",
    "random_wins_error": "luck_error",
    "random_wins_most": "luck_most",
    "features_version": "version",
}


def offer_file(
    total: int, rows: Callable[[], Iterable[dict[str, Any]]], *, name: str, key: str, more: str = ""
) -> None:
    """Show a button that saves a list; it is read when the button is pressed.

    Args:
        total: the number of deals in the list.
        rows: reads its deals, each with the values of its columns by name; of more than
            `FILE_DEALS` the first are saved.
        name: of the file, without ending.
        key: of the button on its page.
        more: words after the number of deals if there may be more.
    """
    if total == 0:
        return
    deals = f"{count(total)}{more} deals" if total > 1 else "1 deal"
    first = f"the first {count(FILE_DEALS)} of " if total > FILE_DEALS else ""
    st.download_button(
        f"Download {first}{deals} (CSV)",
        lambda: as_csv(pd.DataFrame(islice(rows(), FILE_DEALS))),
        f"{name}.csv",
        "text/csv",
        key=key,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        help="All that match, not only this page, with their levels and features. Any number is "
        "written by `thoughtful export`.",
    )


def difficulty_columns(deal: GradedDeal | None) -> dict[str, Any]:
    """Level and features of a deal by the names of columns; empty of a deal without features.

    The columns of the dictionary of exports have its names and units.
    """
    values = {name: getattr(deal, own, None) for name, own in _COLUMNS.items()}
    return values | {"needs": None if deal is None else " ".join(deal.needs)}
