"""Pictures for notebooks: a table as SVG, a page that steps through moves, a chart of bounds.

The picture knows no game: it takes the piles of the game's renderer (`dashboard.viewer.renderer`),
draws ``down…`` and ``up…`` as columns, and all others in rows above them. The page is the viewer of
the dashboard, complete in itself.
"""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from engine.game import Move, Position

# Lengths in pixels.
_WIDTH, _HEIGHT, _STEP, _DROP, _FAN, _GAP = 46, 64, 54, 19, 20, 14
_LABEL = 13
_SUITS = {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}
_COLUMN = re.compile(r"(down|up)(\d+)")
# Piles of these names lie face down; of those without a fan only the top card shows.
_FACE_DOWN = ("stock", "row")
_FANNED = ("stock", "waste", "row")
_TEAL, _AMBER, _GREY = "#2a9d84", "#d08a1d", "#8a94a3"
# The colours of the viewer, which elsewhere are those of the dashboard's theme.
_THEME = """
:root { color-scheme: light; --st-text-color: #1c2b27; --st-font: system-ui, sans-serif;
  --st-primary-color: #1f7a66; --st-background-color: #fff;
  --st-secondary-background-color: #eef3f1; }
body { margin: 0; max-width: 760px; }
"""
# The frame has the origin of the notebook's page, which a notebook that is not trusted forbids.
_FIT = """
const fit = () => {
  try { frameElement.style.height = `${document.documentElement.scrollHeight + 4}px`; } catch {}
};
new ResizeObserver(fit).observe(document.body);
"""


def svg_of(position: "Position") -> str:
    """A picture of the table; the text of the position if its game has no renderer."""
    from dashboard.viewer.renderer import table_of

    table = table_of(position)
    if table is None:
        return f"<pre>{escape(str(position))}</pre>"
    columns, above = _sorted(table.piles)
    width = max(len(columns) * _STEP, 7 * _STEP)
    parts, top = [], 0
    for line in _lines(above, width):
        x = 0
        for name, cards in line:
            parts.append(_label(x, top + _LABEL - 3, _title(name, len(cards))))
            parts += _strip(name, cards, x, top + _LABEL)
            x += _span(name, cards) + _GAP
        top += _LABEL + _HEIGHT + 6
    top += 4
    height = top + _HEIGHT
    for number, (down, up) in enumerate(columns):
        x, y = number * _STEP, top
        if not down and not up:
            parts.append(_slot(x, y))
        for at, (card, hidden) in enumerate([(c, True) for c in down] + [(c, False) for c in up]):
            y = top + at * _DROP
            parts.append(_card(card, x, y, hidden))
        height = max(height, y + _HEIGHT)
    title = escape(f"{position.rules.slug}: {position.progress}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height + 2}" '
        f'viewBox="-1 -1 {width + 2} {height + 4}" font-family="system-ui, sans-serif">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def stepping_page(start: "Position", moves: "Sequence[Move]") -> str:
    """A page that steps through moves; empty if the game has no renderer."""
    from dashboard.viewer.changes import step_as_data, steps
    from dashboard.viewer.renderer import renderer_of

    renderer = renderer_of(start.rules.game)
    if renderer is None:
        return ""
    piles, changes = steps(renderer, start, moves)
    data: dict[str, Any] = {
        "id": "notebook",
        "piles": piles,
        "steps": [step_as_data(step, changed) for step, changed in changes],
        "marks": {},
        "start": f"The deal under {start.rules.slug}, before the first of {len(moves)} moves.",
    }
    # A script ends at the first "</", wherever it stands.
    written = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    script = "\n".join([_asset("cards.js"), _asset("table.js"), renderer.script])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Replay</title>'
        f"<style>{_THEME}{_asset('table.css')}</style>{_asset('table.html')}"
        f'<script type="module">{script}\n{_FIT}'
        f"replay({{ parentElement: document.body, data: {written} }});</script></html>"
    )


def framed(page: str) -> str:
    """A page as part of a notebook, which keeps its styles and its keys to itself."""
    return (
        f'<iframe srcdoc="{escape(page)}" title="Replay" '
        'style="width: 100%; max-width: 780px; height: 760px; border: 0"></iframe>'
    )


