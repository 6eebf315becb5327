"""Plain HTML tables, which work on a phone, in a screen reader and in a test."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

import streamlit as st

from dashboard.elements.wording import deal_title

# One style sheet for all tables; greys are mixed from the text colour, so they fit both themes.
STYLE = """
.sheet { overflow-x: auto; }
.sheet table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
.sheet th, .sheet td {
  padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent);
}
.sheet td.wide { white-space: normal; min-width: 14rem; }
.sheet .number + td, .sheet .number + th { padding-left: 0.75rem; }
.sheet a { color: inherit; font-weight: 600; text-underline-offset: 0.2em; }
.sheet th { font-weight: 600; opacity: 0.75; }
.sheet .number { text-align: right; font-variant-numeric: tabular-nums; }
/* On a phone a row of many columns is a card: a line for each column, named beside its value. */
@media (max-width: 640px) {
  .sheet.cards thead { display: none; }
  .sheet.cards table, .sheet.cards tbody, .sheet.cards tr { display: block; }
  .sheet.cards tr {
    padding: 0.6rem 0;
    border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent);
  }
  .sheet.cards td, .sheet.cards td.number, .sheet.cards td.wide, .sheet.cards .number + td {
    display: flex; gap: 1rem; justify-content: space-between; padding: 0.1rem 0; border: 0;
    min-width: 0; text-align: right; white-space: normal; overflow-wrap: anywhere;
  }
  .sheet.cards td::before {
    content: attr(data-heading); flex: none; font-weight: 600; opacity: 0.75; text-align: left;
  }
}
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading and kind; numbers are aligned right, wide text may wrap."""

    heading: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that links to another page."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Folded:
    """A cell of which the first words show, and the rest when it is unfolded."""

    text: str
    rest: str


def deal_link(ref: str, ruleset: str | None = None) -> Link:
    """The permanent link of a deal, relative so that it works behind any address."""
    rules = "" if ruleset is None else f"&rules={quote(ruleset)}"
    return Link(ref, f"./?deal={quote(ref, safe=':')}{rules}")


def titled_link(ref: str, dealer: str | None, seed: int | None, ruleset: str) -> Link:
    """The link of a listed deal as people call it, ``Deal 13``; by its name without a dealer."""
    title = deal_title(dealer, seed) if dealer and seed is not None else ref
    return Link(title, deal_link(ref, ruleset).href)


def show_table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[str | Link | Folded]],
    *,
    name: str,
    cards: bool = False,
) -> None:
    """Show a table; all text is escaped.

    Args:
        columns: their headings.
        rows: a cell for each column.
        name: what the table holds, for screen readers; its slug is the test id.
        cards: whether each row is a card on a phone, as a table of many columns should.
    """
    head = "".join(f'<th class="{c.kind}" scope="col">{escape(c.heading)}</th>' for c in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{column.kind}" data-heading="{escape(column.heading)}">{_cell(value)}</td>'
            for column, value in zip(columns, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    slug = name.lower().replace(" ", "-")
    kind = "sheet cards" if cards else "sheet"
    st.html(
        # Keys scroll what has the focus, and a wide table has to be scrolled.
        f'<div class="{kind}" data-testid="{escape(slug)}" tabindex="0" role="region" '
        f'aria-label="{escape(name)}"><table aria-label="{escape(name)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: str | Link | Folded) -> str:
    if isinstance(value, Folded):
        return (
            f"{escape(value.text)} <details><summary>more</summary>"
            f"<p>{escape(value.rest)}</p></details>"
        )
    if isinstance(value, Link):
        return f'<a href="{escape(value.href)}">{escape(value.text)}</a>'
    return escape(value)
