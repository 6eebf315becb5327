"""Writing outcomes and the tables derived from them; nothing else writes these tables.

`write_chunks` adds the missing outcomes of chunks, whose wins the referee has replayed, and brings
the blocks of seeds and their statuses up to date in the same transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count as counting

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue import blocks, schema
from catalogue.blocks import EVERYTHING, RESULTS
from catalogue.outcomes import ledger
from catalogue.outcomes.block_rows import Block, Blocks, stripe_of
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.names import (
    add_batch,
    check_seed,
    ensure_dealing,
    ensure_provenance,
    ensure_ruleset,
    ensure_solver,
)
from catalogue.outcomes.packed import PackedChunk, PackedOutcomes, pack
from catalogue.outcomes.provenance import Provenance
from catalogue.outcomes.rows import among, insert_rows, new_ids
from catalogue.outcomes.seals import add_up, seal_of_outcomes
from catalogue.schema import BLOCK_SIZE, IMPORTED
from catalogue.store import lock
from engine.errors import BadInput
from engine.game import Rules

# Outcomes to be rows: id of the solver, its columns, places in them, ids of deals.
_OutcomeRows = tuple[int, PackedOutcomes, NDArray[np.int64], NDArray[np.int64]]


class OtherCards(BadInput):
    """A deal is stored under the same dealer and seed with other cards."""


class OtherOutcome(BadInput):
    """A solver's outcome is not the one that its block has of the same version."""


@dataclass(frozen=True, slots=True)
class Written:
    """The numbers of deals and outcomes that `write_chunks` added.

    A deal is counted if it had no row before, an outcome whether or not it has a row.
    """

    deals: int
    outcomes: int


def write_chunk(session: Session, chunk: Chunk | PackedChunk, keep: str = EVERYTHING) -> Written:
    """`write_chunks` for a single chunk."""
    return write_chunks(session, [chunk], keep)


def write_chunks(
    session: Session, chunks: Sequence[Chunk | PackedChunk], keep: str = EVERYTHING
) -> Written:
    """Add the missing outcomes of chunks, and update blocks and statuses.

    Call it inside `Catalogue.begin`, once per transaction. Existing outcomes are not changed, so
    writing a chunk twice, or overlapping chunks from two processes at once, is harmless. An outcome
    without a row gets its row if it is written to have one.

    Args:
        session: of a writing transaction.
        chunks: the outcomes.
        keep: what is kept of chunks that are not packed yet, one of `catalogue.blocks.KEEPS`.

    Raises:
        OtherCards: a dealer and seed of a chunk are stored with other cards.
        OtherOutcome: an outcome contradicts what a block has of the same solver.
        BadInput: a seed is too large to be stored.
    """
    for chunk in chunks:
        if isinstance(chunk, Chunk):
            for seed in chunk.seeds:
                check_seed(seed)
    packed = [pack(chunk, keep) if isinstance(chunk, Chunk) else chunk for chunk in chunks]
    # Sorted: locks are taken in the same order by every process, which prevents deadlocks.
    ids = _Ids(
        {
            rules: ensure_ruleset(session, rules)
            for rules in sorted({chunk.rules for chunk in packed}, key=str)
        },
        {key: ensure_dealing(session, *key) for key in sorted({chunk.dealing for chunk in packed})},
        {
            solver: ensure_solver(session, solver)
            for solver in sorted(
                {each.solver for chunk in packed for each in chunk.outcomes},
                key=lambda s: (s.name, s.version),
            )
        },
        {
            provenance: ensure_provenance(session, provenance)
            for provenance in sorted({chunk.provenance for chunk in packed}, key=str)
        },
    )
    for stripe in sorted({stripe for chunk in packed for stripe in _stripes(chunk)}):
        lock(session, stripe)
    # A block is stored once, however many chunks of the transaction lie in it.
    together: dict[tuple[int, int], Blocks] = {}
    written = []
    for each in packed:
        dealing_id = ids.dealings[each.dealing]
        chunk = _numbered(session, each, dealing_id)
        key = ids.rulesets[chunk.rules], dealing_id
        stored = together.setdefault(key, Blocks(session, *key))
        written.append(_Writer(session, chunk, ids, stored).write())
    for stored in together.values():
        stored.store()
    return Written(sum(w.deals for w in written), sum(w.outcomes for w in written))


