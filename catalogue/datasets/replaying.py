"""A dataset replayed: its deals dealt again, and its solutions judged by the referees."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from catalogue.datasets.completeness import part_files, read_batches
from catalogue.datasets.tables import dataset_tables
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
            except (pa.ArrowException, OSError, KeyError, BadInput) as error:
                wrong.append(f"{named} cannot be replayed: {str(error).splitlines()[0]}")
            if found > _NAMED:
                wrong.append(f"{named}: {found - _NAMED:,} more like these")
    return wrong


def _rows(path: Path, table: str, *names: str) -> Iterator[list[dict[str, Any]]]:
    for batch in read_batches(path, dataset_tables()[table], names):
        if batch.num_rows:
            yield batch.to_pylist()


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
        for row, cards in zip(rows, _dealt(game, [row["deal"] for row in rows]), strict=True):
            if row["digest"] != digest_of(cards.tobytes()):
                yield f"the digest of {row['deal']} is not that of what its dealer deals"
            elif row["cards"] != _text(game, cards):
                yield f"the cards of {row['deal']} are not those that its dealer deals"


def _text(game: Game, cards: NDArray[np.uint8]) -> str:
    from catalogue.datasets.tables import deal_codec

    return str(deal_codec(game).write(game.deal(cards)))


def _solutions(path: Path) -> Iterator[str]:
    for rows in _rows(path, "solutions", "deal", "ruleset", "length", "moves"):
        yield from _replayed([(r["deal"], r["ruleset"], r["moves"], r["length"]) for r in rows])


def _puzzles(path: Path) -> Iterator[str]:
    names = ("DealId", "Ruleset", "Deal", "Solution", "SolutionLength")
    for rows in _rows(path, "puzzles", *names):
        game = game_of(parse_ruleset(rows[0]["Ruleset"]))
        for row, cards in zip(rows, _dealt(game, [r["DealId"] for r in rows]), strict=True):
            if row["Deal"] != _text(game, cards):
                yield f"the cards of {row['DealId']} are not those that its dealer deals"
        told = ("DealId", "Ruleset", "Solution", "SolutionLength")
        yield from _replayed([tuple(row[name] for name in told) for row in rows])


def _replayed(rows: Sequence[tuple[Any, ...]]) -> Iterator[str]:
    """The wrong solutions of one ruleset: deal, ruleset, moves as text, and length."""
    rules: Rules = parse_ruleset(rows[0][1])
    game = game_of(rules)
    cards, packed = _dealt(game, [row[0] for row in rows]), []
    for deal, _, text, length in rows:
        try:
            moves = game.parse_solution(text)
        except BadInput as error:
            yield f"the solution of {deal} has a move that is none: {error}"
            moves = ()
        packed.append(game.pack(moves))
        if moves and game.length(packed[-1]) != length:
            yield f"the solution of {deal} has {game.length(packed[-1])} moves, not {length}"
    reasons = check_wins(game, cards, rules, packed, name=lambda at: rows[at][0])
    for (deal, *_), moves_packed, reason in zip(rows, packed, reasons, strict=True):
        if reason is not None and moves_packed:
            yield f"the solution of {deal} is said to win, but {reason}"
