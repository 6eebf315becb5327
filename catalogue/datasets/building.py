"""Building a dataset: versioned, and byte for byte the same from the same catalogue.

Nothing that is written tells the moment, the machine or the directory; the versions of the
libraries that shape the files are in the provenance.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.datasets.card import card
from catalogue.datasets.checking import (
    COMPLETENESS,
    PROVENANCE,
    SUMS,
    all_files,
    count,
    dataset_tables,
    sum_of,
)
from catalogue.datasets.metadata import LICENCE, croissant, dictionary
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    REVISION,
    BatchRow,
    BlockRow,
    DealRow,
    DifficultyRow,
    OutcomeRow,
    ProvenanceRow,
    RulesetRow,
    VerificationRow,
)
from catalogue.store import Catalogue
from catalogue.tables.formats import format_named
from catalogue.tables.parts import PART, Source, known_solvers
from catalogue.tables.selection import Selection
from catalogue.tables.writing import complete_directory, write_tables
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.rulesets import parse_ruleset

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,79}", re.ASCII)
_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Built:
    """A dataset that was built.

    Attributes:
        directory: where it is.
        sums: SHA-256 of the file of checksums, which stands for all files.
        counts: what it holds, as in its file of completeness.
    """

    directory: Path
    sums: str
    counts: dict[str, Any]


def build(
    cat: Catalogue,
    name: str,
    directory: Path | str | None = None,
    *,
    rulesets: Sequence[str] = (),
    sample: Sample | None = None,
    format: str = "parquet",
    version: str = "1.0.0",
    solve: bool = False,
    authors: Sequence[str] = (),
    contact: str | None = None,
    on_progress: Callable[[int, str], None] | None = None,
) -> Built:
    """Build a dataset; its directory appears only when it is complete.

    Args:
        cat: the catalogue.
        name: lower-case letters, digits and hyphens.
        directory: one that does not exist yet, or is empty; by default the name and version.
        rulesets: slugs; all of the catalogue by default.
        sample: the deals; all of the catalogue that have a dealer by default.
        format: one of `catalogue.tables.formats.FORMATS`.
        version: three numbers such as 1.0.0.
        solve: whether winnable deals of which only the verdict is kept are solved again.
        authors: of the dataset, for its card and its citation.
        contact: whom to ask about it, for its card.
        on_progress: called with the number of rows so far and a remark.

    Raises:
        BadInput: a value that is none of those, nothing to write, or a directory in use.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a dataset: expected lower-case letters, digits and hyphens"
        )
    if not _VERSION.fullmatch(version):
        raise BadInput(f"{version!r} is not a version: expected three numbers such as 1.0.0")
    form = format_named(format)
    for each in (*authors, *([] if contact is None else [contact])):
        if not each.strip() or not each.isprintable() or set(each) & set("{}\\"):
            raise BadInput(
                f"{each!r} is no name or address for a dataset card: expected a line of text "
                "without braces and backslashes"
            )
    slugs = sorted({parse_ruleset(each).slug for each in rulesets})
    about: dict[str, Any] = {"name": name, "version": version, "format": form}
    with complete_directory(directory or f"{name}-{version}", "dataset") as (target, partial):
        with cat.session() as session:
            source = _source(session, slugs, sample, solve)
            tables = list(dataset_tables().values())
            rows = write_tables(
                source, tables, partial, form, sharded=True, on_progress=on_progress
            )
            if not rows["deals"]:
                raise BadInput(
                    f"the catalogue has no deals of {sample or 'any dealer'} under "
                    f"{', '.join(slugs) or 'any ruleset'}: nothing to write"
                )
            counts = count(partial)
            about["selection"] = {
                "rulesets": slugs or "all",
                "sample": "all" if sample is None else str(sample),
                "solutions_made_again": solve,
            }
            about |= _provenance(source, counts)
            about |= {"authors": list(authors), "contact": contact}
        _write_descriptions(partial, counts, about)
        sums = sum_of(partial / SUMS)
    return Built(target, sums, counts)


def _source(session: Session, slugs: Sequence[str], sample: Sample | None, solve: bool) -> Source:
    """All deals with a dealer, or a sample, under some rulesets or all, by the slugs of these."""
    deals = Selection() if sample is None else Selection.of(sample=str(sample))
    rulesets = (each for each in deals.rulesets(session) if not slugs or each.slug in slugs)
    dealings = [each for each in deals.dealings(session) if each.dealer != IMPORTED]
    return Source(session, deals, sorted(rulesets, key=lambda each: each.slug), dealings, solve)


