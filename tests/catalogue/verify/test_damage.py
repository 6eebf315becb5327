"""Damage to a small catalogue, column by column: each is found and named."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalogue import store
from catalogue.jobs import queue as jobs
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.regret.games import games_of
from catalogue.schema import Base
from catalogue.verify.checks import verify
from catalogue.verify.report import VerificationReport
from engine.dealing.dealers import Sample, get_dealer
from engine.rulesets import parse_ruleset
from here import find_regrets
from samples import thorough_case
from serving import run_queued_jobs
from solvers.registry import parse_solver

RULES = parse_ruleset("klondike-draw3")
THOUGHTFUL = get_dealer("thoughtful-1")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    """A catalogue of two games with jobs, bounds, regrets, dead ends and imported deals."""
    path = tmp_path_factory.mktemp("damage") / "sound.db"
    shutil.copy(initialised_sqlite, path)
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        klondike = Sample("thoughtful-1", 0, 16)
        jobs.submit(cat, "klondike-draw3", klondike, ["dead-end", "exact(nodes=3000)", "greedy"])
        jobs.submit(cat, "spider-1-relaxed", Sample("thoughtful-1", 0, 4), ["monkey(period=25)"])
        run_queued_jobs(path)
        find_regrets(cat, games_of("klondike-draw3", klondike, "greedy"))
        cards = THOUGHTFUL.deal_block(500, 3)
        solver = parse_solver("exact(nodes=3000)")
        column = (SolverKey.of(solver), tuple(solver.solve(cards, RULES)))
        with cat.begin() as session:
            write_chunk(session, Chunk(RULES, None, (), cards, (column,)))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def checked(path: Path, resolve_share: float = 0.0, *only: str) -> VerificationReport:
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        return verify(cat, share=1.0, resolve_share=resolve_share, only=only)


@pytest.fixture
def database(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "damaged.db"))


def damaged(path: Path, statements: str) -> None:
    """As anybody can with `sqlite3`: nothing is enforced, whatever the schema says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {statements}"
        )
        assert connection.total_changes or "DROP" in statements or "ALTER" in statements


@pytest.mark.thorough
def test_a_sound_catalogue_has_no_fault(sound: Path) -> None:
    report = checked(sound, 1.0)
    assert report.faults == ()
    for kind in ("rerun", "job", "bound", "regret", "dead end", "ruleset", "solver", "verdict"):
        assert report.checked[kind], kind


def test_a_sound_catalogue_has_no_fault_but_for_what_takes_solvers(sound: Path) -> None:
    assert checked(sound).faults == ()
    assert checked(sound, 1.0, "reruns").faults == ()


GREEDY = "(SELECT id FROM solver WHERE method = 'greedy')"
EXACT = "(SELECT id FROM solver WHERE name LIKE 'exact(nodes=3000,%')"
LOST = "(SELECT min(deal_id) FROM regret)"
WON = f"(SELECT min(deal_id) FROM solution WHERE solver_id = {EXACT})"
DEAL = "(SELECT id FROM deal WHERE seed = 7 AND game = 'klondike')"
IMPORTED = "(SELECT min(id) FROM deal WHERE dealer IS NULL)"
FIRST_BOUND = "(SELECT min(id) FROM bound)"

