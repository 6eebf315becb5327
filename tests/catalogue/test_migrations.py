"""Tests that migrations build the schema, from nothing and from databases of every past one."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData, func, select, text

from catalogue import database, store
from catalogue.blocks import Outcomes
from catalogue.jobs import queue as jobs
from catalogue.jobs.queue import list_jobs
from catalogue.jobs.runner import run
from catalogue.outcomes.names import ensure_ruleset, store_seal
from catalogue.outcomes.seals import seal_of_named
from catalogue.reading.bounds import record_bound
from catalogue.reading.comparison import cell_deals, compare
from catalogue.reading.deal_detail import deal_detail
from catalogue.reading.deal_list import DealFilter, list_deals
from catalogue.reading.samples import outcome_counts
from catalogue.reading.timing import may_hold_compiling
from catalogue.schema import (
    REVISION,
    Base,
    BlockRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolverRow,
    VerificationRow,
)
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample
from engine.klondike.rules import KlondikeRules
from engine.rulesets import parse_ruleset
from paths import ROOT
from patience import SECONDS
from samples import sizes
from solvers.solver import parse_solver

DATA = ROOT / "tests" / "data"


def writing(engine: Engine) -> Engine:
    return engine.execution_options(thoughtful_writes=True)


def definition(connection: Connection) -> set[tuple[str, ...]]:
    """Everything the database itself says of its tables, columns, indexes and constraints."""
    if connection.dialect.name == "sqlite":
        # A table that a migration has rebuilt has its name in quotes.
        queries = [
            "SELECT type, name, replace(sql, '\"', '') FROM sqlite_master WHERE sql IS NOT NULL"
        ]
    else:
        queries = [
            "SELECT table_name, column_name, data_type, is_nullable, column_default, "
            "character_maximum_length FROM information_schema.columns "
            "WHERE table_schema = 'public'",
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
            # Newer servers name what is said above of each column, that it is not empty, too.
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
        ]
    rows = [row for query in queries for row in connection.execute(text(query))]
    return {
        tuple(re.sub(r"\s+", " ", str(value)) for value in row)
        for row in rows
        if "alembic_version" not in str(row)
    }


def test_migrations_build_what_the_schema_says(database_url: str) -> None:
    engine = database.make_engine(database.parse_url(database_url))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        migrated = definition(connection)
    with writing(engine).connect() as connection, connection.begin():
        Base.metadata.drop_all(connection)
        Base.metadata.create_all(connection)
    with engine.connect() as connection:
        assert definition(connection) == migrated
    assert len(migrated) > len(Base.metadata.tables)
    engine.dispose()


def test_the_comparison_sees_a_difference(database_url: str) -> None:
    engine = database.make_engine(database.parse_url(database_url))
    with writing(engine).connect() as connection, connection.begin():
        before = definition(connection)
        connection.execute(text("DROP INDEX ix_deal_digest"))
        connection.execute(text("ALTER TABLE job ADD COLUMN colour integer"))
        context = MigrationContext.configure(connection)
        kinds = {entry[0] for entry in compare_metadata(context, Base.metadata)}
        assert kinds == {"add_index", "remove_column"}
        assert definition(connection) != before
    engine.dispose()


def test_there_is_one_line_of_migrations_and_the_schema_names_its_end() -> None:
    scripts = ScriptDirectory.from_config(store.alembic_config())
    assert scripts.get_heads() == [REVISION]
    assert store.known_revisions()[-1] == "0001"


@pytest.mark.parametrize("backend", sizes("postgresql", "sqlite"))
def test_alembic_on_the_command_line(empty_database: str, tmp_path: Path) -> None:
    environment = {**os.environ, "THOUGHTFUL_DATABASE_URL": empty_database}
    alembic = [sys.executable, "-m", "alembic", "-c", str(ROOT / "alembic.ini")]
    for arguments in (["upgrade", "head"], ["check"]):
        ran = subprocess.run(
            [*alembic, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    assert "No new upgrade operations detected" in ran.stdout + ran.stderr
    store.open_catalogue(empty_database).close()
    offline = subprocess.run(
        [*alembic, "upgrade", "head", "--sql"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert offline.returncode != 0
    assert "cannot be printed as SQL" in offline.stderr + offline.stdout


@pytest.mark.usefixtures("jobs_here")
@pytest.mark.parametrize("revision", store.known_revisions())
def test_databases_of_every_schema_can_be_upgraded(
    empty_database: str, backend: str, revision: str
) -> None:
    """The dumps are of catalogues that the program of that time really made and filled.

    `sqlite3 .dump` and `pg_dump --inserts --no-owner` wrote them, after a job of two solvers and,
    since there are two games, one of Spider on the same seeds. Those of 0007 to 0013 are that
    of 0006, which the programs of their time upgraded.
    """
    _load(empty_database, DATA / f"catalogue-{revision}-{backend}.sql")
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat:
        with cat.session() as session:
            games = dict(
                session.execute(
                    select(DealingRow.game, func.count(DealRow.id))
                    .join(DealRow, DealRow.dealing_id == DealingRow.id)
                    .group_by(DealingRow.game)
                ).all()
            )
            assert games == ({"klondike": 12} | ({} if revision < "0003" else {"spider": 12}))
            outcomes = session.scalar(select(func.count()).select_from(OutcomeRow))
            assert outcomes == (24 if revision < "0003" else 36)
            regrets = session.scalar(select(func.count()).select_from(RegretRow))
            assert regrets == (0 if revision < "0002" else 7)
            # By the clock of that time, which counted the compiling of kernels.
            timed = select(OutcomeRow.ruleset_id, OutcomeRow.solver_id).distinct()
            stored = session.execute(timed.where(OutcomeRow.cpu_us.is_not(None))).all()
            assert stored
            assert all(may_hold_compiling(session, *each) for each in stored)
        job = list_jobs(cat)[0]
        assert (job.state, job.done, job.total) == ("done", 24, 24)
        report = verify(cat, share=1.0, resolve_share=0.0)
        assert report.faults == ()
        with cat.begin() as session:
            assert record_bound(session, job.id) is False  # its bound is there already
        # A database from before there were games accepts a job of another game on the same seeds.
        if revision < "0003":
            spider = jobs.submit(cat, "spider-1", job.sample, ["monkey(level=3, period=50)"])
            run(cat, workers=1)
            assert jobs.get_job(cat, spider).done == 12
            assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
        with cat.session() as session:
            dealt = session.execute(
                select(DealingRow.game, DealRow.seed).join(
                    DealRow, DealRow.dealing_id == DealingRow.id
                )
            ).all()
        assert sorted(dealt) == sorted(product(("klondike", "spider"), range(12)))


@pytest.mark.usefixtures("jobs_here")
@pytest.mark.parametrize("resolve_share", sizes(0.25, 1.0))
def test_blocks_without_nodes_can_be_read_and_filled(tmp_path: Path, resolve_share: float) -> None:
    """Verdicts of 0009 had classes in place of nodes and lengths; some outcomes had rows too."""
    url = f"sqlite:///{tmp_path / 'verdicts.db'}"
    _load(url, DATA / "catalogue-0009-verdicts-sqlite.sql")
    store.init(url)
    with store.open_catalogue(url) as cat:
        exact, seeds = "exact(nodes=500, memory_mib=768)", Sample("thoughtful-1", 0, 16)
        _raise_version(cat, exact)
        assert verify(cat, share=1.0, resolve_share=resolve_share).faults == ()
        page = list_deals(cat, DealFilter("klondike-draw3"), "nodes")
        assert {row.status for row in page.rows} == {"winnable", "unwinnable", "unresolved"}
        assert {(row.nodes, row.solution_length) for row in page.rows} == {(None, None)}
        with cat.session() as session:
            blocks = session.scalars(select(BlockRow).order_by(BlockRow.solver_id)).all()
            assert [block.rowed for block in blocks] == [0, 10]
            for block in blocks:
                columns = Outcomes.decode(block.columns)
                assert columns.unknown.sum() == block.attempted
                assert block.rowed == columns.rowed.sum()
                asked = (1, block.solver_id, "thoughtful-1", 0, block.attempted)
                found = outcome_counts(session, *asked)
                assert (found.nodes, round(found.cpu_ms * 1000)) == (block.nodes, block.cpu_us)
                assert 0 < outcome_counts(session, *asked[:4], 5).nodes < block.nodes
        met = compare(cat, "klondike-draw3", "dead-end", exact, seeds)
        assert (met.counted, met.effort, met.first_cost.curve) == (12, (), ())
        assert {
            (d.first_nodes, d.second_nodes) for d in cell_deals(cat, met, "not-won.won").deals
        } == {(None, None)}
        detail = deal_detail(cat, "thoughtful-1:0", quick_seconds=100)
        assert all(each.remade and each.nodes for each in detail.outcomes)
        number = jobs.submit(cat, "klondike-draw3", seeds, [exact], keep="everything")
        run(cat, workers=1, only=[number])
        assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
        with cat.session() as session:
            filled = session.scalars(select(BlockRow).where(BlockRow.rowed == 16)).one()
            assert not Outcomes.decode(filled.columns).unknown.any()


@pytest.mark.usefixtures("jobs_here")
@pytest.mark.parametrize("resolve_share", sizes(0.05, 1.0))
def test_outcomes_that_were_stored_as_inferred_are_derived(
    tmp_path: Path, resolve_share: float
) -> None:
    """Jobs of 0010 kept what followed as outcomes of a solver `inferred`, with rows or without."""
    url = f"sqlite:///{tmp_path / 'inferred.db'}"
    _load(url, DATA / "catalogue-0010-inferred-sqlite.sql")
    counts = text(
        "SELECT slug, deals, winnable, unwinnable FROM status_block "
        "JOIN ruleset ON ruleset.id = ruleset_id ORDER BY slug"
    )
    engine = database.make_engine(database.parse_url(url))
    with engine.connect() as connection:
        before = [tuple(row) for row in connection.execute(counts)]
    engine.dispose()
    store.init(url)
    with store.open_catalogue(url) as cat:
        with cat.session() as session:
            after = [tuple(row) for row in session.execute(counts)]
            assert (
                session.scalars(select(SolverRow.id).where(SolverRow.method == "inferred")).all()
                == []
            )
            rows = session.scalar(select(func.count()).select_from(OutcomeRow))
            assert rows == session.scalar(select(func.sum(BlockRow.rowed)))
        assert before == [
            ("klondike-draw1", 80, 55, 5),
            ("klondike-draw3", 40, 23, 5),
            ("klondike-draw3-redeals0", 50, 1, 46),
        ]
        # One that exact gave up at draw 3 is unwinnable at draw 1.
        assert after == [before[0], ("klondike-draw3", 40, 23, 6), before[2]]
        # Solving all of them again takes most of a minute.
        assert verify(cat, share=1.0, resolve_share=resolve_share).faults == ()
        found = list_jobs(cat)
        assert {job.kind for job in found} == {"outcomes"}
        assert [job.inferred for job in found] == [None, 23, 6, 3, None, 0]
        _raise_version(cat, "exact(nodes=50, memory_mib=768)")  # of the job that waits
        # The jobs that inferred are there, and nothing is left of them; the one that waited runs.
        again = jobs.submit(
            cat, "klondike-draw1", found[1].sample, ["dead-end"], keep="everything", infer=True
        )
        assert again == found[1].id
        run(cat, workers=1)
        last = list_jobs(cat)[-1]
        assert (last.state, last.done) == ("done", 20)
        assert last.inferred
        assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
        detail = deal_detail(cat, "thoughtful-1:0", quick_seconds=0)
        assert [o.by for o in detail.outcomes if o.ruleset == "klondike-draw1"] == [
            "follows from klondike-draw3"
        ]
        assert detail.best("klondike-draw1") is not None


def test_imported_deals_get_numbers_and_blocks(empty_database: str, backend: str) -> None:
    """Those of 0011 had rows of their own for their statuses, and neither dealer nor seed."""
    _load(empty_database, DATA / f"catalogue-0011-imported-{backend}.sql")
    engine = database.make_engine(database.parse_url(empty_database))
    counted = "status, solvers, wins, proofs, nodes, solution_length, dead_end"
    with engine.connect() as connection:
        before = {
            (row.slug, bytes(row.digest).hex()): tuple(row[2:])
            for row in connection.execute(
                text(
                    f"SELECT slug, digest, {counted} FROM status JOIN deal ON deal.id = deal_id "
                    "JOIN ruleset ON ruleset.id = ruleset_id"
                )
            )
        }
        ids = text("SELECT digest FROM deal WHERE seed IS NULL ORDER BY dealing_id, id")
        digests = [bytes(each).hex() for each in connection.execute(ids).scalars()]
    engine.dispose()
    assert (len(before), len(digests)) == (11, 10)
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat:
        # What other programs claim of two deals is wrong.
        faults = verify(cat, share=1.0, resolve_share=0.0).faults
        assert [(each.kind, each.where.split()[0]) for each in faults] == [
            ("alarm", "imported:3"),
            ("alarm", "imported:5"),
        ]
        with cat.session() as session:
            numbered = session.execute(
                select(DealRow.digest, DealRow.seed)
                .where(DealRow.cards.is_not(None))
                .order_by(DealRow.dealing_id, DealRow.id)
            ).all()
        assert [(row.digest.hex(), row.seed) for row in numbered] == list(
            zip(digests, [*range(8), *range(2)], strict=True)
        )
        after = {
            (ruleset, row.deal): (
                *(row.status, row.solvers, row.wins, row.proofs),
                *(row.nodes, row.solution_length, row.dead_end),
            )
            for ruleset in {ruleset for ruleset, _ in before}
            for row in list_deals(cat, DealFilter(ruleset, dealer="imported")).rows
        }
        assert after == before
        answered = 0
        for digest in digests:
            detail = deal_detail(cat, digest)
            assert (detail.deal, detail.digest, detail.dealer) == (digest, digest, None)
            answered += len(detail.outcomes)
            assert all(outcome.has_row and outcome.created_at for outcome in detail.outcomes)
        assert answered


# Names that people had stored, and what they are now.
RENAMED = {
    "ruleset": {"spider-4-monkey": "spider-4-relaxed", "spider-2": "spider-2"},
    "solver": {
        "thoughtful-player(trajectories=200)": "exact-uct(trajectories=200)",
        "greedy": "greedy",
    },
}


def test_stored_names_that_are_old_become_the_new_ones(empty_database: str, backend: str) -> None:
    _load(empty_database, DATA / f"catalogue-0003-{backend}.sql")
    engine = database.make_engine(database.parse_url(empty_database))
    with writing(engine).connect() as connection, connection.begin():
        options = {"options": json.dumps({"suits": 4})}
        for number, slug in enumerate(RENAMED["ruleset"], start=100):
            connection.execute(
                text("INSERT INTO ruleset VALUES (:id, :slug, 'spider', :options)"),
                {"id": number, "slug": slug} | options,
            )
        for number, name in enumerate(RENAMED["solver"], start=100):
            connection.execute(
                text("INSERT INTO solver VALUES (:id, :name, 7, :method, '{}')"),
                {"id": number, "name": name, "method": name.partition("(")[0]},
            )
    engine.dispose()
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat, cat.session() as session:
        slugs = session.execute(
            text("SELECT slug FROM ruleset WHERE id >= 100 ORDER BY id")
        ).scalars()
        assert list(slugs) == list(RENAMED["ruleset"].values())
        solvers = session.execute(
            text("SELECT name, method FROM solver WHERE id >= 100 ORDER BY id")
        ).all()
        assert [tuple(row) for row in solvers] == [
            (name, name.partition("(")[0]) for name in RENAMED["solver"].values()
        ]


def test_stored_rulesets_get_the_usual_tableau(empty_database: str, backend: str) -> None:
    _load(empty_database, DATA / f"catalogue-0006-{backend}.sql")
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat:
        with cat.session() as session:
            stored = dict(session.execute(select(RulesetRow.slug, RulesetRow.options)).all())
        assert stored["klondike-draw3"] == asdict(parse_ruleset("klondike-draw3"))
        assert stored["spider-1"] == asdict(parse_ruleset("spider-1"))
        longest = KlondikeRules(24, 1000, False, False, "same-suit", "none")
        with cat.begin() as session:
            ensure_ruleset(session, longest)
        assert verify(cat, share=1.0, resolve_share=0.0).faults == ()


def test_stored_words_become_those_of_the_glossary(empty_database: str, backend: str) -> None:
    """Reports of verifications are renamed with their seals, unless they were changed by hand."""
    _load(empty_database, DATA / f"catalogue-0011-{backend}.sql")
    moment = datetime(2026, 11, 28, tzinfo=UTC)
    report: dict[str, Any] = {
        "state": "done",
        "options": {"only": ["traits", "seals"], "maker": {"program": "0.9"}},
        "started_at": moment,
        "finished_at": moment,
        "progress": {},
        "checked": {"checked": {"trait": 9, "piece": 0, "maker": 1}, "sampled": {}},
        "faults": 1,
        "findings": {"faults": [["trait", "thoughtful-1:7", "its traits"]], "remarks": []},
    }
    engine = database.make_engine(database.parse_url(empty_database))
    with writing(engine).connect() as connection, connection.begin():
        metadata = MetaData()
        metadata.reflect(connection, only=("verification", "seal"))
        for number in (1, 2):
            row = {"id": number, **report}
            connection.execute(metadata.tables["verification"].insert(), row)
            seal = seal_of_named("verification", row) if number == 1 else 7
            sealed = {"kind": "verification", "row_id": number, "seal": seal}
            connection.execute(metadata.tables["seal"].insert(), sealed)
    engine.dispose()
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat:
        with cat.session() as session:
            rows = session.scalars(select(VerificationRow)).all()
        found = verify(cat, only=("seals",), share=1.0, resolve_share=0.0).faults
    assert len(rows) == 2
    for each in rows:
        assert each.options == {"only": ["features", "seals"], "provenance": {"program": "0.9"}}
        assert each.checked["checked"] == {"features": 9, "shard": 0, "provenance": 1}
        assert each.findings["faults"] == [["features", "thoughtful-1:7", "its traits"]]
    assert [fault.where for fault in found] == ["verification 2"]


# Stops the migration to 0005 when it has written everything and begins to drop the old tables.
STOPPED = """
import sys, time
from alembic import op
from catalogue import database, store
drop = op.drop_table
def stop(name, *arguments, **options):
    if name == "old_solution":
        print("stopped", flush=True)
        time.sleep(3600)
    drop(name, *arguments, **options)