def _provenance(source: Source, counts: dict[str, Any]) -> dict[str, Any]:
    session = source.session
    used = sorted({each["ruleset"] for each in counts["samples"]})
    ids = {
        row.id: row for row in session.scalars(select(RulesetRow).where(RulesetRow.slug.in_(used)))
    }
    ran = session.scalars(
        select(BlockRow.solver_id)
        .distinct()
        .where(
            BlockRow.ruleset_id.in_(ids),
            BlockRow.dealing_id.in_([each.id for each in source.dealings]),
        )
    ).all()
    solvers = known_solvers(session)
    models = session.scalars(select(DifficultyRow).where(DifficultyRow.ruleset_id.in_(ids)))
    return {
        "written_by": {
            "thoughtful": version_of("thoughtful"),
            "schema": REVISION,
            "pyarrow": version_of("pyarrow"),
            "numpy": version_of("numpy"),
            "rows_of_a_chunk": PART,
            "seeds_of_a_file": BLOCK_SIZE,
        },
        "rulesets": {
            row.slug: {"game": row.game, "options": row.options}
            for row in sorted(ids.values(), key=lambda each: each.slug)
        },
        "dealers": sorted({each["dealer"] for each in counts["samples"]}),
        "solvers": [
            {"solver": each.name, "version": each.version, "sees": each.sees}
            for each in sorted(solvers[number] for number in ran)
        ],
        **_programs(source, list(ids)),
        "verification": _verification(session),
        "difficulty": [
            {
                "ruleset": ids[row.ruleset_id].slug,
                "sample": str(Sample(row.dealer, row.first_seed, row.deals)),
                "fitted": row.fitted,
                "features_version": row.features_version,
                "limits": row.limits,
                "players": row.players,
            }
            for row in sorted(models, key=lambda each: ids[each.ruleset_id].slug)
        ],
    }


def _programs(source: Source, rulesets: Sequence[int]) -> dict[str, Any]:
    """The programs that made the outcomes of rulesets, without the machines, and the days."""
    session, dealings = source.session, [each.id for each in source.dealings]
    rowed = (
        select(OutcomeRow.batch_id)
        .join(DealRow, DealRow.id == OutcomeRow.deal_id)
        .where(OutcomeRow.ruleset_id.in_(rulesets), DealRow.dealing_id.in_(dealings))
    )
    batch = BatchRow
    found = session.execute(
        select(batch.provenance_id, func.min(batch.created_at), func.max(batch.created_at))
        .where(batch.id.in_(rowed))
        .group_by(batch.provenance_id)
    ).all()
    provenances = {row[0] for row in found}
    days = {each.date().isoformat() for row in found for each in row[1:]}
    for ranges in session.scalars(
        select(BlockRow.provenance).where(
            BlockRow.ruleset_id.in_(rulesets), BlockRow.dealing_id.in_(dealings)
        )
    ):
        provenances |= {each[2] for each in ranges}
        days |= {each[3][:10] for each in ranges}
    names = ("program", "revision", "python", "numba")
    rows = session.scalars(select(ProvenanceRow).where(ProvenanceRow.id.in_(provenances)))
    values = {tuple(getattr(row, name) for name in names) for row in rows}
    return {
        "programs": [dict(zip(names, each, strict=True)) for each in sorted(values)],
        "first_outcome": min(days),
        "last_outcome": max(days),
    }


def _verification(session: Session) -> dict[str, Any] | None:
    """The day and the faults of the last verification that came to its end; None without one."""
    row = session.scalar(
        select(VerificationRow)
        .where(VerificationRow.state == "done", VerificationRow.finished_at.is_not(None))
        .order_by(VerificationRow.id.desc())
        .limit(1)
    )
    if row is None or row.finished_at is None:
        return None
    return {"date": row.finished_at.date().isoformat(), "faults": row.faults}


def _write_descriptions(directory: Path, counts: dict[str, Any], about: dict[str, Any]) -> None:
    sums = {path: sum_of(directory / path) for path in all_files(directory)}
    for file, content in (
        (COMPLETENESS, counts),
        (PROVENANCE, about),
        ("dictionary.json", dictionary()),
        ("croissant.json", croissant(sums, about)),
    ):
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (directory / file).write_text(text + "\n", "utf-8")
    (directory / "README.md").write_text(card(counts, about), "utf-8")
    (directory / "LICENSE").write_text(LICENCE, "utf-8")
    lines = [f"{sum_of(directory / path)}  {path}\n" for path in all_files(directory)]
    (directory / SUMS).write_text("".join(lines), "utf-8")
