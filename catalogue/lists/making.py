"""Finding the grades of a range of seeds: from the catalogue, by solving, and by looking at deals.

1. What the catalogue knows is put into the spool (`put_stored`).
2. Deals without a verdict are solved, on all processes, and the referee replays every win
   (`put_solved`).
3. Winnable deals without a level get one by the model of the ruleset, if there is one
   (`put_levels`).

Nothing is stored. Memory use does not depend on the number of seeds.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sqlalchemy import URL, select
from sqlalchemy.orm import Session

from catalogue import blocks
from catalogue.database import parse_url
from catalogue.difficulty.grading import DifficultyModel
from catalogue.difficulty.playing import advice_of_fit
from catalogue.difficulty.prediction import predicted_level
from catalogue.difficulty.reading import model
from catalogue.difficulty.shipped import shipped_model
from catalogue.lists.forms import ListForm
from catalogue.lists.grades import (
    CONTRADICTED,
    HARDEST,
    UNATTEMPTED,
    UNGRADED,
    UNRESOLVED,
    UNWINNABLE,
    Chosen,
    Grades,
    Levels,
    spans,
)
from catalogue.lists.header import ListHeader, header_of
from catalogue.lists.spool import Spool
from catalogue.pipe import solve_all
from catalogue.processes import Workers
from catalogue.reading.block_reader import (
    cut,
    dealing_of,
    read_follows,
    read_outcomes,
    summaries,
)
from catalogue.schema import BLOCK_SIZE, MAX_STORED_SEED, FeaturesRow, RulesetRow, SolverRow, within
from catalogue.store import Catalogue, open_catalogue
from catalogue.streams import opened_bytes
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal
from solvers.choice import default_solver
from solvers.outcome import Result
from solvers.solver import Solver

# Shows a phase, of a name and a number of steps; what it gives is called with steps done and a
# remark.
Phases = Callable[[str, int], AbstractContextManager[Callable[[int, str], None]]]
# Deals dealt at once, and looked at by a process at once.
_DEALT, _ANALYSED = 256, 8
_GRADES = np.zeros(5, np.uint8)
_GRADES[[0, blocks.UNRESOLVED, blocks.WINNABLE, blocks.UNWINNABLE, blocks.ALARM]] = (
    UNATTEMPTED,
    UNRESOLVED,
    UNGRADED,
    UNWINNABLE,
    CONTRADICTED,
)


def _silent(_label: str, _total: int) -> AbstractContextManager[Callable[[int, str], None]]:
    return nullcontext(lambda _done, _remark: None)


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A list that somebody asks for.

    Attributes:
        rules: the ruleset.
        sample: the seeds.
        levels: those of the deals that are wanted; None for all winnable ones.
        solver: for deals without a verdict; the default one of the ruleset if None.
        stored: whether only what is stored counts: nothing is solved, and no deal looked at.
        grade: whether winnable deals without a level are looked at, if there is a model.
        workers: number of processes.
    """

    rules: Rules
    sample: Sample
    levels: Levels = None
    solver: Solver | None = None
    stored: bool = False
    grade: bool = True
    workers: int = 1


def write_list(
    request: ListRequest,
    form: ListForm,
    output: str,
    cat: Catalogue | None = None,
    *,
    url: str | None = None,
    phases: Phases = _silent,
    on_written: Callable[[ListHeader, Spool], None] = lambda _header, _spool: None,
) -> None:
    """Write a list to a file, which appears when it is complete; ``-`` is standard output.

    Args:
        request: what is wanted.
        form: the format.
        output: the file.
        cat: the catalogue; None for that of `url`, if there is one or it is needed.
        url: of the catalogue; None for that of the settings.
        phases: shows how far it is.
        on_written: called with the list at the end.

    Raises:
        BadInput: see `make`, the format cannot hold the list, or a file cannot be written.
    """
    rules, sample = request.rules, request.sample
    get_dealer(sample.dealer).check_game(game_of(rules))
    # Whatever does not fit is refused before anything is solved.
    form.check(header_of(rules, sample, request.levels, ()))
    with ExitStack() as stack:
        if cat is None and (
            request.stored
            or (request.levels is not None and shipped_model(rules.slug) is None)
            or _may_be_there(parse_url(url))
        ):
            cat = stack.enter_context(open_catalogue(url))
        spool = stack.enter_context(Spool(sample.first, sample.count))
        # Opened before anything is solved, which may take hours.
        out = stack.enter_context(opened_bytes(output))
        header = make(spool, cat, request, phases)
        form.write(header, spool, out)
        on_written(header, spool)


