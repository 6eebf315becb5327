"""Damage to facts: names, deals, provenances, outcomes, solutions, dead ends and regrets."""

from damages.damage import (
    DEAD_END,
    DEAL,
    DEALT,
    DRAW1,
    EXACT,
    GREEDY,
    IMPORTED,
    IMPORTED_2,
    KEPT,
    KEPT_DEAL,
    LOST,
    MOVED,
    WON,
    Damage,
    change,
)

FACTS = [
    Damage(
        "ruleset.id",
        "UPDATE ruleset SET id = 77 WHERE slug = 'klondike-draw3'",
        "its ruleset is mi",
    ),
    Damage(
        "ruleset.id swapped",
        f"UPDATE ruleset SET slug = 'x' WHERE id = {DRAW1}; "
        "UPDATE ruleset SET slug = 'klondike-draw1', options = "
        "(SELECT options FROM ruleset WHERE slug = 'x') WHERE slug = 'klondike-draw3'; "
        "UPDATE ruleset SET slug = 'klondike-draw3', options = json_set(options, '$.draw', 3) "
        "WHERE slug = 'x'",
        "seal: ruleset 1 (klondike-draw1)",
    ),
    change("ruleset.slug", "'klondike-draw99x'", "id = 1", "unknown ruleset"),
    change(
        "ruleset.slug of another",
        "'klondike-yan'",
        "slug = 'klondike-draw3'",
        "ruleset 1 (klondike-yan): ",
    ),
    change("ruleset.game", "'spider'", "id = 1", "game is spider"),
    change(
        "ruleset.options", "json_set(options, '$.draw', 1)", "slug = 'klondike-draw3'", "options is"
    ),
    change("ruleset.options of no JSON", "'{'", "id = 1", "options is '{'"),
    Damage("ruleset missing", "DELETE FROM ruleset WHERE id = 1", "its ruleset is missing"),
    change("dealing.id", "77", f"id = {DEALT}", "its dealing is missing"),
    change("dealing.game", "'whist'", f"id = {DEALT}", "dealing 1 (thoughtful-1): unknown game"),
    change("dealing.dealer", "'pysolfc'", f"id = {DEALT}", "seal: dealing 1 (pysolfc)"),
    change(
        "dealing.dealer unknown",
        "'aunt'",
        f"id = {DEALT}",
        "dealing: dealing 1 (aunt): unknown dealer 'aunt'",
    ),
    change(
        "dealing.dealer of imported deals",
        "'pysolfc'",
        "dealer = 'imported'",
        "(pysolfc): its seal",
    ),
    Damage("dealing missing", f"DELETE FROM dealing WHERE id = {DEALT}", "its dealing is missing"),
    change("deal.id", "7777", f"id = {DEAL}", "its deal is missing"),
    Damage(
        "deal.id swapped",
        f"UPDATE deal SET id = -1 WHERE id = {IMPORTED}; "
        f"UPDATE deal SET id = (SELECT max(id) FROM deal) + 1 WHERE id = {IMPORTED_2}; "
        "UPDATE deal SET id = (SELECT max(id) FROM deal) - 1 WHERE id = -2",
        "its deal is missing",
    ),
    Damage(
        "deal.cards and digests swapped",
        "CREATE TEMP TABLE t AS SELECT id, digest, cards FROM deal WHERE cards IS NOT NULL; "
        f"UPDATE deal SET digest = x'00' WHERE id = {IMPORTED}; "
        f"UPDATE deal SET (digest, cards) = (SELECT digest, cards FROM t WHERE id = {IMPORTED}) "
        f"WHERE id = {IMPORTED_2}; "
        f"UPDATE deal SET (digest, cards) = (SELECT digest, cards FROM t WHERE id = {IMPORTED_2}) "
        f"WHERE id = {IMPORTED}",
        "its seal is not that of its rows",
    ),
    Damage(
        "deal.dealing_id",
        "UPDATE deal SET dealing_id = (SELECT id FROM dealing WHERE game = 'spider') "
        f"WHERE id = {DEAL}; DELETE FROM deal WHERE seed = 7 AND id <> {DEAL}",
        "thoughtful-1:7",
    ),
    change("deal.dealing_id of none", "99", f"id = {DEAL}", "its dealing is m"),
    change("deal.seed", "777", f"id = {DEAL}", "thoughtful-1:777: its digest is"),
    change("deal.seed negative", "-7", f"id = {DEAL}", "expected 0 or more"),
    change("deal.seed of text", "'seven'", f"id = {DEAL}", "seed is 'seven'"),
    change("deal.seed gone", "NULL", f"id = {DEAL}", "thoughtful-1:None: it has no seed"),
    change("deal.seed of an imported deal", "77", f"id = {IMPORTED}", "imported:77 by exact"),
    change("deal.seed of an imported deal gone", "NULL", f"id = {IMPORTED}", "it has no seed"),
    change("deal.digest", "zeroblob(16)", f"id = {DEAL}", "thoughtful-1:7: its di"),
    change(
        "deal.digest as text",
        "CAST(substr(digest, 1, 15) || x'ff' AS TEXT)",
        f"id = {DEAL}",
        "thoughtful-1:7: digest is",
    ),
    change("deal.digest too short", "x'01'", f"id = {DEAL}", "has not 16 bytes"),
    change(
        "deal.cards",
        f"(SELECT cards FROM deal WHERE id = {IMPORTED_2})",
        f"id = {IMPORTED}",
        "cards: imported:0: its digest is",
    ),
    change("deal.cards too few", "x'0102'", f"id = {IMPORTED}", "cards: imported:0"),
    change(
        "deal.cards twice one",
        "substr(cards, 1, 51) || substr(cards, 1, 1)",
        f"id = {IMPORTED}",
        "cards",
    ),
    change("deal.cards of text", "'AS KD'", f"id = {IMPORTED}", "cards is 'AS KD'"),
    change("deal.cards gone", "NULL", f"id = {IMPORTED}", "its cards are missing"),
    change(
        "deal.cards of a dealer",
        "zeroblob(52)",
        f"id = {DEAL}",
        "imported deals have their cards, and no others",
    ),
    Damage("deal missing", f"DELETE FROM deal WHERE id = {DEAL}", "its deal is missing"),
    Damage(
        "deal imported missing", f"DELETE FROM deal WHERE id = {IMPORTED}", "its deal is missing"
    ),
    Damage(
        "deal imported twice",
        "DROP INDEX ix_deal_imported; INSERT INTO deal (dealing_id, seed, digest, cards) "
        f"SELECT dealing_id, 77, digest, cards FROM deal WHERE id = {IMPORTED}",
        "it is stored 2 times",
    ),
    Damage(
        "deal dealt twice",
        "DROP INDEX ix_deal_seed; INSERT INTO deal (dealing_id, seed, digest) "
        f"SELECT dealing_id, seed, digest FROM deal WHERE id = {DEAL}",
        "thoughtful-1:7: it is stored 2 times",
    ),
    Damage(
        "deal unused",
        "INSERT INTO deal (dealing_id, seed, digest) VALUES (1, 900, zeroblob(16))",
        "thoughtful-1:900",
    ),
    change("solver.id", "77", f"id = {EXACT}", "its solver is missing"),
    change("solver.name", "'exact(nodes=4)'", f"id = {EXACT}", "method and"),
    change("solver.version", "99", f"id = {EXACT}", "exact is v"),
    change("solver.version earlier", "1", f"id = {EXACT}", "seal: solver"),
    change("solver.version of none", "0", f"id = {EXACT}", "version is 0"),
    change("solver.method", "'luck'", f"id = {EXACT}", "method and"),
    change(
        "solver.parameters",
        "json_set(parameters, '$.nodes', 5)",
        f"id = {EXACT}",
        "method and parameters are exact(nodes=5",
    ),
    change("solver.grades", "1 - grades", "method = 'exact'", "grades is"),
    change("solver.grades of no bool", "'yes'", "method = 'exact'", "'yes'"),
    Damage("solver missing", f"DELETE FROM solver WHERE id = {GREEDY}", "its solver is missing"),
    Damage(
        "provenance.id", "UPDATE provenance SET id = 77 WHERE id = 1", "its provenance is missing"
    ),
    change("provenance.program", "'9.9'", "id = 1", "seal: provenance 1"),
    change("provenance.revision", "'beef'", "id = 1", "seal: provenance 1"),
    change("provenance.python", "'2.7'", "id = 1", "seal: provenance 1"),
    change("provenance.numba", "''", "id = 1", "seal: provenance 1"),
    change("provenance.processor", "'abacus'", "id = 1", "seal: provenance 1"),
    change("provenance.machine", "'deep-thought'", "id = 1", "seal: provenance 1"),
    change("provenance.clock", "1", "id = 1", "seal: provenance 1"),
    change("provenance.machine gone", "''", "id = 1", "its machine is not told"),
    Damage("provenance missing", "DELETE FROM provenance", "its provenance is missing"),
    Damage("batch.id", "UPDATE batch SET id = 77 WHERE id = 1", "its batch is missing"),
    Damage(
        "batch.provenance_id",
        "UPDATE batch SET provenance_id = 99 WHERE id = 1",
        "its provenance is missing",
    ),
    Damage(
        "batch.provenance_id of another",
        "INSERT INTO provenance SELECT 99, program, revision, python, numba, processor, 'other', "
        "clock FROM provenance WHERE id = 1; UPDATE batch SET provenance_id = 99 WHERE id = 1",
        "seal: batch 1, from outcome thoughtful-1:",
    ),
    change(
        "batch.created_at",
        "'2020-01-01 00:00:00.000000'",
        "id = 1",
        "seal: batch 1, from outcome thoughtful-1:",
    ),
    change("batch.created_at of no moment", "'soon'", "id = 1", "is 'soon'"),
    change("batch.rows", "rows + 1", "id = 1", "it was stored with"),
    change("batch.seal", "seal + 1", "id = 1", "seal: batch 1"),
    Damage("batch missing", "DELETE FROM batch WHERE id = 1", "its batch is missing"),
    Damage(
        "batch of no rows",
        "INSERT INTO batch SELECT 99, provenance_id, created_at, rows, seal FROM batch "
        "WHERE id = 1",
        "batch 99: it has 0 rows",
    ),
    change("seal.kind", "'luck'", "kind = 'provenance'", "seal: provenance 1"),
    change("seal.row_id", "99", "kind = 'provenance' AND row_id = 1", "its seal is missing"),
    change("seal.seal", "5", "kind = 'provenance'", "seal is not that of its values"),
    Damage("seal missing", "DELETE FROM seal WHERE kind = 'solver'", "its seal is missing"),
    change(
        "outcome.ruleset_id",
        "99",
        f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        "its ruleset is missing",
    ),
    change(
        "outcome.ruleset_id of another",
        DRAW1,
        f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        "greedy under klondike-draw1, block 0 of thoughtful-1",
    ),
    change(
        "outcome.ruleset_id of another game",
        "(SELECT id FROM ruleset WHERE game = 'spider')",
        f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        "thoughtful-1:7 by greedy under spider-1-relaxed: its deal and its ruleset",
    ),
    change(
        "outcome.solver_id",
        "99",
        f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        "its solver is missing",
    ),
    change(
        "outcome.deal_id",
        "999",
        f"solver_id = {GREEDY} AND deal_id = {DEAL}",
        "its deal is missing",
    ),
    Damage(
        "outcome.deal_id swapped",
        f"UPDATE outcome SET deal_id = -deal_id WHERE solver_id = {EXACT} AND deal_id <= 8; "
        f"UPDATE outcome SET deal_id = 9 + deal_id WHERE solver_id = {EXACT} AND deal_id < 0",
        "block: thoughtful-1:",
    ),
    change(
        "outcome.result",
        "'gave_up'",
        f"solver_id = {GREEDY} AND deal_id = {LOST}",
        "there is a regret, but the outcome is 'gave_up'",
    ),
    change(
        "outcome.result unknown",
        "'draw'",
        f"deal_id = {DEAL} AND solver_id = {GREEDY}",
        "result is 'draw'",
    ),
    change(
        "outcome.result of a win",
        "'lost'",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "there is a solution, but the outcome is 'lost'",
    ),
    change(
        "outcome.result that wins",
        "'won'",
        f"deal_id = {LOST} AND solver_id = {GREEDY}",
        "won, but there is no solution",
    ),
    change(
        "outcome.nodes",
        "nodes + 1",
        f"deal_id = {DEAL} AND solver_id = {EXACT}",
        "block: thoughtful-1:7 by exact",
    ),
    change(
        "outcome.nodes negative", "-1", f"deal_id = {DEAL} AND solver_id = {EXACT}", "nodes is -1"
    ),
    change(
        "outcome.nodes of an imported deal",
        "nodes + 1",
        f"deal_id = {IMPORTED} AND solver_id = {EXACT}",
        "seal: batch",
    ),
    change(
        "outcome.cpu_us",
        "1",
        f"deal_id = {DEAL} AND solver_id = {EXACT}",
        "block: thoughtful-1:7 by exact",
    ),
    change(
        "outcome.cpu_us of an imported deal",
        "7",
        f"deal_id = {IMPORTED} AND solver_id = {EXACT}",
        "its seal is not",
    ),
    change(
        "outcome.cpu_us gone",
        "NULL",
        f"deal_id = {IMPORTED} AND solver_id = {EXACT}",
        "its seal is not",
    ),
    change(
        "outcome.cpu_us negative",
        "-5",
        f"deal_id = {DEAL} AND solver_id = {EXACT}",
        "a time in microseconds",
    ),
    change(
        "outcome.cpu_us of a retained row",
        "cpu_us + 1",
        f"{KEPT} AND deal_id = {KEPT_DEAL}",
        "its seal is not",
    ),
    change(
        "outcome.nodes of a retained row",
        "nodes * 4",
        f"{KEPT} AND deal_id = {KEPT_DEAL}",
        "its block has nodes",
    ),
    change(
        "outcome.result of a retained row",
        "'lost'",
        f"{KEPT} AND deal_id = {KEPT_DEAL}",
        "its block has the result gave_up, its row lost",
    ),
    change(
        "outcome.batch_id",
        "99",
        f"deal_id = {DEAL} AND solver_id = {EXACT}",
        "its batch is missing",
    ),
    change(
        "outcome.batch_id of another",
        "2",
        f"deal_id = {DEAL} AND solver_id = {EXACT}",
        "it was stored with",
    ),
    Damage(
        "outcome missing",
        f"DELETE FROM outcome WHERE deal_id = {DEAL} AND solver_id = {GREEDY}",
        "block: thoughtful-1:7 by greedy",
    ),
    Damage(
        "outcome imported missing",
        f"DELETE FROM outcome WHERE deal_id = {IMPORTED} AND solver_id = {DEAD_END}",
        "block: imported:0 by dead-end",
    ),
    Damage(
        "outcome of a retained row missing",
        f"DELETE FROM outcome WHERE {KEPT} AND deal_id = {KEPT_DEAL}",
        "it has no row, its block tells otherwise",
    ),
    Damage(
        "outcome doubled",
        f"INSERT INTO outcome SELECT ruleset_id, {GREEDY}, deal_id, result, nodes, cpu_us, "
        f"batch_id FROM outcome WHERE deal_id = {IMPORTED} AND solver_id = {EXACT}",
        "greedy under klondike-draw3, block 0 of imported (klondike): missing, though",
    ),
    change(
        "solution.deal_id",
        "999",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "its outcome is missing",
    ),
    change(
        "solution.solver_id",
        DEAD_END,
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "there is a solution, but the outcome is 'gave_up'",
    ),
    change(
        "solution.ruleset_id",
        "99",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "its outcome is missing",
    ),
    change("solution.length", "1", f"deal_id = {WON} AND solver_id = {EXACT}", "its length is"),
    change(
        "solution.moves",
        "x'00'",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "the stored moves are damaged",
    ),
    change(
        "solution.moves of a bit",
        "CAST(substr(moves, 1, length(moves) - 1) || x'55' AS BLOB)",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "seal: batch",
    ),
    change(
        "solution.moves of another",
        f"(SELECT moves FROM solution WHERE solver_id = {EXACT} AND deal_id <> {WON})",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "its solution does not replay",
    ),
    change(
        "solution.moves of text",
        "'T T T'",
        f"deal_id = {WON} AND solver_id = {EXACT}",
        "moves is 'T T T'",
    ),
    Damage(
        "solution missing",
        f"DELETE FROM solution WHERE deal_id = {WON} AND solver_id = {EXACT}",
        "won, but there is no solution",
    ),
    Damage(
        "dead_end.deal_id", "UPDATE dead_end SET deal_id = deal_id + 900", "its outcome is missing"
    ),
    Damage(
        "dead_end.solver_id",
        f"UPDATE dead_end SET solver_id = {GREEDY}",
        "there is a dead end, but",
    ),
    Damage("dead_end.ruleset_id", "UPDATE dead_end SET ruleset_id = 99", "its outcome is missing"),
    Damage("dead_end.kind", "UPDATE dead_end SET kind = 'magic'", "its block has the dead end"),
    Damage(
        "dead_end.witness", "UPDATE dead_end SET witness = 'KC'", "does not prove it a dead end"
    ),
    Damage("dead_end.witness of no card", "UPDATE dead_end SET witness = '1X'", "is not a card"),
    Damage("dead_end missing", "DELETE FROM dead_end", "its block has the dead end"),
    change("regret.deal_id", "999", f"deal_id = {LOST}", "its outcome is miss"),
    change("regret.solver_id", "99", f"deal_id = {LOST}", "its outcome is mi"),
    change("regret.ruleset_id", "99", f"deal_id = {LOST}", "its outcome is"),
    change("regret.kind", "'luck'", f"deal_id = {LOST}", "there is no kind 'luck'"),
    change("regret.kind of another", "'undecided'", f"deal_id = {MOVED}", "losing move is None"),
    change("regret.kind of none", "'unwinnable'", f"deal_id = {MOVED}", "has a losing move"),
    Damage(
        "regret.kind and step",
        f"UPDATE regret SET kind = 'undecided', step = NULL, action = NULL WHERE deal_id = {MOVED}",
        "seal: batch",
    ),
    change("regret.step", "999", f"deal_id = {MOVED}", "has no move after 999"),
    change("regret.step gone", "NULL", f"deal_id = {MOVED}", "move after None"),
    change("regret.action", "'jump'", f"deal_id = {MOVED}", "stored is jump"),
    change("regret.length", "1", f"deal_id = {LOST}", "stored is 1"),
    change("regret.moves", "x'ff'", f"deal_id = {LOST}", "moves are damaged"),
    change("regret.reference", "'nobody'", f"deal_id = {LOST}", "reference solver is unknown"),
    change("regret.reference of another", "'exact-plain'", f"deal_id = {LOST}", "seal: batch"),
    change("regret.reference_version", "99", f"deal_id = {LOST}", "v99, here"),
    change(
        "regret.reference_version earlier", "reference_version - 1", f"deal_id = {LOST}", "seal"
    ),
    change("regret.batch_id", "1", f"deal_id = {LOST}", "it was stored with"),
    Damage("regret missing", f"DELETE FROM regret WHERE deal_id = {LOST}", "it was stored with 13"),
]