def write_deals(session: Session, chunks: Sequence[PackedChunk]) -> int:
    """Add the missing deals of chunks, whose digests are all given, and none of their outcomes.

    Call it as `write_chunks`.

    Returns:
        The number of new deals.

    Raises:
        OtherCards: a dealer and seed of a chunk are stored with other cards.
        BadInput: a seed is too large to be stored.
    """
    dealings = {
        key: ensure_dealing(session, *key) for key in sorted({chunk.dealing for chunk in chunks})
    }
    for stripe in sorted({stripe for chunk in chunks for stripe in _stripes(chunk)}):
        lock(session, stripe)
    added = 0
    for chunk in chunks:
        dealing_id = dealings[chunk.dealing]
        numbered = _numbered(session, chunk, dealing_id)
        added += _add_deals(session, numbered, dealing_id, np.arange(chunk.deals))[1]
    return added


@dataclass(frozen=True, slots=True)
class _Ids:
    """The ids of the rows that chunks refer to."""

    rulesets: dict[Rules, int]
    dealings: dict[tuple[str, str], int]
    solvers: dict[SolverKey, int]
    provenances: dict[Provenance, int]


class _Writer:
    """The writing of one chunk."""

    def __init__(self, session: Session, chunk: PackedChunk, ids: _Ids, together: Blocks) -> None:
        self.session = session
        self.chunk = chunk
        self.blocks = together
        self.ruleset_id = ids.rulesets[chunk.rules]
        self.dealing_id = together.dealing_id
        self.provenance_id = ids.provenances[chunk.provenance]
        self.solver_ids = [ids.solvers[each.solver] for each in chunk.outcomes]

    def write(self) -> Written:
        self.blocks.load({int(block) for block in np.unique(self.chunk.seeds // BLOCK_SIZE)})
        added = 0
        rows: list[tuple[int, PackedOutcomes, NDArray[np.int64]]] = []
        for solver_id, each in zip(self.solver_ids, self.chunk.outcomes, strict=True):
            new, rowed = self._merge(solver_id, each)
            added += new
            if len(rowed):
                rows.append((solver_id, each, rowed))
        return Written(self._write_rows(rows), added)

    def _merge(self, solver_id: int, each: PackedOutcomes) -> tuple[int, NDArray[np.int64]]:
        """Add a solver's outcomes to its blocks.

        Returns the number of outcomes that are new, and the places, in the solver's columns, of
        those to be stored as rows.
        """
        seeds = self.chunk.seeds[each.at]
        # A seed that stands twice in a chunk counts once.
        _, places = np.unique(seeds, return_index=True)
        added = 0
        rowed: list[NDArray[np.int64]] = []
        numbers = seeds[places] // BLOCK_SIZE
        cuts = np.flatnonzero(np.diff(numbers)) + 1
        for group in np.split(places, cuts) if len(places) else []:
            number = int(seeds[group[0]] // BLOCK_SIZE)
            block = self.blocks.of(number, solver_id)
            inside = seeds[group] - number * BLOCK_SIZE
            mine = block.outcomes.widened(int(inside[0]), int(inside[-1]) + 1)
            at = inside - mine.first
            skips = each.result[group] == 0
            known, has_row = (mine.result[at] > 0) | (skips & mine.skipped[at]), mine.rowed[at]
            fresh, rows = ~known, ~has_row & each.rowed[group]
            kept = known & rows
            if not (fresh.any() or rows.any()):
                continue
            self._check_same(each, group[kept], mine, at[kept])
            kinds = np.array(
                [
                    mine.code_of(each.dead_ends[p][0] if p in each.dead_ends else None)
                    for p in group.tolist()
                ],
                dtype=np.uint8,
            )
            changed = fresh | rows
            put, where = group[changed], at[changed]
            mine.result[where] = each.result[put]
            mine.nodes[where] = each.nodes[put]
            mine.length[where] = each.length[put]
            mine.dead_end[where] = kinds[changed]
            mine.cpu_us[where] = each.cpu_us[put]
            mine.skipped[where] = skips[changed]
            mine.rowed[at[rows]] = True
            block.outcomes = mine
            block.nodes += int(np.maximum(each.nodes[group[fresh]], 0).sum())
            block.cpu_us += int(np.maximum(each.cpu_us[group[fresh]], 0).sum())
            block.changed = True
            fresh &= ~skips
            if (fresh | rows).any():
                self._note_provenance(block, seeds[group[fresh | rows]])
            added += int(fresh.sum())
            rowed.append(group[rows])
        return added, np.concatenate(rowed) if rowed else np.zeros(0, np.int64)

    def _check_same(
        self,
        each: PackedOutcomes,
        places: NDArray[np.int64],
        mine: blocks.Outcomes,
        at: NDArray[np.int64],
    ) -> None:
        """Raise OtherOutcome where an outcome differs from what is known of the same solver's."""
        nodes, length = mine.nodes[at], mine.length[at]
        different = (
            (each.result[places] != mine.result[at])
            | ((nodes >= 0) & (nodes != each.nodes[places]))
            | ((length > 0) & (length != each.length[places]))
        )
        for k in np.flatnonzero(different):
            place = places[k]
            name = self.chunk.deal_name(each.at[place])
            raise OtherOutcome(
                f"{each.solver.name} version {each.solver.version} finds {name}"
                f" {RESULTS[each.result[place] - 1]} with {each.nodes[place]} nodes and "
                f"{each.length[place]} moves, but its block has "
                f"{RESULTS[mine.result[at[k]] - 1]} with {nodes[k]} nodes and {length[k]} moves"
            )

    def _note_provenance(self, block: Block, seeds: NDArray[np.int64]) -> None:
        """Note who made the outcomes of some seeds of a block, and when.

        Seeds that one made after the other are noted together, with the last moment.
        """
        low, high = int(seeds[0]), int(seeds[-1]) + 1
        inside = range(low, high + 1) if len(seeds) == high - low else range(0)
        others = []
        for first, count, provenance_id, moment in block.provenance:
            if first in inside and first + count in inside:
                continue  # all of these were made again
            if provenance_id == self.provenance_id and (first + count == low or first == high):
                low, high = min(first, low), max(first + count, high)
            else:
                others.append([first, count, provenance_id, moment])
        now = datetime.now(UTC).isoformat(timespec="seconds")
        block.provenance = [*others, [low, high - low, self.provenance_id, now]]

    def _write_rows(self, rows: Sequence[tuple[int, PackedOutcomes, NDArray[np.int64]]]) -> int:
        """Add the rows of outcomes, with their deals; return the number of new deals."""
        # Those with no new row, too: their cards must be the same.
        wanted = [at for at, digest in enumerate(self.chunk.digests) if digest]
        deal_ids, new = _add_deals(
            self.session, self.chunk, self.dealing_id, np.array(wanted, dtype=np.int64)
        )
        if rows:
            self._write_outcomes([(s, e, p, deal_ids[e.at[p]]) for s, e, p in rows])
        return new

    def _write_outcomes(self, rows: Sequence[_OutcomeRows]) -> None:
        """Add rows, in a new batch."""
        ruleset_id = self.ruleset_id
        total = sum(len(places) for _, _, places, _ in rows)
        batch_id = add_batch(self.session, self.provenance_id, total, self._seal(rows))
        for solver_id, each, places, deals in rows:
            order = np.argsort(deals, kind="stable")
            ids, at = deals[order].tolist(), places[order]
            insert_rows(
                self.session,
                schema.OutcomeRow,
                ("ruleset_id", "solver_id", "deal_id", "result", "nodes", "cpu_us", "batch_id"),
                [
                    (
                        ruleset_id,
                        solver_id,
                        deal_id,
                        RESULTS[result - 1],
                        nodes,
                        None if cpu_us < 0 else cpu_us,
                        batch_id,
                    )
                    for deal_id, result, nodes, cpu_us in zip(
                        ids,
                        each.result[at].tolist(),
                        each.nodes[at].tolist(),
                        each.cpu_us[at].tolist(),
                        strict=True,
                    )
                ],
            )
            insert_rows(
                self.session,
                schema.SolutionRow,
                ("ruleset_id", "solver_id", "deal_id", "length", "moves"),
                [
                    (ruleset_id, solver_id, deal_id, length, each.moves[place])
                    for deal_id, place, length in zip(
                        ids, at.tolist(), each.length[at].tolist(), strict=True
                    )
                    if place in each.moves
                ],
            )
            insert_rows(
                self.session,
                schema.DeadEndRow,
                ("ruleset_id", "solver_id", "deal_id", "kind", "witness"),
                [
                    (ruleset_id, solver_id, deal_id, *each.dead_ends[place])
                    for deal_id, place in zip(ids, at.tolist(), strict=True)
                    if place in each.dead_ends
                ],
            )

    def _seal(self, rows: Sequence[_OutcomeRows]) -> int:
        """The sum of the seals of rows."""
        seals = []
        for solver_id, each, places, deals in rows:
            key = np.stack(
                [np.full(len(places), self.ruleset_id), np.full(len(places), solver_id), deals],
                axis=1,
            )
            shares = seal_of_outcomes(
                key,
                [self.chunk.digests[at] for at in each.at[places].tolist()],
                each.result[places],
                each.nodes[places],
                each.cpu_us[places],
                each.content[places],
            )
            seals.append(int(shares.sum(dtype=np.uint64)))
        return add_up(seals)


def _numbered(session: Session, chunk: PackedChunk, dealing_id: int) -> PackedChunk:
    """A chunk whose deals have seeds: new ones that are imported get those after the last one.

    The lock of their dealing is held, so nobody else numbers deals meanwhile.
    """
    if chunk.dealer is not None:
        return chunk
    row = schema.DealRow
    mine = row.dealing_id == dealing_id
    last = session.scalar(select(func.max(row.seed)).where(mine))
    seeds = {
        digest: seed
        for condition in among(row.digest, set(chunk.digests))
        for digest, seed in session.execute(select(row.digest, row.seed).where(mine, condition))
    }
    following = counting(0 if last is None else last + 1)
    for digest in chunk.digests:
        if digest not in seeds:
            seeds[digest] = next(following)
    numbers = np.array([seeds[digest] for digest in chunk.digests], np.int64)
    return replace(chunk, dealer=IMPORTED, seeds=numbers)


def _add_deals(
    session: Session, chunk: PackedChunk, dealing_id: int, wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """Add missing deals.

    Returns int64[n], the id of each deal of the chunk (0 where it is not among the wanted
    places), and the number of new deals.
    """
    seeds = chunk.seeds[wanted].tolist()
    row = schema.DealRow
    query = select(row.seed, row.id, row.digest).where(row.dealing_id == dealing_id)
    stored = {
        seed: (deal_id, digest)
        for condition in among(row.seed, set(seeds))
        for seed, deal_id, digest in session.execute(query.where(condition))
    }
    missing: dict[int, int] = {}
    for at, seed in zip(wanted.tolist(), seeds, strict=True):
        digest = chunk.digests[at]
        found = stored[seed][1] if seed in stored else None
        if found is None:
            found = chunk.digests[missing.setdefault(seed, at)]
        if found != digest:
            raise OtherCards(
                f"the deal {chunk.deal_name(at)} is in the catalogue with other cards: "
                f"its digest there is {found.hex()}, here it is {digest.hex()}"
            )
    if missing:
        ids = new_ids(session, row, len(missing))
        cards = chunk.cards or None
        added = [
            (deal_id, dealing_id, seed, chunk.digests[at], cards[at] if cards else None)
            for deal_id, (seed, at) in zip(ids, missing.items(), strict=True)
        ]
        insert_rows(session, row, ("id", "dealing_id", "seed", "digest", "cards"), added)
        for deal_id, _, seed, digest, _ in added:
            stored[seed] = (deal_id, digest)
            if cards:
                entry = {"id": deal_id, "dealing_id": dealing_id, "digest": digest}
                ledger.add(session, "deal", entry)
    deal_ids = np.zeros(chunk.deals, dtype=np.int64)
    deal_ids[wanted] = [stored[seed][0] for seed in seeds]
    return deal_ids, len(missing)


def _stripes(chunk: PackedChunk) -> set[int]:
    """The advisory locks of the chunk's deals; of imported ones, which have no seeds yet, one."""
    numbers = np.unique(chunk.seeds // BLOCK_SIZE).tolist()
    return {stripe_of(chunk.dealing[1], number) for number in numbers or [0]}
