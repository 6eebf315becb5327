"""How fast one writer takes in outcomes, and how many bytes a deal takes.

    python benchmarks/keeping.py --deals 1000000 --keep everything
    python benchmarks/keeping.py --deals 100000000 --keep verdicts --database postgresql://…

Outcomes come from a stand-in for the solvers: real outcomes of `exact` on a few thousand deals, as
workers pack them, which are given to other seeds over and over. So the rows, solutions and classes
have the sizes of real ones, and only the writer is measured. With ``--real`` the deals are solved.
"""

import argparse
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sqlalchemy import text

from catalogue import store
from catalogue.blocks import KEEPS
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.packed import PackedChunk, pack
from catalogue.outcomes.writing import write_chunks
from catalogue.schema import BLOCK_SIZE
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from measuring.databases import database_bytes, new_postgresql
from solvers.solver import parse_solver

DEALER = "thoughtful-1"
# The first seed of a block.
FIRST = 30_000 * BLOCK_SIZE


def solved(ruleset: str, first: int, deals: int, keep: str) -> PackedChunk:
    """Real outcomes of `exact`, as a worker packs them."""
    rules, solver = parse_ruleset(ruleset), parse_solver("exact")
    cards = get_dealer(DEALER).deal_block(first, deals)
    outcomes = tuple(solver.solve(cards, rules))
    seeds = tuple(range(first, first + deals))
    return pack(Chunk(rules, DEALER, seeds, cards, ((SolverKey.of(solver), outcomes),)), keep)


def moved(chunk: PackedChunk, first: int) -> PackedChunk:
    """The outcomes of a chunk on other seeds, drawn at random with other digests.

    In another order each time: equal runs of values would compress too well.
    """
    drawn = np.random.default_rng(first).integers(chunk.deals, size=chunk.deals)
    (each,) = chunk.outcomes
    outcomes = replace(
        each,
        result=each.result[drawn],
        nodes=each.nodes[drawn],
        cpu_us=each.cpu_us[drawn],
        length=each.length[drawn],
        content=each.content[drawn],
        rowed=each.rowed[drawn],
        moves={k: each.moves[at] for k, at in enumerate(drawn.tolist()) if at in each.moves},
    )
    seeds = np.arange(first, first + chunk.deals, dtype=np.int64)
    fresh = np.random.default_rng(first).bytes(16 * chunk.deals)
    digests = [
        fresh[16 * at : 16 * at + 16] if rowed else b"" for at, rowed in enumerate(outcomes.rowed)
    ]
    return replace(chunk, seeds=seeds, digests=digests, outcomes=(outcomes,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0])
    parser.add_argument("--ruleset", default="klondike-draw1")
    parser.add_argument("--sample", type=int, default=8192, help="deals that are really solved")
    parser.add_argument("--batch", type=int, help="deals of a transaction")
    parser.add_argument("--real", action="store_true", help="solve every deal")
    parser.add_argument(
        "--database",
        help="the URL of an empty database, or postgresql for a new server (needs the tools for "
        "tests); by default a new SQLite file",
    )
    asked = parser.parse_args()
    batch = asked.batch or (8192 if asked.keep == KEEPS[0] else 65_536)
    with TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        url = asked.database or f"sqlite:///{Path(directory) / 'keeping.db'}"
        if url == "postgresql":
            url = stack.enter_context(new_postgresql())
        store.init(url)
        with store.open_catalogue(url) as cat:
            before = database_bytes(cat)
            made = solved(asked.ruleset, 1_000_000_000, asked.sample, asked.keep)
            copies = max(1, batch // asked.sample)
            busy = 0.0
            done = 0
            while done < asked.deals:
                if asked.real:
                    chunks = [solved(asked.ruleset, FIRST + done, batch, asked.keep)]
                else:
                    chunks = [moved(made, FIRST + done + k * asked.sample) for k in range(copies)]
                since = time.perf_counter()
                with cat.begin() as session:
                    write_chunks(session, chunks)
                busy += time.perf_counter() - since
                done += sum(chunk.deals for chunk in chunks)
            size = database_bytes(cat) - before
            print(
                f"{cat.engine.dialect.name}, {asked.keep}: {done:,} outcomes of {asked.ruleset}; "
                f"the writer takes in {done / busy:,.0f} a second; {size / done:.2f} bytes a deal"
            )
            _print_tables(cat, done)


def _print_tables(cat: store.Catalogue, deals: int) -> None:
    """Print the largest tables and indexes; those of PostgreSQL with the space of old versions."""
    query = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 8"
    if cat.engine.dialect.name == "postgresql":
        query = (
            "SELECT c.relname || coalesce(' of ' || t.relname, ''), pg_relation_size(c.oid) "
            "FROM pg_class c LEFT JOIN pg_class t ON t.reltoastrelid = c.oid "
            "ORDER BY 2 DESC LIMIT 8"
        )
    with cat.session() as session:
        rows = session.execute(text(query)).all()
    for name, size in rows:
        print(f"  {name:40} {size / deals:8.3f} bytes a deal")


if __name__ == "__main__":
    main()
