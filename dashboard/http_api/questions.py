"""The question of a request: a ruleset, and the position that its text and moves lead to."""

import hashlib
import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from catalogue.asking import Origin
from catalogue.reading.deal_detail import deal_detail
from dashboard.http_api.stored import needed
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput, Renamed
from engine.game import Deal, Move, Position, Rules
from engine.games import game_of
from engine.intake import EntryReader, ReadEntry, read_one
from engine.notations import read_moves
from engine.replay import replay
from engine.rulesets import parse_ruleset
from engine.text.normal import heading_of

# Moves made from the start.
MOVES_MOST = 5_000
# Brackets within brackets; a position has three.
_DEEPEST = 16

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')


@dataclass(frozen=True, slots=True)
class PositionQuestion:
    """A position under a ruleset, and where it comes from.

    Attributes:
        text: the deal or position as it was given.
        line: the moves made from there, as they were given.
        form: the form of the text, if one was given.
        rules: the ruleset.
        name: the deal's name, if it has one and no move was made.
        deal: the deal, if the position is its start.
        position: the position.
        origin: the deal that it was reached from, if it is known.
    """

    text: str
    line: str
    form: str | None
    rules: Rules
    name: str | None
    deal: Deal | None
    position: Position
    origin: Origin | None = None

    @property
    def digest(self) -> str | None:
        """Of the deal."""
        return None if self.deal is None else self.deal.digest

    def key(self, *more: object) -> str:
        """The same for equal positions of equal names under equal rules, and for nothing else."""
        where = self.digest or json.dumps(self.position.to_json(), sort_keys=True)
        words = json.dumps([where, self.name, self.rules.slug, *map(str, more)])
        return hashlib.blake2b(words.encode(), digest_size=12).hexdigest()


def question(
    text: str, ruleset: str, line: str = "", form: str | None = None, *, named: bool = True
) -> PositionQuestion:
    """Read what is asked about.

    Args:
        text: the name of a deal, its digest in the catalogue, or a deal or position in any form.
        ruleset: slug of the ruleset.
        line: moves made from there.
        form: the form of the text; None to detect it.
        named: whether the request names the ruleset, so that the text may not state another.

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
    deal: Deal | None
    if not stripped:
        raise BadInput(
            "there is no text: expected the name of a deal, its cards, or a position, in the "
            'parameter "deal" or as the body of a POST request'
        )
    if form is None and _DIGEST.fullmatch(stripped):
        name, deal, position = _of_catalogue(stripped, rules)
    else:
        if form is None and _WORD.fullmatch(stripped):
            parse_deal_id(stripped)  # its error says what a name looks like
        entry = _entry(text, EntryReader(rules, form, asked=named))
        name = None if entry.dealer is None else f"{entry.dealer}:{entry.seed}"
        deal, position, rules = entry.deal, entry.position, entry.rules
    origin = None if deal is None else Origin(deal, name)
    moves = _moves(line, position)
    if moves:
        position, name, deal = replay(position, moves), None, None
    return PositionQuestion(text, line, form, rules, name, deal, position, origin)


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


def _of_catalogue(digest: str, rules: Rules) -> tuple[str | None, Deal, Position]:
    game = game_of(rules)
    detail = deal_detail(needed(), digest, game, quick_seconds=0)
    if detail.game != game:
        raise BadInput(f"{digest} is a deal of {detail.game.name}: expected one of {game.name}")
    name = None if detail.dealer is None else detail.deal
    return name, detail.cards, game.start(detail.cards, rules)


def _moves(line: str, start: Position) -> Sequence[Move]:
    if not line.strip():
        return ()
    moves = read_moves(line, start)
    if len(moves) > MOVES_MOST:
        raise BadInput(f'"line" has {len(moves):,} moves: {MOVES_MOST:,} at most')
    return moves


def _check_depth(text: str) -> None:
    """Refuse JSON that is nested deeper than that of any position, before it is read."""
    if text.lstrip()[:1] not in ("{", "["):
        return
    depth = 0
    for sign in re.findall(r"[][{}]", _QUOTED.sub("", text)):
        depth += 1 if sign in "[{" else -1
        if depth > _DEEPEST:
            raise BadInput(f"the JSON is nested more than {_DEEPEST} deep")
