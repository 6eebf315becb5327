"""Moves of Spider in the sentences of the solvers of PySolFC.

A run of three cards from column 2 to column 6 is "Move 3 cards from stack 1 to stack 5", as
fc-solve writes it, with stacks counted from 0; a row is dealt by "Deal talon", the words of the
same author's Black Hole solver. A line or a semicolon ends a sentence.
"""

import re
from collections.abc import Iterable

from engine.errors import BadMove
from engine.game import Notation
from engine.replay import replay
from engine.spider.moves import DEAL, SpiderKind, SpiderMove, run
from engine.spider.referee import SpiderPosition

_SENTENCE = re.compile(
    r"(?P<deal>deal talon)"
    r"|move (?P<count>a|[1-9]|1[0-3]) cards?"
    r" from stack (?P<source>[0-9]) to stack (?P<target>[0-9])",
    re.IGNORECASE | re.ASCII,
)


def read_sentences(start: SpiderPosition, text: str) -> tuple[SpiderMove, ...]:
    """Read sentences, each on a line or before a semicolon.

    Raises:
        BadInput: a sentence is no move, or a move is illegal.
    """
    moves = []
    sentences = filter(None, map(str.strip, re.split(r"[\n;]", text)))
    for number, sentence in enumerate(sentences, start=1):
        found = _SENTENCE.fullmatch(" ".join(sentence.split()))
        if found is None:
            raise BadMove(
                f"move {number}: {sentence[:60]!r} is not a move of PySolFC: expected Deal talon, "
                "or a sentence such as 'Move 2 cards from stack 0 to stack 4', with stacks counted "
                "from 0"
            )
        if found["deal"]:
            moves.append(DEAL)
            continue
        if found["source"] == found["target"]:
            raise BadMove(
                f"move {number}: {sentence!r} is not a move: a run cannot move onto its own column"
            )
        count = 1 if found["count"].lower() == "a" else int(found["count"])
        moves.append(run(int(found["source"]), int(found["target"]), count))
    replay(start, moves)
    return tuple(moves)


def write_sentences(start: SpiderPosition, moves: Iterable[SpiderMove]) -> str:
    """Write moves as sentences, one a line; `read_sentences` is the inverse.

    Raises:
        BadInput: a move is illegal.
    """
    listed = list(moves)
    replay(start, listed)
    return "\n".join(
        "Deal talon"
        if move.kind is SpiderKind.DEAL
        else f"Move {move.cards} cards from stack {move.source} to stack {move.target}"
        for move in listed
    )


NOTATIONS = (
    Notation(
        "pysolfc",
        "sentences of the solvers of PySolFC",
        read_sentences,
        write_sentences,
        lambda text: re.match(r"\s*(move|deal)\s+\w", text, re.IGNORECASE) is not None,
        separator="\n",
    ),
)
