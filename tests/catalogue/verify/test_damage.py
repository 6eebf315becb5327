"""Damage to a small catalogue, column by column: each is found, and what is damaged is named."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from catalogue import store
from catalogue.schema import Base
from catalogue.verify.report import VerificationReport
from catalogue.verify.running import verify
from samples import thorough_case


def checked(path: Path, resolve_share: float = 0.0, *only: str) -> VerificationReport:
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        return verify(cat, resolve_share=resolve_share, only=only)


@pytest.fixture
def database(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "damaged.db"))


def damaged(path: Path, statements: str) -> None:
    """As anybody can with `sqlite3`: nothing is enforced, whatever the schema says."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; {statements}"
        )
        schema = ("DROP", "ALTER", "CREATE")
        assert connection.total_changes or any(word in statements for word in schema)


@pytest.mark.thorough
def test_a_sound_catalogue_has_no_fault(sound: Path) -> None:
    report = checked(sound, 1.0)
    assert report.faults == ()
    for kind in ("rerun", "verdict", "losing move", "deal of a block", "job", "bound", "batch"):
        assert report.checked[kind], kind


def test_a_sound_catalogue_has_no_fault_but_for_what_takes_several_solvers(sound: Path) -> None:
    assert checked(sound).faults == ()
    assert checked(sound, 1.0, "reruns", "blocks-again").faults == ()


DRAW3 = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw3')"
DRAW1 = "(SELECT id FROM ruleset WHERE slug = 'klondike-draw1')"
DEALT = "(SELECT id FROM dealing WHERE game = 'klondike' AND dealer = 'thoughtful-1')"
GREEDY = "(SELECT id FROM solver WHERE method = 'greedy')"
EXACT = "(SELECT id FROM solver WHERE name LIKE 'exact(nodes=3000,%')"
EXACT_1 = "(SELECT id FROM solver WHERE name LIKE 'exact(nodes=400,%')"
DEAD_END = "(SELECT id FROM solver WHERE method = 'dead-end')"
LOST = "(SELECT min(deal_id) FROM regret)"
MOVED = "(SELECT min(deal_id) FROM regret WHERE kind = 'move')"
WON = f"(SELECT min(deal_id) FROM solution WHERE solver_id = {EXACT})"
DEAL = f"(SELECT id FROM deal WHERE seed = 7 AND dealing_id = {DEALT})"
IMPORTED = "(SELECT min(id) FROM deal WHERE seed IS NULL)"
IMPORTED_2 = "(SELECT max(id) FROM deal WHERE seed IS NULL)"
BOUND = "(SELECT min(id) FROM bound)"
BLOCK = f"depth = 'everything' AND solver_id = {EXACT}"
VERDICTS = "depth = 'verdicts' AND solver_id = "
STATUSES = f"ruleset_id = {DRAW3}"
# A row that is retained beside a block of verdicts.
KEPT = f"ruleset_id = {DRAW1} AND solver_id = {EXACT_1}"
KEPT_DEAL = f"(SELECT min(deal_id) FROM outcome WHERE {KEPT})"
IN_BLOCK = "in a block"


def of(table: str, column: str, value: str, where: str) -> str:
    return f"UPDATE {table} SET {column} = {value} WHERE {where}"