op.drop_table = stop
store.init(sys.argv[1])
"""


def test_a_migration_that_is_killed_half_way(empty_database: str, backend: str) -> None:
    """The database is as it was, and the next one completes it."""
    _load(empty_database, DATA / f"catalogue-0004-{backend}.sql")
    before = _content(empty_database)
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED, empty_database], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stopped\n"
        process.kill()
    assert _content(empty_database) == before
    store.init(empty_database)
    with store.open_catalogue(empty_database) as cat:
        assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
        with cat.session() as session:
            assert session.scalar(select(func.count()).select_from(OutcomeRow)) == 36
            assert session.scalar(select(func.count()).select_from(RegretRow)) == 7


def _content(url: str) -> tuple[str, int, set[tuple[str, ...]]]:
    """The revision, the number of outcomes, and the definition of a database."""
    engine = database.make_engine(database.parse_url(url))
    with engine.connect() as connection:
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        outcomes = connection.execute(text("SELECT count(*) FROM outcome")).scalar_one()
        found = (str(revision), int(outcomes), definition(connection))
    engine.dispose()
    return found


def _raise_version(cat: store.Catalogue, name: str) -> None:
    """Have a solver say the version of today, since its verdicts and nodes are still the same."""
    with cat.begin() as session:
        row = session.scalars(select(SolverRow).where(SolverRow.name == name)).one()
        row.version = parse_solver(name).method.version
        session.flush()
        store_seal(session, SolverRow, row.id)


def _load(url: str, dump: Path) -> None:
    engine = database.make_engine(database.parse_url(url), foreign_keys=False)
    with writing(engine).connect() as connection, connection.begin():
        driver = connection.connection.driver_connection
        assert driver is not None
        # One statement at a time: a whole script would end the transaction on SQLite.
        for statement in re.split(r";\n", dump.read_text()):
            if statement.strip():
                driver.execute(statement)
    engine.dispose()
