"""The downloads page: a selection of the catalogue as one zip file, with a README."""

import tempfile
import zipfile
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import streamlit as st

from catalogue.reading.deal_list import STATUSES
from catalogue.reading.overview import dealers, rulesets
from catalogue.settings import get_settings
from catalogue.store import Catalogue
from catalogue.tables.columns import tables
from catalogue.tables.export import export
from catalogue.tables.formats import FORMATS, Format
from catalogue.tables.selection import Selection
from dashboard.elements.tables import Column, Folded, show_table
from dashboard.elements.wording import by_preference, count, ruleset_title
from dashboard.server.connection import catalogue, show_error
from engine.errors import BadInput

FORMAT_WORDS = {"parquet": "Parquet", "csv": "CSV", "jsonl": "JSON lines"}
_ALL = "all"
# Characters of a meaning that is shown as a whole.
_BRIEF = 250
# A table of a download may take the database as many times longer as a page.
SLOWER = 6


def show() -> None:
    st.title("Downloads")
    st.markdown(
        f"The tables {', '.join(tables())}, one file each, from a single moment, in a zip file "
        "with a README, "
        f"{count(get_settings().download_rows)} rows at most. `thoughtful export` writes the same "
        "files without a limit."
    )
    cat = catalogue()
    with st.form("download"):
        first, second = st.columns(3), st.columns(3)
        ruleset = first[0].selectbox(
            "Ruleset",
            [_ALL, *by_preference(rulesets(cat))],
            format_func=lambda slug: slug if slug == _ALL else ruleset_title(slug),
            key="dl-ruleset",
        )
        status = first[1].selectbox("Status", [_ALL, *STATUSES], key="dl-status")
        dealer = first[2].selectbox("Dealer", [_ALL, *dealers(cat)], key="dl-dealer")
        seed_from = second[0].number_input(
            "Seeds from", min_value=0, value=None, step=1, key="dl-from", placeholder="the first"
        )
        seed_to = second[1].number_input(
            "Seeds to", min_value=0, value=None, step=1, key="dl-to", placeholder="the last"
        )
        kind = second[2].selectbox(
            "Format", FORMATS, format_func=lambda each: FORMAT_WORDS[each], key="dl-format"
        )
        asked = st.form_submit_button("Prepare the download", type="primary")
    if asked:
        st.session_state.pop("prepared", None)
        try:
            selection = Selection(
                None if ruleset == _ALL else ruleset,
                None if status == _ALL else status,
                None if dealer == _ALL else dealer,
                seed_from,
                seed_to,
            )
            st.session_state["prepared"] = _zipped(cat, selection, kind)
        except BadInput as error:
            show_error(error)
    if "prepared" in st.session_state:
        data, name, rows = st.session_state["prepared"]
        st.success(", ".join(f"{count(number)} {table}" for table, number in rows.items()))
        st.download_button(
            f"Download {name} ({_size(len(data))})",
            data,
            name,
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )
    st.subheader("Columns")
    for table in tables().values():
        with st.expander(f"**{table.name}**: {table.meaning}"):
            show_table(
                [Column("Column"), Column("Type"), Column("Unit"), Column("Meaning", "wide")],
                [
                    (each.name, str(each.type), each.unit, _in_brief(each.meaning))
                    for each in table.columns
                ],
                name=f"Columns of {table.name}",
            )


def _in_brief(meaning: str) -> str | Folded:
    """A meaning; of a long one, which says what each game has, the rest is folded."""
    first, mark, rest = meaning.partition("; ")
    return Folded(f"{first}.", rest) if mark and len(meaning) > _BRIEF else meaning


def _zipped(
    cat: Catalogue, selection: Selection, kind: Format
) -> tuple[bytes, str, dict[str, int]]:
    """The zip file, its name, and the number of rows of each table in it."""
    most = get_settings().download_rows
    if cat.limits is not None:
        cat = cat.with_limits(cat.limits.for_seconds(SLOWER * cat.limits.seconds))
    progress = st.empty()
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        stack.callback(progress.empty)

        def report(rows: int, place: str) -> None:
            if rows > most:
                raise BadInput(
                    f"this selection has more than {most:,} rows, which is the most that can be "
                    "downloaded here: select fewer deals, or use `thoughtful export`"
                )
            progress.text(f"{count(rows)} rows written: {place}")

        written = export(
            cat, Path(scratch) / "thoughtful", format=kind, selection=selection, on_progress=report
        )
        packed = BytesIO()
        # Parquet is compressed already.
        method = zipfile.ZIP_STORED if kind == "parquet" else zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(packed, "w", method) as archive:
            for path in written.files:
                archive.write(path, f"thoughtful/{path.name}")
    return packed.getvalue(), f"thoughtful-{kind}.zip", written.rows


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"
