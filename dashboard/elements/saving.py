"""Charts on a page, each with buttons that save it as PNG, SVG and data.

The files are made when a button is pressed, by the same specification that the browser draws, on a
white ground: they are for documents, whatever theme the visitor has.
"""

from collections.abc import Callable

import pandas as pd
import streamlit as st
import vl_convert

from dashboard.elements.charts import Spec

# Width of a saved chart in CSS pixels, and how many pixels of the PNG make one of them.
_WIDTH = 720
_SCALE = 2.0


def show_chart(
    chart: Spec,
    data: pd.DataFrame | Callable[[], pd.DataFrame],
    *,
    name: str,
    key: str,
    alt_text: str,
) -> None:
    """Show a chart with buttons to save it.

    Args:
        chart: what is drawn, in Vega-Lite.
        data: the rows behind it, or a function that reads them when they are asked for.
        name: of the files, without ending.
        key: of the chart on its page.
        alt_text: what it shows, for those who do not see it.
    """
    st.vega_lite_chart(spec=chart, width="stretch", key=key, alt=alt_text)
    with st.container(horizontal=True, key=f"save-{key}", gap="small"):
        for label, ending, kind, made in (
            ("Save as PNG", "png", "image/png", lambda: as_png(chart)),
            ("SVG", "svg", "image/svg+xml", lambda: as_svg(chart)),
            ("data (CSV)", "csv", "text/csv", lambda: as_csv(data)),
        ):
            st.download_button(
                label,
                made,
                f"{name}.{ending}",
                kind,
                key=f"save-{key}-{ending}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )


def as_png(chart: Spec) -> bytes:
    """A chart as a PNG file."""
    return vl_convert.vegalite_to_png(_sized(chart), scale=_SCALE)


def as_svg(chart: Spec) -> bytes:
    """A chart as an SVG file."""
    return vl_convert.vegalite_to_svg(_sized(chart)).encode()


def as_csv(data: pd.DataFrame | Callable[[], pd.DataFrame]) -> bytes:
    """The rows behind a chart as a CSV file with a line of headings."""
    frame = data if isinstance(data, pd.DataFrame) else data()
    return frame.to_csv(index=False).encode()


def _sized(chart: Spec) -> Spec:
    return {**_unlinked(chart), "width": _WIDTH}


def _unlinked(part: Spec) -> Spec:
    """A chart without the links of its points: from a file they lead nowhere."""
    without = dict(part)
    if "encoding" in part:
        without["encoding"] = {
            name: value for name, value in part["encoding"].items() if name != "href"
        }
    if "layer" in part:
        without["layer"] = [_unlinked(each) for each in part["layer"]]
    return without