# Table.column or kind of damage, statements, and a part of what is said.
DAMAGE = {
    "ruleset.slug": (
        "UPDATE ruleset SET slug = 'klondike-draw99x' WHERE id = 1",
        "unknown ruleset",
    ),
    "ruleset.slug of another": (
        "UPDATE ruleset SET slug = 'klondike-draw1' WHERE slug = 'klondike-draw3'",
        "ruleset: ruleset klondike-draw1",
    ),
    "ruleset.game": ("UPDATE ruleset SET game = 'spider' WHERE id = 1", "game is spider"),
    "ruleset.options": (
        "UPDATE ruleset SET options = json_set(options, '$.draw', 1) WHERE slug = 'klondike-draw3'",
        "options is",
    ),
    "ruleset.options of no JSON": (
        "UPDATE ruleset SET options = '{' WHERE id = 1",
        "options is '{'",
    ),
    "ruleset missing": ("DELETE FROM ruleset WHERE id = 1", "its ruleset is missing"),
    "solver.name": (
        "UPDATE solver SET name = 'exact(nodes=4000)' WHERE method = 'exact'",
        "method and",
    ),
    "solver.version": ("UPDATE solver SET version = 99 WHERE method = 'exact'", "exact is v"),
    "solver.method": ("UPDATE solver SET method = 'luck' WHERE method = 'exact'", "method and"),
    "solver.parameters": (
        "UPDATE solver SET parameters = json_set(parameters, '$.nodes', 5) WHERE method = 'exact'",
        "method and parameters are exact(nodes=5",
    ),
    "solver.grades": ("UPDATE solver SET grades = 1 - grades WHERE method = 'exact'", "grades is"),
    "solver.grades of no bool": (
        "UPDATE solver SET grades = 'yes' WHERE method = 'exact'",
        "'yes'",
    ),
    "solver missing": (f"DELETE FROM solver WHERE id = {GREEDY}", "its solver is missing"),
    "deal.game": (f"UPDATE deal SET game = 'spider' WHERE id = {DEAL}", "thoughtful-1:7"),
    "deal.game unknown": (
        f"UPDATE deal SET game = 'whist' WHERE id = {DEAL}",
        "unknown game 'whist'",
    ),
    "deal.dealer": (f"UPDATE deal SET dealer = 'pysolfc' WHERE id = {DEAL}", "pysolfc:7"),
    "deal.dealer unknown": (f"UPDATE deal SET dealer = 'aunt' WHERE id = {DEAL}", "aunt:7"),
    "deal.dealer gone": (
        f"UPDATE deal SET dealer = NULL WHERE id = {DEAL}",
        "a seed without a dealer",
    ),
    "deal.seed": (
        f"UPDATE deal SET seed = 777 WHERE id = {DEAL}",
        "deals other cards for its seed",
    ),
    "deal.seed negative": (f"UPDATE deal SET seed = -7 WHERE id = {DEAL}", "expected 0 or more"),
    "deal.seed of text": (f"UPDATE deal SET seed = 'seven' WHERE id = {DEAL}", "seed is 'seven'"),
    "deal.digest": (
        f"UPDATE deal SET digest = '{'0' * 32}' WHERE id = {DEAL}",
        "not that of the cards",
    ),
    "deal.cards": (
        f"UPDATE deal SET cards = (SELECT cards FROM deal WHERE seed = 8) WHERE id = {DEAL}",
        "cards: thoughtful-1:7",
    ),
    "deal.cards too few": (
        f"UPDATE deal SET cards = x'0102' WHERE id = {DEAL}",
        "cards: thoughtful-1:7",
    ),
    "deal.cards twice one": (
        f"UPDATE deal SET cards = substr(cards, 1, 51) || substr(cards, 1, 1) WHERE id = {DEAL}",
        "thoughtful-1:7",
    ),
    "deal missing": (f"DELETE FROM deal WHERE id = {DEAL}", "its deal is missing"),
    "deal imported twice": (
        "DROP INDEX ix_deal_imported_digest; INSERT INTO deal (game, digest, cards) "
        f"SELECT game, digest, cards FROM deal WHERE id = {IMPORTED}",
        "it is stored 2 times",
    ),
    "outcome.result": (
        f"UPDATE outcome SET result = 'gave_up' WHERE solver_id = {GREEDY} AND deal_id = {LOST}",
        "there is a regret, but the outcome is gave_up",
    ),
    "outcome.result unknown": (
        f"UPDATE outcome SET result = 'draw' WHERE deal_id = {DEAL} AND solver_id = {GREEDY}",
        "result is 'draw'",
    ),
    "outcome.nodes negative": (
        f"UPDATE outcome SET nodes = -1 WHERE deal_id = {DEAL} AND solver_id = {EXACT}",
        "nodes is -1",
    ),
    "outcome.cpu_ms negative": (
        f"UPDATE outcome SET cpu_ms = -1 WHERE deal_id = {DEAL} AND solver_id = {EXACT}",
        "cpu_ms is -1",
    ),
    "outcome.cpu_ms infinite": (
        f"UPDATE outcome SET cpu_ms = 9e999 WHERE deal_id = {DEAL} AND solver_id = {EXACT}",
        "expected a time in milliseconds",
    ),
    "outcome.created_at": (
        f"UPDATE outcome SET created_at = 'yesterday' WHERE deal_id = {DEAL}",
        "created_at is 'yesterday'",
    ),
    "outcome missing": (
        f"DELETE FROM outcome WHERE deal_id = {WON} AND solver_id = {EXACT}",
        "its outcome is missing",
    ),
    "solution.length": (f"UPDATE solution SET length = 1 WHERE deal_id = {WON}", "its length is"),
    "solution.length negative": (
        f"UPDATE solution SET length = -1 WHERE deal_id = {WON}",
        "length is -1",
    ),
    "solution.moves": (f"UPDATE solution SET moves = x'00' WHERE deal_id = {WON}", "end in a win"),
    "solution.moves of text": (
        f"UPDATE solution SET moves = 'abc' WHERE deal_id = {WON}",
        "moves is 'abc'",
    ),
    "solution missing": (f"DELETE FROM solution WHERE deal_id = {WON}", "there is no solution"),
    "dead_end.kind": ("UPDATE dead_end SET kind = 'magic'", "magic"),
    "dead_end.witness": ("UPDATE dead_end SET witness = 'KC'", "does not prove it"),
    "regret.kind": (f"UPDATE regret SET kind = 'luck' WHERE deal_id = {LOST}", "kind is 'luck'"),
    "regret.kind stopped": (
        "UPDATE regret SET kind = 'stopped' WHERE kind = 'move'",
        "it stopped after",
    ),
    "regret.step": ("UPDATE regret SET step = 999 WHERE kind = 'move'", "has no move after 999"),
    "regret.action": ("UPDATE regret SET action = 'down' WHERE kind = 'move'", "stored is down"),
    "regret.length": (f"UPDATE regret SET length = 1 WHERE deal_id = {LOST}", "its length is"),
    "regret.moves": (f"UPDATE regret SET moves = x'ff' WHERE deal_id = {LOST}", "is not a move"),
    "regret.judge": ("UPDATE regret SET judge = 'aunt'", "its judge"),
    "regret.judge_version": ("UPDATE regret SET judge_version = 99", "its judge"),
    "status.dealer": (f"UPDATE status SET dealer = 'pysolfc' WHERE deal_id = {DEAL}", "dealer is"),
    "status.seed": (f"UPDATE status SET seed = 9 WHERE deal_id = {DEAL}", "seed is 9"),
    "status.status": (
        f"UPDATE status SET status = 'unresolved' WHERE deal_id = {WON}",
        "status is unresolved",
    ),
    "status.solvers": (f"UPDATE status SET solvers = 9 WHERE deal_id = {DEAL}", "solvers is 9"),
    "status.wins": (f"UPDATE status SET wins = 9 WHERE deal_id = {DEAL}", "wins is 9"),
    "status.proofs": (f"UPDATE status SET proofs = 9 WHERE deal_id = {DEAL}", "proofs is 9"),
    "status.nodes": (
        f"UPDATE status SET nodes = 9999999 WHERE deal_id = {DEAL}",
        "nodes is 9999999",
    ),
    "status.solution_length": (
        f"UPDATE status SET solution_length = 3 WHERE deal_id = {WON}",
        "solution_length is 3",
    ),
    "status.dead_end": (
        f"UPDATE status SET dead_end = 'pair' WHERE deal_id = {WON}",
        "dead_end is pair",
    ),
    "status missing": (
        f"DELETE FROM status WHERE deal_id = {DEAL}",
        "missing, though there are outcomes",
    ),
    "tally.attempted": ("UPDATE tally SET attempted = 3", "attempted is 3"),
    "tally.nodes": ("UPDATE tally SET nodes = nodes + 1", "nodes is"),
    "tally.cpu_ms": ("UPDATE tally SET cpu_ms = cpu_ms + 1", "cpu_ms is"),
    "tally.block": ("UPDATE tally SET block = 5", "missing, though there are outcomes"),
    "tally.won": ("UPDATE tally SET won = 99", "won is 99"),
    "tally.lost": ("UPDATE tally SET lost = 99", "lost is 99"),
    "tally.unwinnable": ("UPDATE tally SET unwinnable = 99", "unwinnable is 99"),
    "tally.gave_up": ("UPDATE tally SET gave_up = 99", "gave_up is 99"),
    "tally.dealer": ("UPDATE tally SET dealer = 'aunt'", "block 0 of aunt"),
    "status_tally.unwinnable": ("UPDATE status_tally SET unwinnable = 99", "unwinnable is 99"),
    "status_tally.dealer": ("UPDATE status_tally SET dealer = 'aunt'", "block 0 of aunt"),
    "status_tally.block": ("UPDATE status_tally SET block = 5", "block 5 of thoughtful-1"),
    "tally missing": ("DELETE FROM tally", "missing, though there are outcomes"),
    "status_tally.deals": ("UPDATE status_tally SET deals = 99", "deals is 99"),
    "status_tally.winnable": ("UPDATE status_tally SET winnable = 99", "winnable is 99"),
    "status_tally.alarms": ("UPDATE status_tally SET alarms = 1", "alarms is 1"),
    "status_tally missing": ("DELETE FROM status_tally", "missing, though there are outcomes"),
    "job.ruleset_id": ("UPDATE job SET ruleset_id = 2 WHERE id = 1", "job: job 1"),
    "job.dealer": ("UPDATE job SET dealer = 'aunt' WHERE id = 1", "job: job 1"),
    "job.first_seed": ("UPDATE job SET first_seed = 5 WHERE id = 1", "it is done, but"),
    "job.deals": (
        "UPDATE job SET deals = 20, total = 60, done = 60 WHERE id = 1",
        "it is done, but 48",
    ),
    "job.state": ("UPDATE job SET state = 'asleep' WHERE id = 1", "state is 'asleep'"),
    "job.state queued": ("UPDATE job SET state = 'queued' WHERE id = 1", "but is still open"),
    "job.done": ("UPDATE job SET done = 5 WHERE id = 1", "done is 5"),
    "job.total": ("UPDATE job SET total = 100 WHERE id = 1", "its total is 100"),
    "job.error": ("UPDATE job SET error = 'rain' WHERE id = 1", "an error if it failed"),
    "job.started_at": ("UPDATE job SET started_at = NULL WHERE id = 1", "was never started"),
    "job.finished_at": (
        "UPDATE job SET finished_at = NULL WHERE id = 1",
        "it has ended at no time",
    ),
    "job.kind": ("UPDATE job SET kind = 'chores' WHERE id = 1", "kind is 'chores'"),
    "job done over unsolved seeds": (
        "INSERT INTO job (ruleset_id, dealer, first_seed, deals, state, done, total, kind, "
        "created_at, started_at, finished_at) SELECT ruleset_id, dealer, 5000, 16, state, done, "
        "total, kind, created_at, started_at, finished_at FROM job WHERE id = 1; "
        "INSERT INTO job_solver SELECT (SELECT max(id) FROM job), place, solver_id "
        "FROM job_solver WHERE job_id = 1",
        "it is done, but 0 of 48 outcomes are stored",
    ),
    "job_solver.place": ("UPDATE job_solver SET place = 7 WHERE place = 0", "have the places"),
    "job_solver.solver_id": (
        "UPDATE job_solver SET solver_id = 99 WHERE place = 0",
        "its solver is missing",
    ),
    "job_solver missing": ("DELETE FROM job_solver WHERE job_id = 1", "have the places none"),
    "bound.n": (f"UPDATE bound SET n = 999 WHERE id = {FIRST_BOUND}", "n is 999"),
    "bound.winnable": (
        f"UPDATE bound SET winnable = 15, n = 16 WHERE id = {FIRST_BOUND}",
        "winnable is 15",
    ),
    "bound.unwinnable": (
        f"UPDATE bound SET unwinnable = 9 WHERE id = {FIRST_BOUND}",
        "unwinnable is 9",
    ),
    "bound.winnable and all": (
        f"UPDATE bound SET winnable = n + 1 WHERE id = {FIRST_BOUND}",
        "more deals decided",
    ),
    "bound.dealer": (
        f"UPDATE bound SET dealer = 'pysolfc' WHERE id = {FIRST_BOUND}",
        "dealer is pysolfc",
    ),
    "bound.first_seed": (
        f"UPDATE bound SET first_seed = 3 WHERE id = {FIRST_BOUND}",
        "first_seed is 3",
    ),
    "bound.job_id": (
        f"UPDATE bound SET job_id = 77 WHERE id = {FIRST_BOUND}",
        "its job is missing",
    ),
    "bound.created_at": (
        f"UPDATE bound SET created_at = 5 WHERE id = {FIRST_BOUND}",
        "created_at is",
    ),
    "bound missing": ("DELETE FROM bound", "it is done, but has no bound"),
    "index missing": ("DROP INDEX ix_status_length", "missing index: ix_status_length"),
    "column unknown": ("ALTER TABLE job ADD COLUMN mood TEXT", "unknown column"),
}

