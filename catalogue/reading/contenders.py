"""Solvers of a catalogue that can be compared: which there are, and which two suit best."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import select

from catalogue.reading.bounds import headline_sample
from catalogue.reading.samples import attempted_prefix, outcome_counts
from catalogue.schema import BlockRow, RulesetRow, SolverRow, is_dealt
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver


@dataclass(frozen=True, slots=True, order=True)
class Contender:
    """A solver in one version; its text is ``exact(nodes=100) v1``."""

    name: str
    version: int

    @property
    def method(self) -> str:
        """The slug of its method."""
        return self.name.partition("(")[0]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


def brief_names(solvers: Sequence[Contender]) -> list[str]:
    """The method of each solver; with its parameters, and its version, where that is another's."""
    methods = Counter(each.method for each in solvers)
    texts = Counter(each.name for each in solvers)
    return [
        each.method
        if methods[each.method] == 1
        else each.name
        if texts[each.name] == 1
        else str(each)
        for each in solvers
    ]


def contenders(cat: Catalogue, ruleset: str) -> list[Contender]:
    """The solvers with an outcome on a dealt deal of a ruleset, by name and version.

    Raises:
        BadInput: unknown ruleset.
    """
    slug = parse_ruleset(ruleset).slug
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, slug)
        if ruleset_id is None:
            return []
        used = select(BlockRow.solver_id).distinct()
        ids = list(
            session.scalars(
                used.where(
                    is_dealt(BlockRow.dealing_id),
                    BlockRow.ruleset_id == ruleset_id,
                    BlockRow.attempted > 0,
                )
            )
        )
        rows = session.execute(
            select(SolverRow.name, SolverRow.version).where(SolverRow.id.in_(ids))
        )
        return sorted(Contender(row.name, row.version) for row in rows)


def comparable(cat: Catalogue, ruleset: str) -> tuple[Contender, Contender] | None:
    """The two solvers with the most deals in common on the sample of the overview, by name.

    Two that have won some of these come before others, as one that looks for dead ends alone never
    wins; then two that see the same of the cards. None if no two have a deal in common.

    Raises:
        BadInput: unknown ruleset.
    """
    sample = headline_sample(cat, ruleset)
    rivals = contenders(cat, ruleset)
    if sample is None or len(rivals) < 2:
        return None
    with cat.session() as session:
        ruleset_id = RulesetRow.id_of(session, parse_ruleset(ruleset).slug)
        assert ruleset_id is not None
        rows = session.execute(select(SolverRow.id, SolverRow.name, SolverRow.version))
        ids = {Contender(row.name, row.version): row.id for row in rows}
        # Both have attempted the shorter of their own prefixes.
        tried = {
            each: attempted_prefix(
                session, ruleset_id, [ids[each]], sample.dealer, sample.first, sample.count
            )
            for each in rivals
        }
        won = {
            each
            for each in rivals
            if outcome_counts(
                session, ruleset_id, ids[each], sample.dealer, sample.first, tried[each]
            ).won
        }
    common = {
        pair: min(tried[each] for each in pair)
        for pair in combinations(rivals, 2)
        if all(tried[each] for each in pair)
    }
    return max(
        common,
        key=lambda pair: (
            won.issuperset(pair),
            _sees(pair[0]) == _sees(pair[1]),
            common[pair],
        ),
        default=None,
    )


def _sees(contender: Contender) -> str | None:
    try:
        return parse_solver(contender.name).method.sees
    except BadInput:  # a method or a parameter that is gone
        return None