def chart_of_bounds(grown: "pd.DataFrame") -> "alt.LayerChart":
    """The lower and the upper bound against the deals attempted, in percent, within their band."""
    import altair as alt
    import pandas as pd

    percent = pd.DataFrame(
        {"n": grown["n"].astype("int64")}
        | {name: 100 * grown[name].astype(float) for name in ("lower", "upper", "low", "high")}
    )
    base = alt.Chart(percent).encode(x=alt.X("n:Q", title="Deals attempted"))
    scale = alt.Scale(zero=False)
    band = base.mark_area(opacity=0.18, color=_GREY).encode(
        y=alt.Y("low:Q", title="Winnable, %", scale=scale), y2="high:Q"
    )
    tooltip = [alt.Tooltip("n:Q", format=",d"), *(f"{name}:Q" for name in percent.columns[1:])]
    chart: alt.LayerChart = alt.LayerChart(
        layer=[
            band,
            base.mark_line(color=_TEAL).encode(y=alt.Y("lower:Q", scale=scale), tooltip=tooltip),
            base.mark_line(color=_AMBER, strokeDash=[6, 3]).encode(y="upper:Q", tooltip=tooltip),
        ]
    )
    return chart


def _asset(name: str) -> str:
    return files("dashboard.viewer").joinpath(name).read_text(encoding="utf-8")


def _sorted(
    piles: dict[str, list[str]],
) -> tuple[list[tuple[list[str], list[str]]], list[tuple[str, list[str]]]]:
    """The columns, each with its cards face down and face up, and the other piles."""
    numbers = [int(match[2]) for name in piles if (match := _COLUMN.fullmatch(name))]
    columns = [
        (piles.get(f"down{number}", []), piles.get(f"up{number}", []))
        for number in range(1, max(numbers, default=0) + 1)
    ]
    return columns, [each for each in piles.items() if not _COLUMN.fullmatch(each[0])]


def _lines(piles: list[tuple[str, list[str]]], width: int) -> list[list[tuple[str, list[str]]]]:
    """The piles in lines that are no wider than the table, if a pile is not."""
    lines: list[list[tuple[str, list[str]]]] = []
    x = width
    for name, cards in piles:
        span = _span(name, cards)
        if x + span > width:
            lines.append([])
            x = 0
        lines[-1].append((name, cards))
        x += span + _GAP
    return lines


def _span(name: str, cards: list[str]) -> int:
    fanned = name.startswith(_FANNED)
    return _WIDTH + (max(len(cards) - 1, 0) * _fan(len(cards)) if fanned else 0)


def _fan(cards: int) -> int:
    """How far apart cards lie: a whole stock must fit, and every rank be read."""
    return _FAN if cards <= 16 else 14


def _strip(name: str, cards: list[str], x: int, y: int) -> list[str]:
    if not cards:
        return [_slot(x, y)]
    if not name.startswith(_FANNED):
        return [_card(cards[-1], x, y, False)]
    hidden = name.startswith(_FACE_DOWN)
    # The next card of the stock is the last of its pile, and is read first.
    ordered = cards[::-1] if name == "stock" else cards
    fan = _fan(len(cards))
    return [_card(card, x + at * fan, y, hidden) for at, card in enumerate(ordered)]


def _card(name: str, x: int, y: int, hidden: bool) -> str:
    """A card; the suit stands under the rank, so that a strip of cards shows both."""
    rank, suit = "10" if name[0] == "T" else name[0], _SUITS[name[1]]
    ink = "#b3261e" if name[1] in "DH" else "#1d1d1f"
    face, opacity = ("#dfe5e3", ' opacity="0.6"') if hidden else ("#fff", "")
    squeezed = ' textLength="12" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="{face}" '
        f'stroke="#8a94a3"/><g font-size="13" fill="{ink}"{opacity}>'
        f'<text x="{x + 2}" y="{y + 14}"{squeezed}>{rank}</text>'
        f'<text x="{x + 2}" y="{y + 28}">{suit}</text>'
        f'<text x="{x + _WIDTH - 3}" y="{y + 14}" text-anchor="end">{suit}</text></g>'
    )


def _slot(x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="none" '
        'stroke="#8a94a3" stroke-dasharray="4 3"/>'
    )


def _title(name: str, cards: int) -> str:
    """The heading of a pile; above a single card there is room for a sign and a number."""
    if name.startswith(_FANNED):
        return f"{name} ({cards})"
    return f"{_SUITS.get(name[-1], name)} {cards}"


def _label(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="10" fill="#6b7480">{escape(text)}</text>'
