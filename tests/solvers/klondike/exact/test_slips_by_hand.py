"""Tests of the pruning rules of the search by hand by slips made on purpose.

Each slip must get a verdict wrong under each family of rulesets that it is made for, on positions
on which the program itself is right.
"""

import pytest

from mutations.by_hand.slips import FAMILIES, MUTATIONS, POSITIONS
from mutations.mutation import Mutation
from mutations.slipping import said_with, wrong
from position_text import parse_position
from solvers.klondike.exact.rules import RULES_BY_HAND

# Of each rule, and of sections of `docs/search/`, the families of rulesets for which its proof,
# its condition or its code differ; there a slip must be caught.
FAMILIES_OF = {
    "safe": {"usual", "any suit", "same suit", "spaces none", "forward", "limited", "large draws"},
    "rise": {"usual", "any suit", "spaces any", "spaces none", "forward", "limited", "whole"},
    "waste": {"usual", "limited", "whole", "large draws"},
    "extra reach": {"usual", "forward"},
    "worrying back": {"usual", "any suit", "spaces none", "forward", "limited", "whole"},
    "use": {"usual", "any suit", "spaces any", "spaces none", "limited", "whole"},
    "reveals": {"usual", "forward", "limited", "whole"},
    "relaxation": set(FAMILIES),
    "hand": {"usual", "any suit", "same suit", "spaces any", "spaces none", "whole"},
    "restarts": set(FAMILIES),
    "supports": {"usual", "any suit", "same suit", "spaces none"},
    "arrangement": {"usual", "any suit", "same suit", "spaces any", "spaces none"},
    "limited redeals": {"limited", "large draws"},
    "last pass": {"limited", "forward", "large draws"},
    "passes": {"limited", "large draws"},
    "table": {"usual", "any suit", "same suit", "spaces any"},
    # A test of starting deals: its slips stand in `test_pair_reachability`.
    "pairs": set(),
    "whole runs": {"whole", "any suit", "same suit", "spaces any", "spaces none"},
}


def escapes(slip: Mutation, said: list[str]) -> set[str]:
    """The families under which a slip is not caught."""
    caught: set[str] = set()
    for found, (text, verdict) in zip(said, POSITIONS[slip.name], strict=True):
        if wrong(found, verdict):
            rules = parse_position(text).rules
            caught |= {family for family, holds in FAMILIES.items() if holds(rules)}
    return set(slip.families) - caught


@pytest.mark.slow
def test_without_a_slip_no_verdict_is_wrong() -> None:
    """Interpreted, all in one process; nothing is changed by what is put in."""
    sharp = dict(pair for positions in POSITIONS.values() for pair in positions)
    none = MUTATIONS[0]._replace(new=MUTATIONS[0].old)
    [said] = said_with("by_hand", [(none, list(sharp))])
    assert dict(zip(sharp, said, strict=True)) == sharp


@pytest.mark.thorough
def test_every_slip_is_caught_under_each_of_its_families() -> None:
    lines = [(slip, [text for text, _ in POSITIONS[slip.name]]) for slip in MUTATIONS]
    found = zip(MUTATIONS, said_with("by_hand", lines), strict=True)
    escaped = {slip.name: escapes(slip, said) for slip, said in found}
    assert {name: families for name, families in escaped.items() if families} == {}


def test_every_slip_can_be_made() -> None:
    for slip in MUTATIONS:
        source = slip.path.read_text()
        assert source.count(slip.old) == 1, f"{slip.file} has changed: {slip.old!r}"
        assert slip.families
    assert sorted(POSITIONS) == sorted(slip.name for slip in MUTATIONS)


def test_every_rule_has_slips_for_each_family_where_it_differs() -> None:
    assert set(RULES_BY_HAND) <= set(FAMILIES_OF)
    found: dict[str, set[str]] = {}
    for slip in MUTATIONS:
        found.setdefault(slip.rule, set()).update(slip.families)
    missing = {rule: FAMILIES_OF[rule] - found.get(rule, set()) for rule in FAMILIES_OF}
    assert {rule: families for rule, families in missing.items() if families} == {}
    assert set(found) <= set(FAMILIES_OF)
