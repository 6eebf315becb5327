"""Building a dataset: versioned, and byte for byte the same from the same catalogue.

Rows are made a few thousand seeds at a time, so memory use does not depend on their number. Nothing
that is written tells the moment, the machine or the directory; the versions of the libraries that
shape the files are in the provenance.
"""

import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import pyarrow as pa
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.datasets.card import LICENCE, card, croissant, dictionary
from catalogue.datasets.completeness import (
    COMPLETENESS,
    PROVENANCE,
    SUMS,
    all_files,
    count,
    sum_of,
)
from catalogue.datasets.rows import CHUNK, RowsOf, known_solvers, rows_of_block
from catalogue.datasets.tables import dataset_tables
from catalogue.exports.selection import Selection, StoredDealing, StoredRuleset
from catalogue.exports.writers import FORMATS, WRITERS, Format
from catalogue.schema import (
    BLOCK_SIZE,
    REVISION,
    BatchRow,
    BlockRow,
    DifficultyRow,
    MakerRow,
    OutcomeRow,
    RulesetRow,
    VerificationRow,
)
from catalogue.store import Catalogue
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
        name: its name.
        version: its version.
        sums: SHA-256 of the file of checksums, which stands for all files.
        counts: what it holds, as in its file of completeness.
    """

    directory: Path
    name: str
    version: str
    sums: str
    counts: dict[str, Any]


def build(
    cat: Catalogue,
    name: str,
    directory: Path | str | None = None,
    *,
    rulesets: Sequence[str] = (),
    sample: Sample | None = None,
    format: Format = "parquet",
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
        format: one of `FORMATS`.
        version: three numbers such as 1.0.0.
        solve: whether winnable deals of which only the verdict is kept are solved again.
        authors: of the dataset, for its card and its citation.
        contact: whom to ask about it, for its card.
        on_progress: called with the number of rows of deals so far and a remark.

    Raises:
        BadInput: a value that is none of those, nothing to write, or a directory in use.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a dataset: expected lower-case letters, digits and hyphens"
        )
    if not _VERSION.fullmatch(version):
        raise BadInput(f"{version!r} is not a version: expected three numbers such as 1.0.0")
    if format not in FORMATS:
        raise BadInput(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}")
    for each in (*authors, *([] if contact is None else [contact])):
        if not each.strip() or not each.isprintable() or set(each) & set("{}\\"):
            raise BadInput(
                f"{each!r} is no name or address for a dataset card: expected a line of text "
                "without braces and backslashes"
            )
    slugs = sorted({parse_ruleset(each).slug for each in rulesets})
    target = Path(directory or f"{name}-{version}").expanduser().absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BadInput(f"{target} is in use: expected a directory that is new or empty")
    # Next to the target, so that renaming moves no data.
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        partial.mkdir(parents=True)
        with cat.session() as session:
            _write_data(session, partial, slugs, sample, format, solve, on_progress)
            counts = count(partial)
            made = _provenance(session, name, version, format, slugs, sample, solve, counts)
            made |= {"authors": list(authors), "contact": contact}
        _write_descriptions(partial, name, version, format, counts, made)
        digest = sum_of(partial / SUMS)
        partial.rename(target)
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(f"the dataset cannot be written to {target}: {reason}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Built(target, name, version, digest, counts)


def _write_data(
    session: Session,
    directory: Path,
    slugs: Sequence[str],
    sample: Sample | None,
    format: Format,
    solve: bool,
    on_progress: Callable[[int, str], None] | None,
) -> None:
    seeds = Selection().seeds if sample is None else sample.seeds
    rulesets = sorted(
        (each for each in Selection().rulesets(session) if not slugs or each.slug in slugs),
        key=lambda each: each.slug,
    )
    done = 0
    for dealing in Selection().dealings(session):
        if dealing.dealer is None or (sample is not None and dealing.dealer != sample.dealer):
            continue
        mine = [each for each in rulesets if each.game == dealing.game]
        for block in _blocks(session, dealing, mine, seeds):
            rows = rows_of_block(session, dealing, mine, block, seeds, solve=solve)
            done += _write_block(directory, dealing, block, format, rows)
            if on_progress is not None:
                on_progress(done, f"{dealing.dealer}, block {block}")
    if not done:
        raise BadInput(
            f"the catalogue has no deals of {sample or 'any dealer'} under "
            f"{', '.join(slugs) or 'any ruleset'}: nothing to write"
        )
    for table in dataset_tables().values():
        if not (directory / table.name).exists():
            (directory / table.name).mkdir()
            with WRITERS[format](directory / table.name / f"none.{format}", table.schema) as writer:
                writer.write(pa.RecordBatch.from_pylist([], table.schema))


def _blocks(
    session: Session, dealing: StoredDealing, rulesets: Sequence[StoredRuleset], seeds: range
) -> list[int]:
    """The blocks of a dealing with outcomes under some rulesets, in order."""
    return list(
        session.scalars(
            select(BlockRow.block)
            .distinct()
            .where(
                BlockRow.dealing_id == dealing.id,
                BlockRow.ruleset_id.in_([each.id for each in rulesets]),
                BlockRow.block >= seeds.start // BLOCK_SIZE,
                BlockRow.block <= (seeds.stop - 1) // BLOCK_SIZE,
            )
            .order_by(BlockRow.block)
        )
    )


def _write_block(
    directory: Path, dealing: StoredDealing, block: int, format: Format, rows: Iterable[RowsOf]
) -> int:
    """Write the files of a block; return its number of deals."""
    tables, writers, deals = dataset_tables(), dict[tuple[str, str], Any](), 0
    with ExitStack() as stack:
        for each in rows:
            schema = tables[each.table].schema
            key = each.table, each.under
            if key not in writers:
                (directory / each.table).mkdir(exist_ok=True)
                # The names sort as the rows do.
                file = f"{each.under}.{dealing.dealer}.{block:015}.{format}"
                made = WRITERS[format](directory / each.table / file, schema)
                writers[key] = stack.enter_context(made)
            values = [
                one if isinstance(one, pa.Array) else pa.array(one, type=field.type)
                for one, field in zip(each.columns, schema, strict=True)
            ]
            batch = pa.record_batch(values, schema=schema)
            writers[key].write(batch)
            deals += batch.num_rows if each.table == "deals" else 0
    return deals


def _provenance(
    session: Session,
    name: str,
    version: str,
    format: Format,
    slugs: Sequence[str],
    sample: Sample | None,
    solve: bool,
    counts: dict[str, Any],
) -> dict[str, Any]:
    used = sorted({each["ruleset"] for each in counts["samples"]})
    ids = {
        row.id: row for row in session.scalars(select(RulesetRow).where(RulesetRow.slug.in_(used)))
    }
    dealers = sorted({each["dealer"] for each in counts["samples"]})
    ran = session.scalars(
        select(BlockRow.solver_id).distinct().where(BlockRow.ruleset_id.in_(ids))
    ).all()
    solvers = known_solvers(session)
    models = session.scalars(select(DifficultyRow).where(DifficultyRow.ruleset_id.in_(ids)))
    return {
        "name": name,
        "version": version,
        "format": format,
        "selection": {
            "rulesets": list(slugs) or "all",
            "sample": "all" if sample is None else str(sample),
            "solutions_made_again": solve,
        },
        "written_by": {
            "thoughtful": version_of("thoughtful"),
            "schema": REVISION,
            "pyarrow": version_of("pyarrow"),
            "numpy": version_of("numpy"),
            "rows_of_a_chunk": CHUNK,
            "seeds_of_a_file": BLOCK_SIZE,
        },
        "rulesets": {
            row.slug: {"game": row.game, "options": row.options}
            for row in sorted(ids.values(), key=lambda each: each.slug)
        },
        "dealers": dealers,
        "solvers": [
            {"solver": each.name, "version": each.version, "sees": each.sees}
            for each in sorted(solvers[number] for number in ran)
        ],
        "made_by": _makers(session, list(ids)),
        **_dates(session, list(ids)),
        "verification": _verification(session),
        "difficulty": [
            {
                "ruleset": ids[row.ruleset_id].slug,
                "sample": str(Sample(row.dealer, row.first_seed, row.deals)),
                "fitted": row.fitted,
                "traits_version": row.trait_version,
                "limits": row.limits,
                "players": row.players,
            }
            for row in sorted(models, key=lambda each: ids[each.ruleset_id].slug)
        ],
    }


def _makers(session: Session, rulesets: Sequence[int]) -> list[dict[str, str]]:
    """The programs that made the outcomes of rulesets, without the machines they ran on."""
    batches = select(OutcomeRow.batch_id).where(OutcomeRow.ruleset_id.in_(rulesets))
    makers = set(
        session.scalars(select(BatchRow.maker_id).where(BatchRow.id.in_(batches)).distinct())
    )
    for made in session.scalars(select(BlockRow.made).where(BlockRow.ruleset_id.in_(rulesets))):
        makers |= {each[2] for each in made}
    names = ("program", "revision", "python", "numba")
    rows = session.scalars(select(MakerRow).where(MakerRow.id.in_(makers)))
    found = {tuple(getattr(row, name) for name in names) for row in rows}
    return [dict(zip(names, each, strict=True)) for each in sorted(found)]


def _dates(session: Session, rulesets: Sequence[int]) -> dict[str, str]:
    """The days of the first and of the last outcome of rulesets."""
    batches = select(OutcomeRow.batch_id).where(OutcomeRow.ruleset_id.in_(rulesets))
    ends = session.execute(
        select(func.min(BatchRow.created_at), func.max(BatchRow.created_at)).where(
            BatchRow.id.in_(batches)
        )
    ).one()
    days = {each.date().isoformat() for each in ends if each is not None}
    for made in session.scalars(select(BlockRow.made).where(BlockRow.ruleset_id.in_(rulesets))):
        days |= {each[3][:10] for each in made}
    return {"first_outcome": min(days), "last_outcome": max(days)}


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


def _write_descriptions(
    directory: Path,
    name: str,
    version: str,
    format: Format,
    counts: dict[str, Any],
    provenance: dict[str, Any],
) -> None:
    sums = {path: sum_of(directory / path) for path in all_files(directory)}
    for file, content in (
        (COMPLETENESS, counts),
        (PROVENANCE, provenance),
        ("dictionary.json", dictionary()),
        ("croissant.json", croissant(name, version, format, sums, provenance)),
    ):
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (directory / file).write_text(text + "\n", "utf-8")
    (directory / "README.md").write_text(card(name, version, format, counts, provenance), "utf-8")
    (directory / "LICENSE").write_text(LICENCE, "utf-8")
    lines = [f"{sum_of(directory / path)}  {path}\n" for path in all_files(directory)]
    (directory / SUMS).write_text("".join(lines), "utf-8")