# Table.column or kind of damage, statements, and a part of what is said.
DAMAGE = {
    "ruleset.id": ("UPDATE ruleset SET id = 77 WHERE slug = 'klondike-draw3'", "its ruleset is mi"),
    "ruleset.id swapped": (
        f"UPDATE ruleset SET slug = 'x' WHERE id = {DRAW1}; "
        "UPDATE ruleset SET slug = 'klondike-draw1', options = "
        "(SELECT options FROM ruleset WHERE slug = 'x') WHERE slug = 'klondike-draw3'; "
        "UPDATE ruleset SET slug = 'klondike-draw3', options = json_set(options, '$.draw', 3) "
        "WHERE slug = 'x'",
        "seal: ruleset 1 (klondike-draw1)",
    ),
    "ruleset.slug": (of("ruleset", "slug", "'klondike-draw99x'", "id = 1"), "unknown ruleset"),
    "ruleset.slug of another": (
        of("ruleset", "slug", "'klondike-yan'", "slug = 'klondike-draw3'"),
        "ruleset: ruleset klondike-yan",
    ),
    "ruleset.game": (of("ruleset", "game", "'spider'", "id = 1"), "game is spider"),
    "ruleset.options": (
        of("ruleset", "options", "json_set(options, '$.draw', 1)", "slug = 'klondike-draw3'"),
        "options is",
    ),
    "ruleset.options of no JSON": (of("ruleset", "options", "'{'", "id = 1"), "options is '{'"),
    "ruleset missing": ("DELETE FROM ruleset WHERE id = 1", "its ruleset is missing"),
    "dealing.id": (of("dealing", "id", "77", f"id = {DEALT}"), "its dealing is missing"),
    "dealing.game": (
        of("dealing", "game", "'whist'", f"id = {DEALT}"),
        "thoughtful-1 of whist: unknown game",
    ),
    "dealing.dealer": (
        of("dealing", "dealer", "'pysolfc'", f"id = {DEALT}"),
        "seal: dealing 1 (pysolfc)",
    ),
    "dealing.dealer unknown": (
        of("dealing", "dealer", "'aunt'", f"id = {DEALT}"),
        "dealing: dealing 1, aunt of klondike: unknown dealer 'aunt'",
    ),
    "dealing.dealer gone": (
        f"DROP INDEX ix_dealing_imported; UPDATE dealing SET dealer = NULL WHERE id = {DEALT}",
        "seal: dealing 1",
    ),
    "dealing missing": (f"DELETE FROM dealing WHERE id = {DEALT}", "its dealing is missing"),
    "deal.id": (of("deal", "id", "7777", f"id = {DEAL}"), "its deal is missing"),
    "deal.id swapped": (
        f"UPDATE deal SET id = -1 WHERE id = {IMPORTED}; "
        f"UPDATE deal SET id = (SELECT max(id) FROM deal) + 1 WHERE id = {IMPORTED_2}; "
        "UPDATE deal SET id = (SELECT max(id) FROM deal) - 1 WHERE id = -2",
        "its deal is missing",
    ),
    "deal.cards and digests swapped": (
        "CREATE TEMP TABLE t AS SELECT id, digest, cards FROM deal WHERE seed IS NULL; "
        f"UPDATE deal SET digest = x'00' WHERE id = {IMPORTED}; "
        f"UPDATE deal SET (digest, cards) = (SELECT digest, cards FROM t WHERE id = {IMPORTED}) "
        f"WHERE id = {IMPORTED_2}; "
        f"UPDATE deal SET (digest, cards) = (SELECT digest, cards FROM t WHERE id = {IMPORTED_2}) "
        f"WHERE id = {IMPORTED}",
        "its seal is not that of its rows",
    ),
    "deal.dealing_id": (
        of("deal", "dealing_id", "(SELECT id FROM dealing WHERE game = 'spider')", f"id = {DEAL}")
        + f"; DELETE FROM deal WHERE seed = 7 AND id <> {DEAL}",
        "thoughtful-1:7",
    ),
    "deal.dealing_id of none": (of("deal", "dealing_id", "99", f"id = {DEAL}"), "its dealing is m"),
    "deal.seed": (of("deal", "seed", "777", f"id = {DEAL}"), "thoughtful-1:777: its digest is"),
    "deal.seed negative": (of("deal", "seed", "-7", f"id = {DEAL}"), "expected 0 or more"),
    "deal.seed of text": (of("deal", "seed", "'seven'", f"id = {DEAL}"), "seed is 'seven'"),
    "deal.seed gone": (of("deal", "seed", "NULL", f"id = {DEAL}"), "either a seed"),
    "deal.digest": (of("deal", "digest", "zeroblob(16)", f"id = {DEAL}"), "thoughtful-1:7: its di"),
    "deal.digest too short": (of("deal", "digest", "x'01'", f"id = {DEAL}"), "has not 16 bytes"),
    "deal.cards": (
        of(
            "deal", "cards", f"(SELECT cards FROM deal WHERE id = {IMPORTED_2})", f"id = {IMPORTED}"
        ),
        "cards: deal",
    ),
    "deal.cards too few": (of("deal", "cards", "x'0102'", f"id = {IMPORTED}"), "cards: deal"),
    "deal.cards twice one": (
        of("deal", "cards", "substr(cards, 1, 51) || substr(cards, 1, 1)", f"id = {IMPORTED}"),
        "cards",
    ),
    "deal.cards of text": (of("deal", "cards", "'AS KD'", f"id = {IMPORTED}"), "cards is 'AS KD'"),
    "deal.cards gone": (of("deal", "cards", "NULL", f"id = {IMPORTED}"), "its cards are missing"),
    "deal.cards of a dealer": (of("deal", "cards", "zeroblob(52)", f"id = {DEAL}"), "or its cards"),
    "deal missing": (f"DELETE FROM deal WHERE id = {DEAL}", "its deal is missing"),
    "deal imported missing": (f"DELETE FROM deal WHERE id = {IMPORTED}", "its deal is missing"),
    "deal imported twice": (
        "DROP INDEX ix_deal_imported; INSERT INTO deal (dealing_id, digest, cards) "
        f"SELECT dealing_id, digest, cards FROM deal WHERE id = {IMPORTED}",
        "it is stored 2 times",
    ),
    "deal dealt twice": (
        "DROP INDEX ix_deal_seed; INSERT INTO deal (dealing_id, seed, digest) "
        f"SELECT dealing_id, seed, digest FROM deal WHERE id = {DEAL}",
        "thoughtful-1:7: it is stored 2 times",
    ),
    "deal unused": (
        "INSERT INTO deal (dealing_id, seed, digest) VALUES (1, 900, zeroblob(16))",
        "thoughtful-1:900",
    ),
    "solver.id": (of("solver", "id", "77", f"id = {EXACT}"), "its solver is missing"),
    "solver.name": (of("solver", "name", "'exact(nodes=4)'", f"id = {EXACT}"), "method and"),
    "solver.version": (of("solver", "version", "99", f"id = {EXACT}"), "exact is v"),
    "solver.version earlier": (of("solver", "version", "1", f"id = {EXACT}"), "seal: solver"),
    "solver.version of none": (of("solver", "version", "0", f"id = {EXACT}"), "version is 0"),
    "solver.method": (of("solver", "method", "'luck'", f"id = {EXACT}"), "method and"),
    "solver.parameters": (
        of("solver", "parameters", "json_set(parameters, '$.nodes', 5)", f"id = {EXACT}"),
        "method and parameters are exact(nodes=5",
    ),
    "solver.grades": (of("solver", "grades", "1 - grades", "method = 'exact'"), "grades is"),
    "solver.grades of no bool": (of("solver", "grades", "'yes'", "method = 'exact'"), "'yes'"),
    "solver missing": (f"DELETE FROM solver WHERE id = {GREEDY}", "its solver is missing"),
    "maker.id": ("UPDATE maker SET id = 77", "its maker is missing"),
    "maker.program": (of("maker", "program", "'9.9'", "id = 1"), "seal: maker 1"),
    "maker.revision": (of("maker", "revision", "'beef'", "id = 1"), "seal: maker 1"),
    "maker.python": (of("maker", "python", "'2.7'", "id = 1"), "seal: maker 1"),
    "maker.numba": (of("maker", "numba", "''", "id = 1"), "seal: maker 1"),
    "maker.processor": (of("maker", "processor", "'abacus'", "id = 1"), "seal: maker 1"),
    "maker.machine": (of("maker", "machine", "'deep-thought'", "id = 1"), "seal: maker 1"),
    "maker.machine gone": (of("maker", "machine", "''", "id = 1"), "its machine is not told"),
    "maker missing": ("DELETE FROM maker", "its maker is missing"),
    "batch.id": ("UPDATE batch SET id = 77 WHERE id = 1", "its batch is missing"),
    "batch.maker_id": ("UPDATE batch SET maker_id = 2 WHERE id = 1", "its maker is missing"),
    "batch.maker_id of another": (
        "INSERT INTO maker SELECT 2, program, revision, python, numba, processor, 'other' "
        "FROM maker; UPDATE batch SET maker_id = 2 WHERE id = 1",
        "seal: batch 1, from thoughtful-1:",
    ),
    "batch.created_at": (
        of("batch", "created_at", "'2020-01-01 00:00:00.000000'", "id = 1"),
        "seal: batch 1, from thoughtful-1:",
    ),
    "batch.created_at of no moment": (of("batch", "created_at", "'soon'", "id = 1"), "is 'soon'"),
    "batch.rows": (of("batch", "rows", "rows + 1", "id = 1"), "it was stored with"),
    "batch.seal": (of("batch", "seal", "seal + 1", "id = 1"), "seal: batch 1"),
    "batch missing": ("DELETE FROM batch WHERE id = 1", "its batch is missing"),
    "batch of no rows": (
        "INSERT INTO batch SELECT 99, maker_id, created_at, rows, seal FROM batch WHERE id = 1",
        "batch 99: it has 0 rows",
    ),
    "seal.kind": (of("seal", "kind", "'luck'", "kind = 'maker'"), "seal: maker 1 (vm)"),
    "seal.row_id": (of("seal", "row_id", "99", "kind = 'maker'"), "its seal is missing"),
    "seal.seal": (of("seal", "seal", "5", "kind = 'maker'"), "seal is not that of its values"),
    "seal missing": ("DELETE FROM seal WHERE kind = 'solver'", "its seal is missing"),
    "outcome.ruleset_id": (
        of("outcome", "ruleset_id", "99", f"solver_id = {GREEDY} AND deal_id = {DEAL}"),
        "its ruleset is missing",
    ),
    "outcome.ruleset_id of another": (
        of("outcome", "ruleset_id", DRAW1, f"solver_id = {GREEDY} AND deal_id = {DEAL}"),
        "greedy under klondike-draw1, block 0 of thoughtful-1",
    ),
    "outcome.ruleset_id of another game": (
        of(
            "outcome",
            "ruleset_id",
            "(SELECT id FROM ruleset WHERE game = 'spider')",
            f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        ),
        "thoughtful-1:7 by greedy under spider-1-relaxed: its deal and its ruleset",
    ),
    "outcome.solver_id": (
        of("outcome", "solver_id", "99", f"solver_id = {GREEDY} AND deal_id = {DEAL}"),
        "its solver is missing",
    ),
    "outcome.deal_id": (
        of("outcome", "deal_id", "999", f"solver_id = {GREEDY} AND deal_id = {DEAL}"),
        "its deal is missing",
    ),
    "outcome.deal_id swapped": (
        f"UPDATE outcome SET deal_id = -deal_id WHERE solver_id = {EXACT} AND deal_id <= 8; "
        f"UPDATE outcome SET deal_id = 9 + deal_id WHERE solver_id = {EXACT} AND deal_id < 0",
        "block: thoughtful-1:",
    ),
    "outcome.result": (
        of("outcome", "result", "'gave_up'", f"solver_id = {GREEDY} AND deal_id = {LOST}"),
        "there is a regret, but the outcome is gave_up",
    ),
    "outcome.result unknown": (
        of("outcome", "result", "'draw'", f"deal_id = {DEAL} AND solver_id = {GREEDY}"),
        "result is 'draw'",
    ),
    "outcome.result of a win": (
        of("outcome", "result", "'lost'", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "there is a solution, but the outcome is lost",
    ),
    "outcome.result that wins": (
        of("outcome", "result", "'won'", f"deal_id = {LOST} AND solver_id = {GREEDY}"),
        "won, but there is no solution",
    ),
    "outcome.nodes": (
        of("outcome", "nodes", "nodes + 1", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "block: thoughtful-1:7 by exact",
    ),
    "outcome.nodes negative": (
        of("outcome", "nodes", "-1", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "nodes is -1",
    ),
    "outcome.nodes of an imported deal": (
        of("outcome", "nodes", "nodes + 1", f"deal_id = {IMPORTED} AND solver_id = {EXACT}"),
        "seal: batch",
    ),
    "outcome.cpu_us": (
        of("outcome", "cpu_us", "1", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "block: thoughtful-1:7 by exact",
    ),
    "outcome.cpu_us of an imported deal": (
        of("outcome", "cpu_us", "7", f"deal_id = {IMPORTED} AND solver_id = {EXACT}"),
        "its seal is not",
    ),
    "outcome.cpu_us gone": (
        of("outcome", "cpu_us", "NULL", f"deal_id = {IMPORTED} AND solver_id = {EXACT}"),
        "its seal is not",
    ),
    "outcome.cpu_us negative": (
        of("outcome", "cpu_us", "-5", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "a time in microseconds",
    ),
    "outcome.cpu_us of a retained row": (
        of("outcome", "cpu_us", "cpu_us + 1", f"{KEPT} AND deal_id = {KEPT_DEAL}"),
        "its seal is not",
    ),
    "outcome.nodes of a retained row": (
        of("outcome", "nodes", "nodes * 4", f"{KEPT} AND deal_id = {KEPT_DEAL}"),
        "its block has nodes",
    ),
    "outcome.result of a retained row": (
        of("outcome", "result", "'lost'", f"{KEPT} AND deal_id = {KEPT_DEAL}"),
        "its block has the result gave_up, its row lost",
    ),
    "outcome.batch_id": (
        of("outcome", "batch_id", "99", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "its batch is missing",
    ),
    "outcome.batch_id of another": (
        of("outcome", "batch_id", "2", f"deal_id = {DEAL} AND solver_id = {EXACT}"),
        "it was stored with",
    ),
    "outcome missing": (
        f"DELETE FROM outcome WHERE deal_id = {DEAL} AND solver_id = {GREEDY}",
        "block: thoughtful-1:7 by greedy",
    ),
    "outcome imported missing": (
        f"DELETE FROM outcome WHERE deal_id = {IMPORTED} AND solver_id = {DEAD_END}",
        "solvers is 2",
    ),
    "outcome of a retained row missing": (
        f"DELETE FROM outcome WHERE {KEPT} AND deal_id = {KEPT_DEAL}",
        "it has no row, its block tells otherwise",
    ),
    "outcome doubled": (
        f"INSERT INTO outcome SELECT ruleset_id, {GREEDY}, deal_id, result, nodes, cpu_us, "
        f"batch_id FROM outcome WHERE deal_id = {IMPORTED} AND solver_id = {EXACT}",
        "solvers is 2",
    ),
    "solution.deal_id": (
        of("solution", "deal_id", "999", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "its outcome is missing",
    ),
    "solution.solver_id": (
        of("solution", "solver_id", DEAD_END, f"deal_id = {WON} AND solver_id = {EXACT}"),
        "there is a solution, but the outcome is gave_up",
    ),
    "solution.ruleset_id": (
        of("solution", "ruleset_id", "99", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "its outcome is missing",
    ),
    "solution.length": (
        of("solution", "length", "1", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "its length is",
    ),
    "solution.moves": (
        of("solution", "moves", "x'00'", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "the stored moves are damaged",
    ),
    "solution.moves of a bit": (
        of(
            "solution",
            "moves",
            "CAST(substr(moves, 1, length(moves) - 1) || x'55' AS BLOB)",
            f"deal_id = {WON} AND solver_id = {EXACT}",
        ),
        "seal: batch",
    ),
    "solution.moves of another": (
        of(
            "solution",
            "moves",
            f"(SELECT moves FROM solution WHERE solver_id = {EXACT} AND deal_id <> {WON})",
            f"deal_id = {WON} AND solver_id = {EXACT}",
        ),
        "its solution does not replay",
    ),
    "solution.moves of text": (
        of("solution", "moves", "'T T T'", f"deal_id = {WON} AND solver_id = {EXACT}"),
        "moves is 'T T T'",
    ),
    "solution missing": (
        f"DELETE FROM solution WHERE deal_id = {WON} AND solver_id = {EXACT}",
        "won, but there is no solution",
    ),
    "dead_end.deal_id": ("UPDATE dead_end SET deal_id = deal_id + 900", "its outcome is missing"),
    "dead_end.solver_id": (f"UPDATE dead_end SET solver_id = {GREEDY}", "there is a dead end, but"),
    "dead_end.ruleset_id": ("UPDATE dead_end SET ruleset_id = 99", "its outcome is missing"),
    "dead_end.kind": ("UPDATE dead_end SET kind = 'magic'", "its block has the dead end"),
    "dead_end.witness": ("UPDATE dead_end SET witness = 'KC'", "does not prove it a dead end"),
    "dead_end.witness of no card": ("UPDATE dead_end SET witness = '1X'", "is not a card"),
    "dead_end missing": ("DELETE FROM dead_end", "its block has the dead end"),
    "regret.deal_id": (of("regret", "deal_id", "999", f"deal_id = {LOST}"), "its outcome is miss"),
    "regret.solver_id": (of("regret", "solver_id", "99", f"deal_id = {LOST}"), "its outcome is mi"),
    "regret.ruleset_id": (of("regret", "ruleset_id", "99", f"deal_id = {LOST}"), "its outcome is"),
    "regret.kind": (of("regret", "kind", "'luck'", f"deal_id = {LOST}"), "there is no kind 'luck'"),
    "regret.kind of another": (
        of("regret", "kind", "'undecided'", f"deal_id = {MOVED}"),
        "has a losing move",
    ),
    "regret.kind and step": (
        f"UPDATE regret SET kind = 'undecided', step = NULL, action = NULL WHERE deal_id = {MOVED}",
        "seal: batch",
    ),
    "regret.step": (of("regret", "step", "999", f"deal_id = {MOVED}"), "has no move after 999"),
    "regret.step gone": (of("regret", "step", "NULL", f"deal_id = {MOVED}"), "move after None"),
    "regret.action": (of("regret", "action", "'jump'", f"deal_id = {MOVED}"), "stored is jump"),
    "regret.length": (of("regret", "length", "1", f"deal_id = {LOST}"), "stored is 1"),
    "regret.moves": (of("regret", "moves", "x'ff'", f"deal_id = {LOST}"), "moves are damaged"),
    "regret.judge": (of("regret", "judge", "'nobody'", f"deal_id = {LOST}"), "judge is unknown"),
    "regret.judge of another": (
        of("regret", "judge", "'exact-plain'", f"deal_id = {LOST}"),
        "seal: batch",
    ),
    "regret.judge_version": (of("regret", "judge_version", "99", f"deal_id = {LOST}"), "v99, here"),
    "regret.judge_version earlier": (
        of("regret", "judge_version", "judge_version - 1", f"deal_id = {LOST}"),
        "seal",
    ),
    "regret.batch_id": (of("regret", "batch_id", "1", f"deal_id = {LOST}"), "it was stored with"),
    "regret missing": (f"DELETE FROM regret WHERE deal_id = {LOST}", "it was stored with 13"),
    "status.ruleset_id": (of("status", "ruleset_id", "99", f"deal_id = {IMPORTED}"), "its ruleset"),
    "status.deal_id": (of("status", "deal_id", "999", f"deal_id = {IMPORTED}"), "its deal is miss"),
    "status.deal_id of a dealer": (
        of("status", "deal_id", DEAL, f"deal_id = {IMPORTED}"),
        "thoughtful-1:7 under klondike-draw3: there is a row",
    ),
    "status.status": (of("status", "status", "'unknown'", f"deal_id = {IMPORTED}"), "status is"),
    "status.solvers": (of("status", "solvers", "9", f"deal_id = {IMPORTED}"), "solvers is 9"),
    "status.wins": (of("status", "wins", "9", f"deal_id = {IMPORTED}"), "wins is 9"),
    "status.proofs": (of("status", "proofs", "9", f"deal_id = {IMPORTED}"), "proofs is 9"),
    "status.nodes": (of("status", "nodes", "9", f"deal_id = {IMPORTED}"), "nodes is 9"),
    "status.solution_length": (
        of("status", "solution_length", "9", f"deal_id = {IMPORTED}"),
        "solution_length is 9",
    ),
    "status.dead_end": (of("status", "dead_end", "'pair'", f"deal_id = {IMPORTED}"), "dead_end is"),
    "status missing": (f"DELETE FROM status WHERE deal_id = {IMPORTED}", "missing, though"),
    "block.ruleset_id": (of("block", "ruleset_id", "99", BLOCK), "its ruleset is missing"),
    "block.dealing_id": (of("block", "dealing_id", "99", BLOCK), "its dealing is missing"),
    "block.block": (of("block", "block", "5", BLOCK), "block 5 of thoughtful-1"),
    "block.solver_id": (of("block", "solver_id", "99", BLOCK), "its solver is missing"),
    "block.depth": (of("block", "depth", "'verdicts'", BLOCK), "its depth is verdicts"),
    "block.depth unknown": (of("block", "depth", "'deep'", BLOCK), "depth is 'deep'"),
    "block.depth of verdicts": (
        of("block", "depth", "'everything'", f"{VERDICTS}{EXACT_1}"),
        "its depth is everything",
    ),
    "block.attempted": (of("block", "attempted", "15", BLOCK), "attempted is 15"),
    "block.won": (of("block", "won", "won + 1", BLOCK), "won is"),
    "block.lost": (of("block", "lost", "1", BLOCK), "lost is 1"),
    "block.unwinnable": (of("block", "unwinnable", "99", BLOCK), "unwinnable is 99"),
    "block.gave_up": (of("block", "gave_up", "99", BLOCK), "gave_up is 99"),
    "block.nodes": (of("block", "nodes", "nodes + 1", BLOCK), "nodes is"),
    "block.nodes of verdicts": (
        of("block", "nodes", "nodes + 1", f"{VERDICTS}{EXACT_1}"),
        "klondike-draw1, block 0 of thoughtful-1 (klondike): its checksum",
    ),
    "block.cpu_us": (of("block", "cpu_us", "cpu_us + 1", BLOCK), "cpu_us is"),
    "block.cpu_us of verdicts": (
        of("block", "cpu_us", "cpu_us + 1", f"{VERDICTS}{EXACT_1}"),
        "its checksum",
    ),
    "block.made": (
        of("block", "made", "json_set(made, '$[0][3]', '2020-01-01')", f"{VERDICTS}{EXACT_1}"),
        "its checksum",
    ),
    "block.made of another": (
        of("block", "made", "json_set(made, '$[0][2]', 99)", f"{VERDICTS}{EXACT_1}"),
        "its maker 99 is missing",
    ),
    "block.made of fewer": (
        of("block", "made", "json_set(made, '$[0][1]', 3)", f"{VERDICTS}{EXACT_1}"),
        "have no maker",
    ),
    "block.made of none": (of("block", "made", "'[]'", f"{VERDICTS}{EXACT_1}"), "have no maker"),
    "block.made of no list": (of("block", "made", "'{}'", f"{VERDICTS}{EXACT_1}"), "block 0 of"),
    "block.made of no JSON": (of("block", "made", "'['", f"{VERDICTS}{EXACT_1}"), "made is '['"),
    "block.checksum": (of("block", "checksum", "5", BLOCK), "its checksum"),
    "block.columns": (
        of(
            "block",
            "columns",
            "CAST(substr(columns, 1, 60) || x'00' || substr(columns, 62) AS BLOB)",
            f"{VERDICTS}{EXACT_1}",
        ),
        "klondike-draw1, block 0 of thoughtful-1",
    ),
    "block.columns cut": (
        of("block", "columns", "CAST(substr(columns, 1, 60) AS BLOB)", f"{VERDICTS}{EXACT_1}"),
        "klondike-draw1, block 0 of thoughtful-1",
    ),
    "block.columns of another": (
        of(
            "block",
            "columns",
            f"(SELECT columns FROM block WHERE {VERDICTS}{DEAD_END})",
            f"{VERDICTS}{EXACT_1}",
        ),
        "its checksum",
    ),
    "block.columns of text": (of("block", "columns", "'none'", BLOCK), "columns is 'none'"),
    "block.columns of none": (of("block", "columns", "x''", BLOCK), "unknown format"),
    "block missing": (f"DELETE FROM block WHERE {BLOCK}", "missing, though there are outcomes"),
    "block of verdicts missing": (
        f"DELETE FROM block WHERE {VERDICTS}{DEAD_END}",
        "status block: klondike-draw1, block 0",
    ),
    "block and statuses missing": (
        f"DELETE FROM block WHERE ruleset_id = {DRAW1}; "
        f"DELETE FROM status_block WHERE ruleset_id = {DRAW1}",
        "it is done, but 0 of 240 outcomes are stored",
    ),
    "status_block.ruleset_id": (
        of("status_block", "ruleset_id", "99", STATUSES),
        "its ruleset is missing",
    ),
    "status_block.dealing_id": (
        of("status_block", "dealing_id", "99", STATUSES),
        "its dealing is missing",
    ),
    "status_block.block": (of("status_block", "block", "5", STATUSES), "block 5 of thoughtful-1"),
    "status_block.deals": (of("status_block", "deals", "99", STATUSES), "deals is 99"),
    "status_block.winnable": (of("status_block", "winnable", "99", STATUSES), "winnable is 99"),
    "status_block.unwinnable": (of("status_block", "unwinnable", "99", STATUSES), "unwinnable is"),
    "status_block.alarms": (of("status_block", "alarms", "1", STATUSES), "alarms is 1"),
    "status_block.cells": (
        of(
            "status_block",
            "cells",
            f"(SELECT cells FROM status_block WHERE ruleset_id = {DRAW1})",
            STATUSES,
        ),
        "its cells are not those of its outcomes",
    ),
    "status_block.cells of none": (of("status_block", "cells", "x''", STATUSES), "cannot be read"),
    "status_block missing": (f"DELETE FROM status_block WHERE {STATUSES}", "missing, though"),
    "job.id": ("UPDATE job SET id = 77 WHERE id = 1", "job 77"),
    "job.kind": (of("job", "kind", "'chores'", "id = 1"), "kind is 'chores'"),
    "job.kind of another": (of("job", "kind", "'regrets'", "id = 1"), "job 1"),
    "job.ruleset_id": (of("job", "ruleset_id", "2", "id = 1"), "job 1"),
    "job.dealer": (of("job", "dealer", "'aunt'", "id = 1"), "job: job 1"),
    "job.first_seed": (of("job", "first_seed", "5", "id = 1"), "it is done, but"),
    "job.deals": ("UPDATE job SET deals = 20, total = 60, done = 60 WHERE id = 1", "but 48"),
    "job.keep": (of("job", "keep", "'verdicts'", "id = 1"), "seal: job 1"),
    "job.keep unknown": (of("job", "keep", "'nothing'", "id = 1"), "keep is 'nothing'"),
    "job.priority": (of("job", "priority", "9", "id = 1"), "seal: job 1"),
    "job.until": (of("job", "until", "'{\"deals\": 5}'", "id = 1"), "seal: job 1"),
    "job.state": (of("job", "state", "'asleep'", "id = 1"), "state is 'asleep'"),
    "job.state queued": (of("job", "state", "'queued'", "id = 1"), "but is still open"),
    "job.state done": (
        "UPDATE job SET state = 'done', finished_at = created_at WHERE id = 4",
        "it is done, but 0 of 100",
    ),
    "job.total": (of("job", "total", "100", "id = 1"), "its total is 100"),
    "job.done": (of("job", "done", "5", "id = 1"), "done is 5"),
    "job.done over total": (of("job", "done", "total + 1", "id = 1"), "more than its total"),
    "job.next_seed": (of("job", "next_seed", "900", "id = 1"), "next seed is not in its sample"),
    "job.cpu_ms": (of("job", "cpu_ms", "-1.0", "id = 1"), "cpu_ms is -1.0"),
    "job.cpu_ms less": (of("job", "cpu_ms", "0.5", "id = 1"), "seal: job 1"),
    "job.rate": (of("job", "rate", "'fast'", "id = 1"), "rate is 'fast'"),
    "job.error": (of("job", "error", "'rain'", "id = 1"), "seal: job 1"),
    "job.created_at": (
        of("job", "created_at", "'2020-01-01 00:00:00.000000'", "id = 1"),
        "seal: j",
    ),
    "job.started_at": (of("job", "started_at", "NULL", "id = 1"), "was never started"),
    "job.finished_at": (of("job", "finished_at", "NULL", "id = 1"), "it has ended at no time"),
    "job.seal": (of("job", "seal", "5", "id = 1"), "seal: job 1"),
    "job done over unsolved seeds": (
        "INSERT INTO job SELECT 88, kind, ruleset_id, dealer, 5000, deals, keep, priority, until, "
        "state, total, done, 5016, cpu_ms, rate, error, created_at, started_at, finished_at, seal "
        "FROM job WHERE id = 1; "
        "INSERT INTO job_solver SELECT 88, place, solver_id FROM job_solver WHERE job_id = 1",
        "it is done, but 0 of 48 outcomes are stored",
    ),
    "job missing": ("DELETE FROM job WHERE id = 1", "its job is missing"),
    "job_solver.job_id": (of("job_solver", "job_id", "99", "job_id = 1"), "its job is missing"),
    "job_solver.place": (of("job_solver", "place", "7", "place = 0"), "have the places"),
    "job_solver.solver_id": (of("job_solver", "solver_id", "99", "place = 0"), "its solver is mi"),
    "job_solver.solver_id of another": (
        f"UPDATE job_solver SET solver_id = {GREEDY} WHERE job_id = 4",
        "seal: job 4",
    ),
    "job_solver missing": ("DELETE FROM job_solver WHERE job_id = 1", "have the places none"),
    "runner.id": ("UPDATE runner SET id = 9", "its runner is missing"),
    "runner.name": ("UPDATE runner SET name = x'00'", "name is X'00'"),
    "runner.maker_id": ("UPDATE runner SET maker_id = 99", "runner 1: its maker is missing"),
    "runner.workers": ("UPDATE runner SET workers = -1", "workers is -1"),
    "runner.started_at": ("UPDATE runner SET started_at = 5", "started_at is 5"),
    "runner.heartbeat": ("UPDATE runner SET heartbeat = 'never'", "heartbeat is 'never'"),
    "runner missing": ("DELETE FROM runner", "its runner is missing"),
    "piece.id": ("UPDATE piece SET job_id = 99, id = 99 WHERE id = 1", "piece 99: its job is m"),
    "piece.job_id": (of("piece", "job_id", "1", "id = 1"), "are not those of its job"),
    "piece.first_seed": (of("piece", "first_seed", "5000", "id = 1"), "are not those of its job"),
    "piece.deals": (of("piece", "deals", "5000", "id = 1"), "are not those of its job"),
    "piece.state": (of("piece", "state", "'asleep'", "id = 1"), "state is 'asleep'"),
    "piece.state running": (of("piece", "state", "'running'", "id = 2"), "a runner if it runs"),
    "piece.runner_id": (of("piece", "runner_id", "99", "id = 1"), "its runner is missing"),
    "piece.attempts": (of("piece", "attempts", "-1", "id = 1"), "attempts is -1"),
    "piece.claimed_at": (of("piece", "claimed_at", "'late'", "id = 1"), "claimed_at is 'late'"),
    "piece.error": (of("piece", "error", "x'00'", "id = 1"), "error is X'00'"),
    "bound.id": (of("bound", "id", "999", f"id = {BOUND}"), "seal: bound"),
    "bound.ruleset_id": (of("bound", "ruleset_id", "2", f"id = {BOUND}"), "ruleset_id is 2"),
    "bound.n": (of("bound", "n", "999", f"id = {BOUND}"), "n is 999"),
    "bound.winnable": (
        f"UPDATE bound SET winnable = 15, n = 16 WHERE id = {BOUND}",
        "winnable is 15",
    ),
    "bound.winnable less": (of("bound", "winnable", "0", f"id = {BOUND}"), "seal: bound"),
    "bound.unwinnable": (of("bound", "unwinnable", "9", f"id = {BOUND}"), "bound"),
    "bound.winnable and all": (of("bound", "winnable", "n + 1", f"id = {BOUND}"), "more deals dec"),
    "bound.dealer": (of("bound", "dealer", "'pysolfc'", f"id = {BOUND}"), "dealer is pysolfc"),
    "bound.first_seed": (of("bound", "first_seed", "3", f"id = {BOUND}"), "first_seed is 3"),
    "bound.job_id": (of("bound", "job_id", "77", f"id = {BOUND}"), "its job is missing"),
    "bound.job_id gone": (of("bound", "job_id", "NULL", f"id = {BOUND}"), "seal: bound"),
    "bound.created_at": (
        of("bound", "created_at", "'2020-01-01 00:00:00.000000'", f"id = {BOUND}"),
        "seal: bound",
    ),
    "bound.seal": (of("bound", "seal", "5", f"id = {BOUND}"), "seal: bound"),
    "bound of the middle missing": (f"DELETE FROM bound WHERE id = {BOUND}", "a bound before it"),
    "bound of the end missing": (
        "DELETE FROM bound WHERE id = (SELECT max(id) FROM bound WHERE job_id = 1)",
        "recounted it is 16",
    ),
    "bound missing": ("DELETE FROM bound", "it is done, but has no bound"),
    "bound doubled": (
        "INSERT INTO bound SELECT 99, ruleset_id, dealer, first_seed, n, winnable, unwinnable, "
        f"job_id, created_at, seal FROM bound WHERE id = {BOUND}",
        "bound 99",
    ),
    "verification.id": ("UPDATE verification SET id = 9", "seal: verification 9"),
    "verification.state": ("UPDATE verification SET state = 'stopped'", "seal: verification 1"),
    "verification.options": (
        "UPDATE verification SET options = json_set(options, '$.seed', 5)",
        "seal: verification 1",
    ),
    "verification.started_at": (
        "UPDATE verification SET started_at = '2020-01-01 00:00:00.000000'",
        "seal: verification 1",
    ),
    "verification.finished_at": (
        "UPDATE verification SET finished_at = NULL",
        "seal: verification",
    ),
    "verification.progress": ("UPDATE verification SET progress = '{}'", "seal: verification 1"),
    "verification.checked": ("UPDATE verification SET checked = '{}'", "seal: verification 1"),
    "verification.faults": ("UPDATE verification SET faults = 5", "seal: verification 1"),
    "verification.findings": ("UPDATE verification SET findings = '{}'", "seal: verification 1"),
    "verification missing": ("DELETE FROM verification", "there is a seal, but the row is missing"),
    "index missing": ("DROP INDEX ix_outcome_deal", "missing index: ix_outcome_deal"),
    "index that is unique missing": ("DROP INDEX ix_deal_seed", "missing index: ix_deal_seed"),
    "table missing": ("DROP TABLE piece", "missing table: piece"),
    "table of facts missing": ("DROP TABLE dead_end", "missing table: dead_end"),
    "column unknown": ("ALTER TABLE job ADD COLUMN mood TEXT", "unknown column"),
    "column missing": ("ALTER TABLE job DROP COLUMN error", "missing column"),
    "constraint missing": (
        "UPDATE sqlite_master SET sql = replace(sql, 'seal BIGINT NOT NULL', 'seal BIGINT') "
        "WHERE name = 'batch'",
        "table batch is defined otherwise",
    ),
    "trigger": (
        "CREATE TRIGGER t AFTER INSERT ON outcome BEGIN DELETE FROM bound; END",
        "unknown trigger: t",
    ),
    "alembic_version twice": (
        "INSERT INTO alembic_version VALUES ('0004')",
        "alembic_version has 0005, 0004",
    ),
}

# Damages that do not touch each other, so that one run must find all.
TOGETHER = (
    "ruleset.options",
    "deal.digest",
    "deal.cards",
    "solver.version earlier",
    "maker.processor",
    "batch.created_at",
    "outcome.nodes",
    "outcome.cpu_us of an imported deal",
    "outcome.nodes of a retained row",
    "solution.length",
    "dead_end.witness",
    "regret.step",
    "regret.judge_version earlier",
    "status.proofs",
    "block.made of another",
    "block.cpu_us",
    "status_block.alarms",
    "status_block.cells",
    "job.priority",
    "job_solver.solver_id of another",
    "runner.workers",
    "piece.deals",
    "bound.created_at",
    "verification.findings",
    "index missing",
    "trigger",
)
# Some of the others in `make test`.
FEW = [kind for kind in DAMAGE if kind not in TOGETHER][::40]


def test_damages_together_are_all_found(database: Path) -> None:
    for kind in TOGETHER:
        damaged(database, DAMAGE[kind][0])
    faults = [str(fault) for fault in checked(database).faults]
    for kind in TOGETHER:
        assert any(DAMAGE[kind][1] in fault for fault in faults), kind


@pytest.mark.parametrize(
    "kind", [*FEW, *(thorough_case(kind) for kind in DAMAGE if kind not in FEW)]
)
def test_damage_is_found_and_named(database: Path, kind: str) -> None:
    statements, said = DAMAGE[kind]
    damaged(database, statements)
    faults = [str(fault) for fault in checked(database).faults]
    assert any(said in fault for fault in faults), "\n".join(faults)


def test_every_column_is_damaged() -> None:
    done = {kind.split()[0] for kind in DAMAGE}
    every = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
    }
    assert every - done == set()
    assert len(DAMAGE) >= 60
