"""Outcomes of other programs' solvers, as outcomes of solvers that only the catalogue knows.

A foreign solver ``lonelybot`` in version 3 is the solver ``foreign-lonelybot``, version 3. The
referee replays each of its wins before it is stored. What it calls unwinnable is taken on its word:
it counts as its proof, and stands beside what other solvers find, so that a contradiction is an
alarm. Bounds, exports and datasets tell such claims apart (`catalogue.reading.claims`).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from catalogue.intake.deals import ImportCounts, batches, by_dealer, unstorable
from catalogue.outcomes.chunk import FOREIGN, Chunk, SolverKey
from catalogue.outcomes.writing import write_chunks
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.intake import ReadEntry, WrongEntry
from engine.proof import check_wins
from solvers.outcome import Outcome, Result

# Results of one transaction.
BATCH = 500
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}", re.ASCII)
_MOST_NODES = 2**63 - 1


def foreign_solver(name: str, version: int) -> SolverKey:
    """The solver of the catalogue for one of another program.

    Raises:
        BadInput: the name is none.
    """
    if _NAME.fullmatch(name) is None:
        raise BadInput(
            f"{name!r} is no name of a solver: expected 1 to 40 small letters, digits, dots and "
            "hyphens, such as lonelybot"
        )
    return SolverKey(FOREIGN + name, version, FOREIGN + name, ())


def import_outcomes(
    catalogue: Catalogue,
    entries: Iterable[ReadEntry | WrongEntry],
    rules: Rules,
    solver: SolverKey,
    *,
    notation: str | None = None,
    on_wrong: Callable[[WrongEntry], None] = lambda _: None,
    on_batch: Callable[[int, ImportCounts], None] = lambda _line, _counts: None,
) -> ImportCounts:
    """Bring results of a foreign solver into the catalogue, with their deals.

    An entry is JSON with a deal, ``"outcome"``, for a win ``"moves"`` (a list, or text in any
    notation), and if known ``"nodes"`` and ``"cpu_ms"``. What the solver has for a deal in this
    version is left as it is. A win whose moves do not win is a wrong entry, as is every other that
    cannot be read; the rest is stored.

    Args:
        catalogue: the catalogue.
        entries: what was read.
        rules: the ruleset that the results are for.
        solver: the solver, see `foreign_solver`.
        notation: that of the moves; None for the one they look like.
        on_wrong: is told of each wrong entry.
        on_batch: is told the line reached and the counts after each transaction.

    Raises:
        BadInput: the catalogue may not be written to.
    """
    counts = ImportCounts()
    for batch in batches(entries, BATCH):
        readable: list[_EntryOutcome] = []
        for entry in batch:
            counts.read += 1
            found = entry if isinstance(entry, WrongEntry) else _outcome_of(entry, rules, notation)
            if isinstance(found, WrongEntry):
                counts.wrong += 1
                on_wrong(found)
            else:
                readable.append(found)
        proved = []
        for each, reason in zip(readable, _reasons(readable, rules), strict=True):
            if reason is None:
                proved.append(each)
            else:
                counts.wrong += 1
                on_wrong(
                    WrongEntry(each.given.line, f"it claims a win, but {reason}", _shown(each))
                )
        if proved:
            with catalogue.begin() as session:
                chunks = _chunks(proved, rules, solver)
                counts.new += write_chunks(session, chunks).outcomes
        counts.kept += len(proved)
        on_batch(batch[-1].line, counts)
    return counts


@dataclass(frozen=True, slots=True)
class _EntryOutcome:
    given: ReadEntry
    outcome: Outcome


def _shown(entry: _EntryOutcome) -> str:
    return str(entry.given.id)[:80]


def _outcome_of(given: ReadEntry, rules: Rules, notation: str | None) -> _EntryOutcome | WrongEntry:
    problem = unstorable(given, rules)
    if problem is not None:
        return problem
    try:
        return _EntryOutcome(given, _outcome(given, rules, notation))
    except BadInput as error:
        return WrongEntry(given.line, str(error), str(given.id)[:80])


def _outcome(given: ReadEntry, rules: Rules, notation: str | None) -> Outcome:
    data = given.data or {}
    said = data.get("outcome")
    if said not in [result.value for result in Result]:
        known = ", ".join(result.value for result in Result)
        raise BadInput(f'"outcome" is {said!r}: expected one of {known}')
    result = Result(said)
    nodes, cpu_ms = data.get("nodes", 0), data.get("cpu_ms")
    if not isinstance(nodes, int) or isinstance(nodes, bool) or not 0 <= nodes <= _MOST_NODES:
        raise BadInput(f'"nodes" must be a whole number from 0, not {nodes!r}')
    if cpu_ms is not None and (
        not isinstance(cpu_ms, int | float) or isinstance(cpu_ms, bool) or not 0 <= cpu_ms < 1e12
    ):
        raise BadInput(f'"cpu_ms" must be a number of milliseconds or null, not {cpu_ms!r}')
    time = None if cpu_ms is None else float(cpu_ms)
    if result is not Result.WON:
        return Outcome(result, nodes, time)
    listed = given.moves(notation)
    if listed is None:
        raise BadInput('a win needs "moves", a list or a text of moves')
    return Outcome(result, nodes, time, moves=game_of(rules).pack(listed))


def _reasons(entries: list[_EntryOutcome], rules: Rules) -> list[str | None]:
    """Why each claimed win is none; None for wins, and for what is no win."""
    won = [place for place, each in enumerate(entries) if each.outcome.moves is not None]
    reasons: list[str | None] = [None] * len(entries)
    checked = check_wins(
        game_of(rules),
        np.array([_cards(entries[place].given) for place in won], dtype=np.uint8).reshape(
            len(won), game_of(rules).cards
        ),
        rules,
        [entries[place].outcome.moves or b"" for place in won],
    )
    for place, reason in zip(won, checked, strict=True):
        reasons[place] = reason
    return reasons


def _cards(given: ReadEntry) -> tuple[int, ...]:
    assert given.deal is not None
    return given.deal.cards


def _chunks(entries: list[_EntryOutcome], rules: Rules, solver: SolverKey) -> list[Chunk]:
    outcomes = {each.given.line: each.outcome for each in entries}
    return [
        Chunk(
            rules,
            dealer,
            tuple(given.seed for given in own if given.seed is not None),
            np.array([_cards(given) for given in own], dtype=np.uint8),
            ((solver, tuple(outcomes[given.line] for given in own)),),
        )
        for dealer, own in by_dealer(each.given for each in entries)
    ]
