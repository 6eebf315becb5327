"""A dataset replayed: its deals dealt again, and its solutions judged by the referees."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalogue.datasets.checking import dataset_tables, part_files, read_rows
from catalogue.tables.columns import deal_codec
from engine.deal import digest_of
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of, get_game
from engine.proof import check_wins
from engine.rulesets import parse_ruleset

# Faults of a file that are named.
_NAMED = 20


def replay_faults(directory: Path) -> list[str]:
    """The statements of a dataset that do not hold, whatever its checksums say.

    Every deal is dealt again and compared with its digest and its cards; every solution, and that
    of every puzzle, is replayed on the deal that its dealer deals, and must win in as many moves as
    it says.
    """
    wrong: list[str] = []
    for table, check in (("deals", _deals), ("solutions", _solutions), ("puzzles", _puzzles)):
        for path in part_files(directory, table):
            named = path.relative_to(directory).as_posix()
            found = 0
            try:
                for fault in check(path):
                    found += 1
                    if found <= _NAMED:
                        wrong.append(f"{named}: {fault}")
            except (KeyError, BadInput) as error:
                wrong.append(f"{named} cannot be replayed: {str(error).splitlines()[0]}")
            if found > _NAMED:
                wrong.append(f"{named}: {found - _NAMED:,} more like these")
    return wrong


def _rows(path: Path, table: str, *names: str) -> Iterator[list[dict[str, Any]]]:
    return read_rows(path, dataset_tables()[table], names)


def _dealt(game: Game, names: Sequence[str]) -> NDArray[np.uint8]:
    """The deals of names, uint8[n, cards], each dealt again.

    Raises:
        BadInput: a name is none, or its dealer does not deal the game.
    """
    cards = np.zeros((len(names), game.cards), np.uint8)
    for at, name in enumerate(names):
        dealer, seed = parse_deal_id(name)
        dealer.check_game(game)
        cards[at] = dealer.deal_block(seed, 1, game)[0]
    return cards


def _deals(path: Path) -> Iterator[str]:
    for rows in _rows(path, "deals", "deal", "game", "cards", "digest"):
        game = get_game(rows[0]["game"])
        dealt = _dealt(game, [row["deal"] for row in rows])
        for row, cards in zip(rows, dealt, strict=True):
            if row["digest"] != digest_of(cards.tobytes()):
                yield f"the digest of {row['deal']} is not that of what its dealer deals"
        yield from _other_cards(game, rows, dealt)


def _solutions(path: Path) -> Iterator[str]:
    for rows in _rows(path, "solutions", "deal", "ruleset", "length", "moves"):
        game = game_of(parse_ruleset(rows[0]["ruleset"]))
        yield from _replayed(rows, _dealt(game, [row["deal"] for row in rows]))


def _puzzles(path: Path) -> Iterator[str]:
    for rows in _rows(path, "puzzles", "deal", "ruleset", "cards", "length", "moves"):
        game = game_of(parse_ruleset(rows[0]["ruleset"]))
        dealt = _dealt(game, [row["deal"] for row in rows])
        yield from _other_cards(game, rows, dealt)
        yield from _replayed(rows, dealt)


def _other_cards(
    game: Game, rows: Sequence[dict[str, Any]], dealt: NDArray[np.uint8]
) -> Iterator[str]:
    write = deal_codec(game).write
    for row, cards in zip(rows, dealt, strict=True):
        if row["cards"] != write(game.deal(cards)):
            yield f"the cards of {row['deal']} are not those that its dealer deals"


def _replayed(rows: Sequence[dict[str, Any]], dealt: NDArray[np.uint8]) -> Iterator[str]:
    """The wrong solutions among rows of one ruleset."""
    rules: Rules = parse_ruleset(rows[0]["ruleset"])
    game, packed = game_of(rules), []
    for row in rows:
        try:
            moves = game.parse_solution(row["moves"])
        except BadInput as error:
            yield f"the solution of {row['deal']} has a move that is none: {error}"
            moves = ()
        packed.append(game.pack(moves))
        length = game.length(packed[-1])
        if moves and length != row["length"]:
            yield f"the solution of {row['deal']} has {length} moves, not {row['length']}"
    reasons = check_wins(game, dealt, rules, packed, name=lambda at: rows[at]["deal"])
    for row, moves_packed, reason in zip(rows, packed, reasons, strict=True):
        if reason is not None and moves_packed:
            yield f"the solution of {row['deal']} is said to win, but {reason}"
