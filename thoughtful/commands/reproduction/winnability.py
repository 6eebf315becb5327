"""`reproduce` for shares of winnable deals: rows decided here, or as earlier runs printed them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thoughtful.commands.reproduction.figures import machine
from thoughtful.terminal import console
from thoughtful.terminal.jobs import run_to_end

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from catalogue.reproduction.definitions import WinnabilityRow
    from catalogue.reproduction.winnability import Necessity, ReportedRow


@dataclass(frozen=True, slots=True)
class WinnabilityAnswer:
    """The rows of winnable shares, the necessities, and the machine of each row."""

    rows: "Sequence[ReportedRow]"
    necessities: "Sequence[Necessity]"
    machines: "Sequence[str]"


def decided(
    names: "Sequence[str]",
    games: int | None,
    first: str | None,
    plot: str | None,
    infer: bool,
    workers: int | None,
    database: str | None,
) -> WinnabilityAnswer:
    """Decide the rows of `BLAKE_GENT_2026` in a catalogue."""
    from catalogue import store
    from catalogue.reproduction import reproduction, winnability
    from catalogue.reproduction.definitions import BLAKE_GENT_2026

    wanted = BLAKE_GENT_2026.choose(names)
    if plot is not None:
        _check_plotted(wanted)
    cells = reproduction.plan(wanted, games, BLAKE_GENT_2026.first_of(first))
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        numbers = winnability.decide(catalogue, cells, infer=infer)
        # A row follows from those whose outcomes are stored: each ends before the next begins.
        for batch in [[number] for number in numbers] if infer else [numbers]:
            run_to_end(catalogue, batch, workers)
        rows = winnability.read(catalogue, cells)
    return WinnabilityAnswer(rows, winnability.necessities(rows), [machine()] * len(rows))


def reported(names: "Sequence[str]", file: str, plot: str | None) -> WinnabilityAnswer:
    """The rows of `BLAKE_GENT_2026` as earlier runs printed them."""
    from catalogue.reproduction.definitions import BLAKE_GENT_2026
    from catalogue.reproduction.earlier_rows import read_earlier
    from engine.errors import BadInput
    from thoughtful.terminal.files import read_text, shown

    wanted = [row.name for row in BLAKE_GENT_2026.choose(names)] if names else []
    lines = read_text(file).splitlines()
    try:
        earlier = read_earlier(BLAKE_GENT_2026, lines, wanted)
    except BadInput as error:
        raise BadInput(f"{shown(file)}: {error}") from None
    if plot is not None:
        _check_plotted([each.row for each in earlier.rows])
    return WinnabilityAnswer(
        earlier.rows, earlier.necessities, [each.machine for each in earlier.rows]
    )


def _check_plotted(rows: "Sequence[WinnabilityRow]") -> None:
    from catalogue.reproduction import winnability_charts

    winnability_charts.check_rows(rows)


def show(answer: WinnabilityAnswer, json: bool, figure: "Path | None") -> None:
    from catalogue.reproduction.definitions import BLAKE_GENT_2026
    from thoughtful.commands.reproduction import winnability_tables

    winnability_tables.show(
        BLAKE_GENT_2026, answer.rows, answer.necessities, answer.machines, json=json
    )
    if figure is not None:
        from catalogue.reproduction import winnability_charts, wins_over_time

        wins_over_time.save(winnability_charts.plot(answer.rows, answer.necessities), figure)
        console.remark(f"winnable shares: {figure}")