# What only solving again can tell.
CONTENT = {
    "outcome.nodes with its tally and status": (
        f"UPDATE outcome SET nodes = nodes + 1 WHERE deal_id = {DEAL} AND solver_id = {EXACT}; "
        f"UPDATE tally SET nodes = nodes + 1 WHERE solver_id = {EXACT}; "
        f"UPDATE status SET nodes = (SELECT min(nodes) FROM outcome WHERE deal_id = {DEAL} "
        f"AND solver_id = {EXACT}) WHERE deal_id = {DEAL} AND nodes IS NOT NULL",
        "rerun: thoughtful-1:7 by exact",
    ),
    "outcome.result of a player with everything": (
        f"UPDATE outcome SET result = 'gave_up' WHERE solver_id = {GREEDY} AND deal_id = {LOST}; "
        f"DELETE FROM regret WHERE deal_id = {LOST}; "
        f"UPDATE tally SET lost = lost - 1, gave_up = gave_up + 1 WHERE solver_id = {GREEDY}",
        "it is gave_up, again it is lost",
    ),
}


# Some of each table in `make test`.
KINDS = list(DAMAGE)


@pytest.mark.parametrize(
    "kind", [*KINDS[::4], *(thorough_case(kind) for kind in KINDS if kind not in KINDS[::4])]
)
def test_damage_is_found_and_named(database: Path, kind: str) -> None:
    statements, said = DAMAGE[kind]
    damaged(database, statements)
    faults = [str(fault) for fault in checked(database).faults]
    assert any(said in fault for fault in faults), "\n".join(faults)


@pytest.mark.parametrize("kind", CONTENT)
def test_content_is_found_by_solving_again(database: Path, kind: str) -> None:
    statements, said = CONTENT[kind]
    damaged(database, statements)
    assert checked(database).holds
    faults = [str(fault) for fault in checked(database, 1.0, "reruns").faults]
    assert any(said in fault for fault in faults), "\n".join(faults)


def test_every_column_is_damaged() -> None:
    done = {kind.split()[0] for kind in (*DAMAGE, *CONTENT)}
    # Keys, whose damage is a missing row, and what nothing that is stored can tell: seals will.
    known = {
        *("ruleset.id", "solver.id", "deal.id", "job.id", "bound.id", "bound.ruleset_id"),
        *("job.rate", "job.runner", "job.created_at", "job.heartbeat", "job_solver.job_id"),
    }
    missing = (
        {
            f"{table.name}.{column.name}"
            for table in Base.metadata.sorted_tables
            for column in table.columns
            if not (column.primary_key and column.name.endswith("_id"))
        }
        - done
        - known
    )
    assert missing == set()
