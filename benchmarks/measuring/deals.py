"""Deals of a benchmark with their known verdicts, from a sample or from a file."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.klondike.deal import KlondikeDeal

VERDICTS = ("winnable", "unwinnable")


@dataclass(frozen=True, slots=True)
class Deals:
    """n deals.

    Attributes:
        name: the sample or the file.
        cards: flat order, uint8[n, 52].
        verdicts: ``winnable``, ``unwinnable``, or an empty string if unknown.
        reference_nodes: number of nodes that another solver needed, 0 if unknown.
    """

    name: str
    cards: NDArray[np.uint8]
    verdicts: NDArray[np.str_]
    reference_nodes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cards)


def of_sample(text: str) -> Deals:
    """The deals of a sample such as ``thoughtful-1:0-1999``.

    Raises:
        BadInput: the text is not a sample.
    """
    sample = parse_sample(text)
    cards = get_dealer(sample.dealer).deal_block(sample.first, sample.count)
    unknown = np.full(len(cards), "", dtype="<U10")
    return Deals(text, cards, unknown, np.zeros(len(cards), dtype=np.int64))


def of_file(path: Path) -> Deals:
    """The deals of a file of JSON lines, gzipped or not.

    Raises:
        BadInput: the file cannot be read, has no deal, or a line of it is wrong.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"cannot read {path}: there is no such file") from None
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as JSON lines: {error}") from None
    cards, verdicts, nodes = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            cards.append(KlondikeDeal.from_json(row).cards)
        except ValueError as error:
            raise BadInput(f"{path}, line {number}: {error}") from None
        verdict = row.get("verdict")
        if verdict is not None and verdict not in VERDICTS:
            raise BadInput(
                f"{path}, line {number}: {verdict!r} is not a verdict: "
                f"expected {' or '.join(VERDICTS)}"
            )
        needed = row.get("reference_nodes", 0)
        if not isinstance(needed, int) or needed < 0:
            raise BadInput(
                f"{path}, line {number}: reference_nodes {needed!r} is not a number of nodes"
            )
        verdicts.append(verdict or "")
        nodes.append(needed)
    if not cards:
        raise BadInput(f"{path} has no deals")
    return Deals(
        str(path),
        np.array(cards, dtype=np.uint8),
        np.array(verdicts, dtype="<U10"),
        np.array(nodes, dtype=np.int64),
    )
