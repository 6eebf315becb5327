"""The question of a request: a ruleset, and the position that its text and moves lead to."""

import re
import warnings
from typing import Any

from catalogue.asking import Question, Subject
from catalogue.database import answering
from catalogue.reading.deal_detail import deal_detail
from dashboard.http_api.stored import needed
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput, Renamed
from engine.game import Rules
from engine.games import game_of
from engine.intake import EntryReader, ReadEntry, read_one
from engine.notations import read_moves
from engine.rulesets import parse_ruleset
from engine.text.normal import heading_of

# Moves made from the start.
MOVES_MOST = 5_000
# Brackets within brackets; a position has three.
_DEEPEST = 16

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')


def question(
    text: str,
    ruleset: str,
    line: str = "",
    form: str | None = None,
    *,
    named: bool = True,
    about: Subject = "solution",
) -> Question:
    """Read what is asked about.

    Args:
        text: the name of a deal, its digest in the catalogue, or a deal or position in any form.
        ruleset: slug of the ruleset.
        line: moves made from there.
        form: the form of the text; None to detect it.
        named: whether the request names the ruleset, so that the text may not state another.
        about: the subject.

    Raises:
        BadInput: the text is none of these, or a move is none or illegal.
        Problem: a digest is asked for, and there is no catalogue.
    """
    _check_depth(text)
    with warnings.catch_warnings():
        # Former names still work; who reads the log has no use for the remark.
        warnings.simplefilter("ignore", Renamed)
        rules = parse_ruleset(ruleset)
    stripped = text.strip()
    if not stripped:
        raise BadInput(
            "there is no text: expected the name of a deal, its cards, or a position, in the "
            'parameter "deal" or as the body of a POST request'
        )
    if form is None and _DIGEST.fullmatch(stripped):
        entry = _of_catalogue(stripped, rules)
    else:
        if form is None and _WORD.fullmatch(stripped):
            parse_deal_id(stripped)  # its error says what a name looks like
        entry = _entry(text, EntryReader(rules, form, asked=named))
    moves = read_moves(line, entry.position) if line.strip() else ()
    if len(moves) > MOVES_MOST:
        raise BadInput(f"the line has {len(moves):,} moves: {MOVES_MOST:,} at most")
    return Question.of(entry, moves, about)


def heading(asked: Question) -> dict[str, Any]:
    """The deal that a question is about, if it is one, and the ruleset."""
    deal = asked.deal if asked.is_deal else None
    return {
        "deal": asked.name if asked.is_deal else None,
        "digest": None if deal is None else deal.digest,
        "rules": asked.rules.slug,
    }


def _entry(text: str, reader: EntryReader) -> ReadEntry:
    try:
        return read_one(text, reader)
    except BadInput:
        if "\n" in text.strip() or heading_of(text) is None:
            raise
        raise BadInput(
            "this board is one line: expected one for each of its columns (curl keeps line ends "
            "with --data-binary @FILE, and takes them away with -d)"
        ) from None


def _of_catalogue(digest: str, rules: Rules) -> ReadEntry:
    game = game_of(rules)
    cat = needed()
    with answering():
        detail = deal_detail(cat, digest, game, quick_seconds=0)
    if detail.game != game:
        raise BadInput(f"{digest} is a deal of {detail.game.name}: expected one of {game.name}")
    return ReadEntry(1, detail.deal, detail.cards, detail.dealer, detail.seed, rules)


def _check_depth(text: str) -> None:
    """Refuse JSON that is nested deeper than that of any position, before it is read."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    depth = 0
    for sign in re.findall(r"[][{}]", _QUOTED.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > _DEEPEST:
            raise BadInput(f"the JSON is nested more than {_DEEPEST} deep")
