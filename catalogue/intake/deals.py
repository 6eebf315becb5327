"""Bringing deals of a file into the catalogue, in transactions of some thousands."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from catalogue.outcomes.names import check_seed
from catalogue.outcomes.packed import PackedChunk
from catalogue.outcomes.provenance import this_provenance
from catalogue.outcomes.writing import write_deals
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.intake import ReadEntry, WrongEntry

# Deals of one transaction.
BATCH = 4_000


@dataclass(slots=True)
class ImportCounts:
    """How many entries were read.

    Attributes:
        read: all of them.
        kept: those that are in the catalogue now.
        new: those of them that were not there before.
        wrong: those that could not be read.
    """

    read: int = 0
    kept: int = 0
    new: int = 0
    wrong: int = 0


def import_deals(
    catalogue: Catalogue,
    entries: Iterable[ReadEntry | WrongEntry],
    rules: Rules,
    *,
    on_wrong: Callable[[WrongEntry], None] = lambda _: None,
    on_batch: Callable[[int, ImportCounts], None] = lambda _line, _counts: None,
) -> ImportCounts:
    """Bring deals into the catalogue; memory does not grow with their number.

    A deal that names its dealer and its seed is stored under that name, any other under the digest
    of its cards. Deals that are there are left as they are. What is wrong does not keep the rest
    from being stored.

    Args:
        catalogue: the catalogue.
        entries: deals and wrong entries.
        rules: a ruleset of the game of the deals.
        on_wrong: is told of each wrong entry.
        on_batch: is told the line reached and the counts after each transaction.

    Raises:
        BadInput: the catalogue may not be written to.
    """
    counts = ImportCounts()
    for batch in batches(entries, BATCH):
        good = []
        for entry in batch:
            counts.read += 1
            problem = entry if isinstance(entry, WrongEntry) else unstorable(entry, rules)
            if problem is not None:
                counts.wrong += 1
                on_wrong(problem)
            elif isinstance(entry, ReadEntry):
                good.append(entry)
        if good:
            with catalogue.begin() as session:
                counts.new += write_deals(session, _chunks(good, rules))
        counts.kept += len(good)
        on_batch(batch[-1].line, counts)
    return counts


def batches(
    entries: Iterable[ReadEntry | WrongEntry], size: int
) -> Iterator[list[ReadEntry | WrongEntry]]:
    """The entries in lists of at most a number of them."""
    batch: list[ReadEntry | WrongEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def unstorable(given: ReadEntry, rules: Rules) -> WrongEntry | None:
    """Why a deal cannot be stored beside those of a ruleset; None if it can."""
    try:
        if given.rules.game != rules.game:
            raise BadInput(f"this is under {given.rules}: expected a deal of {game_of(rules).name}")
        if given.deal is None:
            raise BadInput("this is a position in mid-game: expected a starting deal")
        if given.seed is not None:
            check_seed(given.seed)
    except BadInput as error:
        return WrongEntry(given.line, str(error), str(given.id)[:80])
    return None


def by_dealer(deals: Iterable[ReadEntry]) -> Iterator[tuple[str | None, list[ReadEntry]]]:
    """The deals of each dealer, and those without one, each deal once."""
    found: dict[str | None, dict[object, ReadEntry]] = {}
    for given in deals:
        assert given.deal is not None
        key = given.seed if given.dealer is not None else given.deal.cards
        found.setdefault(given.dealer, {}).setdefault(key, given)
    for dealer, own in found.items():
        yield dealer, list(own.values())


def _chunks(deals: Iterable[ReadEntry], rules: Rules) -> list[PackedChunk]:
    chunks = []
    for dealer, own in by_dealer(deals):
        listed = [given.deal for given in own if given.deal is not None]
        seeds = [given.seed for given in own if given.seed is not None]
        chunks.append(
            PackedChunk(
                rules,
                dealer,
                np.array(seeds, dtype=np.int64),
                [bytes.fromhex(deal.digest) for deal in listed],
                [] if dealer is not None else [bytes(deal.cards) for deal in listed],
                (),
                this_provenance(),
            )
        )
    return chunks
