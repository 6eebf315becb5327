"""A chunk as columns, the form in which it travels from a worker to the writer.

Packing is done on the workers: what is left for the one writer of a catalogue is to store rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from catalogue.blocks import EVERYTHING, GAVE_UP, PROVED, RESULT_CODES, VERDICTS, WON
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.compression import compress
from catalogue.outcomes.provenance import Provenance, this_provenance
from catalogue.outcomes.seals import content_of
from catalogue.schema import IMPORTED
from engine.cards import card_name
from engine.game import Game, Rules
from engine.games import game_of
from solvers.outcome import Outcome

# What took longer is kept with its solution in any case.
SLOW_US = 1_000_000


@dataclass(frozen=True, slots=True)
class PackedOutcomes:
    """The outcomes of one solver on k of the n deals of a chunk.

    Attributes:
        solver: the solver.
        at: int64[k], places of the deals in the chunk, ascending.
        result: uint8[k], codes of `catalogue.blocks.RESULT_CODES`; 0 where the deal was skipped,
            as its outcome follows from those under other rulesets.
        nodes: int64[k].
        cpu_us: int64[k], microseconds of CPU time; −1 where it was not timed.
        length: int64[k], moves of the solution; 0 for none.
        content: int64[k], checksum of what is stored beside the outcome (`seals.content_of`).
        moves: the solutions, compressed, by place in these columns.
        dead_ends: kind and witness of a dead end, by place in these columns.
        rowed: bool[k], whether the outcome gets a row of its own.
    """

    solver: SolverKey
    at: NDArray[np.int64]
    result: NDArray[np.uint8]
    nodes: NDArray[np.int64]
    cpu_us: NDArray[np.int64]
    length: NDArray[np.int64]
    content: NDArray[np.int64]
    moves: dict[int, bytes]
    dead_ends: dict[int, tuple[str, str]]
    rowed: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PackedChunk:
    """Outcomes of solvers on n deals of one dealer, or on imported deals, as columns.

    Attributes:
        rules: the ruleset.
        dealer: slug of the dealer; None for imported deals that have no number yet.
        seeds: int64[n]; empty without a dealer.
        digests: 16 bytes for each deal with an outcome that gets a row, otherwise none.
        cards: of imported deals, flat order, one byte per card; otherwise empty.
        outcomes: for each solver its outcomes.
        provenance: who made them.
    """

    rules: Rules
    dealer: str | None
    seeds: NDArray[np.int64]
    digests: list[bytes]
    cards: list[bytes]
    outcomes: tuple[PackedOutcomes, ...]
    provenance: Provenance

    @property
    def game(self) -> Game:
        """The game of the deals."""
        return game_of(self.rules)

    @property
    def dealing(self) -> tuple[str, str]:
        """The slug of the game, and that of the dealer, or `IMPORTED`."""
        return self.game.slug, self.dealer or IMPORTED

    @property
    def deals(self) -> int:
        """The number of deals."""
        return len(self.digests)

    def deal_name(self, at: int) -> str:
        """Name of a deal: ``thoughtful-1:42``, or its digest if it is imported."""
        return self.digests[at].hex() if self.cards else f"{self.dealer}:{self.seeds[at]}"


def pack(chunk: Chunk, keep: str = EVERYTHING) -> PackedChunk:
    """Pack a chunk, whose wins the referee has replayed when it was made.

    With `keep` *verdicts*, only those outcomes of the deals of a dealer get rows of their own that
    took longer than `SLOW_US`, or in which a solver that decides deals did not decide one.
    """
    outcomes = tuple(
        _pack(chunk.game, solver, outcomes, keep if chunk.dealer is not None else EVERYTHING)
        for solver, outcomes in chunk.outcomes
    )
    rowed = np.full(len(chunk.cards), chunk.dealer is None)
    for each in outcomes:
        rowed[each.at[each.rowed]] = True
    return PackedChunk(
        chunk.rules,
        chunk.dealer,
        np.array(chunk.seeds, dtype=np.int64),
        [
            sha256(cards.tobytes()).digest()[:16] if has_row else b""
            for cards, has_row in zip(chunk.cards, rowed, strict=True)
        ],
        [] if chunk.dealer is not None else [cards.tobytes() for cards in chunk.cards],
        outcomes,
        this_provenance(),
    )


def _pack(
    game: Game, solver: SolverKey, outcomes: Sequence[Outcome | None], keep: str
) -> PackedOutcomes:
    at = [place for place, outcome in enumerate(outcomes) if outcome is not None]
    found = [outcome for outcome in outcomes if outcome is not None]
    result = np.array([RESULT_CODES[outcome.result] for outcome in found], dtype=np.uint8)
    cpu_us = np.array(
        [-1 if o.cpu_ms is None else round(1000 * o.cpu_ms) for o in found], dtype=np.int64
    )
    rowed = np.ones(len(found), dtype=np.bool_)
    if keep == VERDICTS:
        rowed = (cpu_us > SLOW_US) | (solver.decides & (result == GAVE_UP))
    length = np.zeros(len(found), dtype=np.int64)
    content = np.full(len(found), -1, dtype=np.int64)
    moves: dict[int, bytes] = {}
    dead_ends: dict[int, tuple[str, str]] = {}
    for place in np.flatnonzero(result == WON).tolist():
        packed = bytes(found[place].moves or b"")
        length[place] = game.length(packed)
        if rowed[place]:
            moves[place] = compress(game.slug, packed)
            content[place] = content_of(moves[place], None)
    for place in np.flatnonzero(result == PROVED).tolist():
        dead_end = found[place].dead_end
        if dead_end is not None:
            witness = " ".join(card_name(card) for card in dead_end.witness)
            dead_ends[place] = (dead_end.kind, witness)
            content[place] = content_of(None, dead_ends[place])
    return PackedOutcomes(
        solver,
        np.array(at, dtype=np.int64),
        result,
        np.array([outcome.nodes for outcome in found], dtype=np.int64),
        cpu_us,
        length,
        content,
        moves,
        dead_ends,
        rowed,
    )


def skipped(rules: Rules, dealer: str, solver: SolverKey, seeds: NDArray[np.int64]) -> PackedChunk:
    """A chunk of deals, with ascending seeds, that a solver skipped."""
    count = len(seeds)
    numbers, none = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    result, rowed = np.zeros(count, np.uint8), np.zeros(count, np.bool_)
    at = np.arange(count, dtype=np.int64)
    outcomes = PackedOutcomes(solver, at, result, none, none, numbers, none, {}, {}, rowed)
    return PackedChunk(rules, dealer, seeds, [b""] * count, [], (outcomes,), this_provenance())


def join(chunks: Sequence[PackedChunk]) -> list[PackedChunk]:
    """Join chunks of one origin, so that each block of seeds is written once for all of them."""
    groups: dict[tuple[Rules, str | None, Provenance], list[PackedChunk]] = {}
    for chunk in chunks:
        groups.setdefault((chunk.rules, chunk.dealer, chunk.provenance), []).append(chunk)
    return [_joined(group) if len(group) > 1 else group[0] for group in groups.values()]


def _joined(chunks: Sequence[PackedChunk]) -> PackedChunk:
    parts: dict[SolverKey, list[tuple[int, PackedOutcomes]]] = {}
    start = 0
    for chunk in chunks:
        for each in chunk.outcomes:
            parts.setdefault(each.solver, []).append((start, each))
        start += chunk.deals
    return PackedChunk(
        chunks[0].rules,
        chunks[0].dealer,
        np.concatenate([chunk.seeds for chunk in chunks]),
        [digest for chunk in chunks for digest in chunk.digests],
        [cards for chunk in chunks for cards in chunk.cards],
        tuple(_joined_outcomes(solver, mine) for solver, mine in parts.items()),
        chunks[0].provenance,
    )


def _joined_outcomes(
    solver: SolverKey, parts: Sequence[tuple[int, PackedOutcomes]]
) -> PackedOutcomes:
    moves: dict[int, bytes] = {}
    dead_ends: dict[int, tuple[str, str]] = {}
    place = 0
    for _, part in parts:
        moves |= {place + at: packed for at, packed in part.moves.items()}
        dead_ends |= {place + at: found for at, found in part.dead_ends.items()}
        place += len(part.at)
    each = [part for _, part in parts]
    return PackedOutcomes(
        solver,
        np.concatenate([start + part.at for start, part in parts]),
        np.concatenate([part.result for part in each]),
        np.concatenate([part.nodes for part in each]),
        np.concatenate([part.cpu_us for part in each]),
        np.concatenate([part.length for part in each]),
        np.concatenate([part.content for part in each]),
        moves,
        dead_ends,
        np.concatenate([part.rowed for part in each]),
    )
