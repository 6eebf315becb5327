"""Jobs that find regrets, by analysing a player's lost games on winnable deals.

The games are played again, since the catalogue stores the moves of won games only and a player
plays the same deal in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert
from sqlalchemy.orm import Session

from catalogue.jobs.queue import Submission, enqueue
from catalogue.jobs.queue import submit as submit_outcomes
from catalogue.jobs.task import JobSpec, Progress, ShardWork
from catalogue.outcomes.compression import compress
from catalogue.outcomes.names import add_batch, ensure_provenance
from catalogue.outcomes.provenance import Provenance, this_provenance
from catalogue.outcomes.seals import add_up, seal_of_regret
from catalogue.reading.block_reader import dealing_of, summaries
from catalogue.reading.samples import stored_deals
from catalogue.regret.games import (
    PlayedGames,
    count_regrets,
    row_key,
    with_regret,
    without_regret,
)
from catalogue.schema import RegretRow
from catalogue.store import Catalogue, lock
from engine.dealing.dealers import Sample, get_dealer
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers import regret
from solvers.solver import parse_solver

# Deals in a first shard; fewer for slow players.
_SHARD = 100
# Deals in a shard at most.
_LARGEST = 10_000
_LOCK = -3


@dataclass(frozen=True, slots=True)
class RegretResults:
    """Results of a worker: for each seed the packed moves of its game, and the regret."""

    seeds: tuple[int, ...]
    games: tuple[tuple[bytes, regret.Regret], ...]
    provenance: Provenance


def submit(cat: Catalogue, games: PlayedGames) -> tuple[int, int]:
    """Submit the two jobs of a player's regrets, and return their numbers.

    The first has reference solver and player solve the sample; the second finds the regrets of the
    games that the player lost.

    Raises:
        BadInput: see `catalogue.jobs.queue.submit`.
    """
    solvers = [str(games.reference), str(games.player)]
    first = submit_outcomes(cat, games.rules.slug, games.sample, solvers)
    with cat.session() as session:
        key = row_key(session, games)
        done, total = (
            (0, 0)
            if key is None
            else (count_regrets(session, *key, games.sample.dealer, seeds_of(games.sample)))
        )
    # A job that was done when fewer deals were known winnable may have work left.
    regrets = Submission(games.rules, games.sample, [games.player], "regrets")
    second = enqueue(cat, regrets, total, again=done < total)
    return first, second


@dataclass(frozen=True, slots=True)
class RegretsTask:
    """A job that finds regrets; see `catalogue.jobs.task.Task`."""

    spec: JobSpec

    @property
    def chunk(self) -> int:
        """Games in a first shard: those that the player plays in a second."""
        return max(1, min(parse_solver(self.spec.solvers[0].name).chunk, _SHARD))

    @property
    def largest(self) -> int:
        return _LARGEST

    def missing(self, session: Session, seeds: range) -> NDArray[np.bool_]:
        """Which of some seeds of one block lack a regret."""
        missing = np.zeros(len(seeds), dtype=np.bool_)
        missing[without_regret(session, *self._key, seeds) - seeds.start] = True
        return missing

    def finished(self, session: Session, blocks: range) -> set[int]:
        """The blocks in which the player has no game, so that no regret can be missing."""
        if not blocks:
            return set()
        ruleset_id, solver_id, dealer = self._key
        dealing_id = dealing_of(session, ruleset_id, dealer)
        if dealing_id is None:
            return set(blocks)
        found = summaries(session, ruleset_id, dealing_id, blocks, [solver_id])
        return set(blocks) - {each.block for each in found}

    def work(self, session: Session, seeds: range) -> ShardWork | None:
        """The games of a shard whose regret is missing; None without any."""
        left = without_regret(session, *self._key, seeds)
        if not len(left):
            return None
        spec, player = self.spec, parse_solver(self.spec.solvers[0].name)
        games = PlayedGames(
            parse_ruleset(spec.ruleset), Sample(spec.dealer, seeds.start, len(seeds)), player
        )
        return ShardWork(
            f"{len(left)} lost games of {spec.dealer} from seed {left[0]} on",
            find_regrets,
            (
                spec.ruleset,
                spec.dealer,
                tuple(left.tolist()),
                str(player),
                str(games.position_reference),
            ),
            len(left),
        )

    def store(self, session: Session, results: Sequence[RegretResults]) -> None:
        """Add the regrets that are missing, since another process may have added some meanwhile."""
        if results:
            lock(session, _LOCK)
        for found in results:
            _write(session, self.spec, found)

    def count(self, session: Session, seeds: range) -> Progress:
        """Count the regrets stored, and the games that should have one."""
        return Progress(*count_regrets(session, *self._key, seeds))

    def counted(self, session: Session, seeds: range) -> int:
        """The number of regrets of seeds."""
        return self.count(session, seeds).done

    @property
    def _key(self) -> tuple[int, int, str]:
        return self.spec.ruleset_id, self.spec.solver_ids[0], self.spec.dealer


def seeds_of(sample: Sample) -> range:
    """The seeds of a sample."""
    return range(sample.first, sample.last + 1)


def find_regrets(
    ruleset: str, dealer: str, seeds: tuple[int, ...], player: str, reference: str
) -> RegretResults:
    """Play games again and find where each was lost; runs in the worker processes.

    Args:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        seeds: of the deals, ascending.
        player: the player that lost.
        reference: the solver that decides positions.

    Raises:
        BadInput: the player does not repeat a game that it lost.
    """
    rules = parse_ruleset(ruleset)
    dealt = get_dealer(dealer).deal_block(seeds[0], seeds[-1] - seeds[0] + 1, game_of(rules))
    deals = dealt[np.array(seeds) - seeds[0]]
    found = regret.play_again(deals, rules, parse_solver(player), parse_solver(reference))
    return RegretResults(seeds, tuple(found), this_provenance())


def _write(session: Session, spec: JobSpec, found: RegretResults) -> None:
    rules = parse_ruleset(spec.ruleset)
    player = parse_solver(spec.solvers[0].name)
    reference = PlayedGames(rules, Sample(spec.dealer, found.seeds[0], 1), player).reference.method
    game = game_of(rules)
    ruleset_id, solver_id, dealer = spec.ruleset_id, spec.solver_ids[0], spec.dealer
    seeds = range(found.seeds[0], found.seeds[-1] + 1)
    present = set(with_regret(session, ruleset_id, solver_id, dealer, seeds).tolist())
    deals = {
        seed: deal_id for deal_id, seed in stored_deals(session, ruleset_id, dealer, seeds).items()
    }
    rows: list[dict[str, Any]] = [
        {
            "ruleset_id": ruleset_id,
            "solver_id": solver_id,
            "deal_id": deals[seed],
            "kind": each.kind.value,
            "step": each.step,
            "action": each.action,
            "length": game.length(moves),
            "moves": compress(game.slug, moves),
            "reference": reference.slug,
            "reference_version": reference.version,
        }
        for seed, (moves, each) in zip(found.seeds, found.games, strict=True)
        if seed not in present
    ]
    if rows:
        provenance_id = ensure_provenance(session, found.provenance)
        batch_id = add_batch(session, provenance_id, len(rows), add_up(map(seal_of_regret, rows)))
        session.execute(insert(RegretRow), [{**row, "batch_id": batch_id} for row in rows])