def _may_be_there(address: URL) -> bool:
    return address.get_backend_name() != "sqlite" or Path(str(address.database)).exists()


def make(
    spool: Spool, cat: Catalogue | None, request: ListRequest, phases: Phases = _silent
) -> ListHeader:
    """Find the grades of the seeds of a sample, and put them into a spool of these seeds.

    Args:
        spool: where the grades go; nobody has attempted its seeds yet.
        cat: the catalogue; None for none.
        request: what is wanted.
        phases: shows how far it is.

    Returns:
        The header of the list.

    Raises:
        BadInput: levels are wanted and there is no model, a solver does not play the ruleset or
            none does, the dealer does not deal the game, or only stored verdicts count and there is
            no catalogue.
    """
    rules, sample, workers = request.rules, request.sample, request.workers
    get_dealer(sample.dealer).check_game(game_of(rules))
    solver = None if request.stored else request.solver or default_solver(rules)
    if solver is not None:
        solver.check_plays(rules)
    known = shipped_model(rules.slug) if cat is None else model(cat, rules.slug)
    if request.levels is not None and known is None:
        raise BadInput(
            f"there are no levels under {rules.slug}, since no difficulty has been fitted: "
            f"{advice_of_fit(rules)}, or leave the levels out"
        )
    deciders: set[str] = set()
    if cat is not None:
        with phases("catalogue", sample.count) as advance:
            deciders |= put_stored(spool, cat, rules, sample, advance)
    elif request.stored:
        raise BadInput("there is no catalogue of which the stored verdicts could be taken")
    if solver is not None and (lacking := _count(spool, _lacks_verdict)):
        with phases("solving", lacking) as advance:
            if put_solved(spool, rules, sample, solver, workers, advance):
                deciders.add(f"{solver} v{solver.method.version}")
    may_grade = request.grade and solver is not None and known is not None and not known.is_old
    if known is not None and may_grade and (lacking := _count(spool, _lacks_level)):
        with phases("grading", lacking) as advance:
            put_levels(spool, known, rules, sample, workers, advance)
    return header_of(rules, sample, request.levels, tuple(sorted(deciders)))


def put_stored(
    spool: Spool,
    cat: Catalogue,
    rules: Rules,
    sample: Sample,
    on_progress: Callable[[int, str], None],
) -> set[str]:
    """Put what the catalogue knows; return the solvers that decided deals, with versions."""
    deciders: set[str] = set()
    if sample.first > MAX_STORED_SEED:
        return deciders
    seeds = range(sample.first, min(sample.last, MAX_STORED_SEED) + 1)
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, rules.slug)
        if ruleset_id is None:
            return deciders
        dealing_id = dealing_of(session, ruleset_id, sample.dealer)
        if dealing_id is None:
            return deciders
        solvers = {
            row.id: f"{row.name} v{row.version}"
            for row in session.execute(select(SolverRow.id, SolverRow.name, SolverRow.version))
        }
        numbers = range(seeds.start // BLOCK_SIZE, (seeds.stop - 1) // BLOCK_SIZE + 1)
        present = {each.block for each in summaries(session, ruleset_id, dealing_id, numbers)}
        for block in sorted(present):
            # Not by `read_statuses`, which keeps what it has read in memory.
            found = read_outcomes(session, ruleset_id, dealing_id, block, only=())
            for solver_id, mine in found.items():
                inside = seeds.start - block * BLOCK_SIZE - mine.first
                decided = (mine.result == blocks.WON) | (mine.result == blocks.PROVED)
                if decided[max(inside, 0) : max(inside + len(seeds), 0)].any():
                    deciders.add(solvers[solver_id])
            follows = read_follows(session, ruleset_id, dealing_id, block)
            first = block * BLOCK_SIZE
            if (
                follows is not None
                and follows[max(seeds.start - first, 0) : seeds.stop - first].any()
            ):
                deciders.add("outcomes under other rulesets")
            statuses = blocks.combine(found, (), follows)
            part = cut(statuses, block, seeds)
            first += statuses.first + part.start
            grades = _GRADES[statuses.status[part]]
            if len(grades):
                _put_stored_levels(session, ruleset_id, dealing_id, first, grades)
                spool.put(first, grades)
            on_progress(min((block + 1) * BLOCK_SIZE, seeds.stop) - seeds.start, "")
    return deciders


def _put_stored_levels(
    session: Session, ruleset_id: int, dealing_id: int, first: int, grades: Grades
) -> None:
    """Put the stored levels of winnable deals into the grades of the seeds from `first` on."""
    rows = session.execute(
        select(FeaturesRow.seed, FeaturesRow.level).where(
            FeaturesRow.ruleset_id == ruleset_id,
            FeaturesRow.dealing_id == dealing_id,
            within(FeaturesRow.seed, range(first, first + len(grades))),
            FeaturesRow.level.between(1, HARDEST),
        )
    ).all()
    places = np.array([row.seed - first for row in rows], np.int64)
    found = np.array([row.level for row in rows], np.uint8)
    sound = grades[places] == UNGRADED
    grades[places[sound]] = found[sound]


def put_solved(
    spool: Spool,
    rules: Rules,
    sample: Sample,
    solver: Solver,
    workers: int,
    on_progress: Callable[[int, str], None],
) -> int:
    """Solve the deals without a verdict; return the number of those that were decided."""
    decided = 0
    deals = _lacking_deals(spool, rules, sample)
    solved = solve_all(deals, rules, solver, workers=workers, are_there=True)
    for done, (given, outcome) in enumerate(solved, start=1):
        assert given.seed is not None
        grade = UNRESOLVED
        if outcome.result is Result.WON:
            grade = UNGRADED
        elif outcome.result is Result.UNWINNABLE:
            grade = UNWINNABLE
        decided += grade != UNRESOLVED
        spool.put(given.seed, np.array([grade], np.uint8))
        on_progress(done, "")
    return decided


def _lacks_verdict(grades: Grades) -> Chosen:
    # What contradicts itself would not be settled by a third outcome.
    found: Chosen = (grades == UNATTEMPTED) | (grades == UNRESOLVED)
    return found


def _lacks_level(grades: Grades) -> Chosen:
    found: Chosen = grades == UNGRADED
    return found


def _count(spool: Spool, choose: Callable[[Grades], Chosen]) -> int:
    return sum(int(choose(grades).sum()) for _, grades in spool.chunks())


def _lacking_deals(spool: Spool, rules: Rules, sample: Sample) -> Iterator[InputDeal]:
    """The deals without a verdict, in order; another thread may put grades of earlier ones."""
    dealer, game = get_dealer(sample.dealer), game_of(rules)
    for low, high in spans(spool.chunks(), _lacks_verdict):
        for first in range(low, high + 1, _DEALT):
            dealt = dealer.deal_block(first, min(_DEALT, high + 1 - first), game)
            for seed, cards in enumerate(dealt, start=first):
                yield InputDeal(f"{dealer.slug}:{seed}", game.deal(cards), dealer.slug, seed)


def put_levels(
    spool: Spool,
    known: DifficultyModel,
    rules: Rules,
    sample: Sample,
    workers: int,
    on_progress: Callable[[int, str], None],
) -> None:
    """Look at the winnable deals without a level, and put the levels that are predicted.

    Those of which the solver gives no line in its budget keep having none.
    """
    done = 0

    def put(seeds: tuple[int, ...], levels: list[int | None]) -> None:
        nonlocal done
        for seed, level in zip(seeds, levels, strict=True):
            if level is not None:
                spool.put(seed, np.array([level], np.uint8))
        done += len(seeds)
        on_progress(done, "")

    look, work = partial(levels_of, known, rules.slug, sample.dealer), _without_level(spool)
    if workers == 1:
        for seeds in work:
            put(seeds, look(seeds))
        return
    with Workers(workers, look) as pool:
        for seeds, levels in pool.map(work, ahead=4 * workers):
            put(seeds, levels.result())


def _without_level(spool: Spool) -> Iterator[tuple[int, ...]]:
    """The seeds of winnable deals without a level, a few of neighbours at a time."""
    for first, grades in spool.chunks():
        seeds = [first + place for place in np.flatnonzero(grades == UNGRADED).tolist()]
        for at in range(0, len(seeds), _ANALYSED):
            yield tuple(seeds[at : at + _ANALYSED])


def levels_of(
    known: DifficultyModel, ruleset: str, dealer: str, seeds: tuple[int, ...]
) -> list[int | None]:
    """The predicted levels of winnable deals; None where there is none. Runs in the workers."""
    rules = parse_ruleset(ruleset)
    found: list[int | None] = []
    for seed in seeds:
        deal = get_dealer(dealer).deal(seed, game_of(rules))
        try:
            found.append(predicted_level(known, deal, rules).number)
        except BadInput:
            found.append(None)
    return found
