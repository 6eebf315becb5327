"""Tests of the searches of games without foundations."""

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.patience import presets
from engine.patience.deal import PatienceDeal
from engine.patience.layout import layout_of
from engine.patience.moves import PatienceMove
from engine.patience.referee import PatiencePosition
from engine.patience.rules import Options, PatienceRules
from mutations import slipped_unfounded
from mutations.mutation import Mutation
from mutations.slipping import answers
from mutations.unfounded import MUTATIONS
from solvers.outcome import Result
from solvers.patience import accordion, attempts, gaps, holes, unfounded
from solvers.patience.attempts import Piles
from twins.patience_unfounded import is_winnable
from unfounded_deals import SMALL, VALUES, deals_of

ENOUGH = {"nodes": 10_000_000, "memory_mib": 256}
# What the published program, Solvitaire, says of its first deals: bit n of seed n + 1 is set where
# it has a win.
SOLVITAIRE = {
    "black-hole": (73, "0x1dbffdffb77fffffffd"),
    "golf": (48, "0xbe9e61345689"),
    "worm-hole": (3, "0x7"),
    "gaps": (15, "0x2011"),
    "late-binding-solitaire": (
        400,
        "0xca92b704eef9dc78516d832710d2a8ae7b183636ac53db1539bdfbea20631879cec4c42d430aee"
        "7495f06593b5f24704a0f3",
    ),
}


def start_of(deal: NDArray[np.uint8], options: Options) -> PatiencePosition:
    """The start of a deal that belongs to no game of the registry."""
    cards = PatienceDeal(tuple(map(int, deal)), "own", layout_of(options))
    return PatiencePosition.start(cards, PatienceRules(options, "own", "Own", "own"))


def is_win(position: PatiencePosition, moves: bytes) -> bool:
    """Whether a line wins, by the referee."""
    for at in range(0, len(moves), 3):
        position = position.play(PatienceMove(*moves[at : at + 3]))
    return position.is_won


def naive_verdicts(deals: NDArray[np.uint8], options: Options) -> list[Result]:
    """Verdicts of naive search."""
    return [
        Result.WON if is_winnable(Piles.of_deal(deal, options), options) else Result.UNWINNABLE
        for deal in deals
    ]


@pytest.mark.parametrize("name", SMALL)
def test_verdicts_are_those_of_naive_search(name: str) -> None:
    options = SMALL[name]
    assert unfounded.plays(options)
    deals = deals_of(options, 1, 200)
    outcomes = unfounded.solve(deals, options, VALUES)
    assert [outcome.result for outcome in outcomes] == naive_verdicts(deals, options)
    for deal, outcome in list(zip(deals, outcomes, strict=True))[:40]:
        if outcome.moves is not None:
            assert is_win(start_of(deal, options), outcome.moves)


@pytest.mark.parametrize("name", ["hole", "cells", "golf", "row", "gaps-own-suit", "gaps"])
def test_verdicts_after_many_attempts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is broken off all the time, with a table that grows, ends with the same."""
    options = SMALL[name]
    deals = deals_of(options, 201, 100)
    for module in (holes, accordion, gaps):
        monkeypatch.setattr(module, "_PERIOD", 5)
    monkeypatch.setattr(gaps, "_WIDTHS", (2,))
    monkeypatch.setattr(attempts, "SMALLEST_TABLE", 16)
    outcomes = unfounded.solve(deals, options, VALUES)
    assert [outcome.result for outcome in outcomes] == naive_verdicts(deals, options)
    for deal, outcome in list(zip(deals, outcomes, strict=True))[:20]:
        if outcome.moves is not None:
            assert is_win(start_of(deal, options), outcome.moves)


@pytest.mark.parametrize("slug", [*SOLVITAIRE, "accordion", "gaps-one-deal"])
def test_presets_agree_with_the_published_program(slug: str) -> None:
    game = presets.game_of_ruleset(slug)
    assert game is not None
    [rules] = [preset.rules for preset in presets.presets_of(game) if preset.rules.slug == slug]
    count, wins = SOLVITAIRE.get(slug, (3, "0x7"))
    deals = deals_of(rules.options, 1, count)
    outcomes = unfounded.solve(deals, rules.options, ENOUGH)
    for deal, outcome in list(zip(deals, outcomes, strict=True))[:3]:
        if outcome.moves is not None:
            assert is_win(start_of(deal, rules.options), outcome.moves)
    found = sum(1 << at for at, each in enumerate(outcomes) if each.result is Result.WON)
    assert hex(found) == wins
    assert all(outcome.result is not Result.GAVE_UP for outcome in outcomes)
    assert {part.where.partition(":")[0] for part in unfounded.parts(rules.options)} == {
        "solvers.patience.unfounded"
    }


@pytest.mark.parametrize("name", ["cell", "golf", "row", "gaps"])
def test_positions_in_mid_game(name: str) -> None:
    options = SMALL[name]
    for deal in deals_of(options, 301, 20):
        position = start_of(deal, options)
        for _ in range(4):
            moves = position.legal_moves()
            if not moves:
                break
            position = position.play(moves[int(deal[0]) % len(moves)])
            winnable = is_winnable(Piles.of_position(position), options)
            outcome = unfounded.solve_position(position, VALUES)
            assert outcome.result is (Result.WON if winnable else Result.UNWINNABLE)
            if outcome.moves is not None:
                assert is_win(position, outcome.moves)


def test_rulesets_of_columns_are_not_played() -> None:
    assert not unfounded.plays(Options())
    building = Options(columns=17, foundations=False, hole=True)
    assert not unfounded.plays(building)


def test_spent_budgets_prove_nothing() -> None:
    options = Options(
        accordion=18,
        accordion_moves=("L1",),
        accordion_building=("same-suit",),
        columns=0,
        foundations=False,
    )
    wide = Options(columns=17, building="no-build", foundations=False, hole=True)
    for each in (options, wide):
        [outcome] = unfounded.solve(deals_of(each, 5, 1), each, {"nodes": 3, "memory_mib": 1})
        assert outcome.result in (Result.GAVE_UP, Result.UNWINNABLE)
    [outcome] = unfounded.solve(deals_of(wide, 1, 1), wide, {"nodes": 3, "memory_mib": 1})
    assert (outcome.result, outcome.nodes, outcome.moves) == (Result.GAVE_UP, 3, None)


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """By the names of slips, what is said of their deals without it; and with it in the source."""
    lines = {
        slip.name + mark: (str(slip.path), slip.old, new, *slip.families, slip.nodes)
        for slip in MUTATIONS
        for mark, new in ((" with it", slip.new), ("", slip.old))
    }
    return dict(zip(lines, answers(slipped_unfounded.__file__, lines.values()), strict=True))


@pytest.mark.parametrize("slip", MUTATIONS, ids=lambda slip: slip.name)
def test_slips_are_caught(slip: Mutation, said: dict[str, str]) -> None:
    """Each condition of a rule made weaker than its proof needs gets a verdict wrong."""
    [name] = slip.families
    options = SMALL[name]
    right = naive_verdicts(deals_of(options, slip.nodes, 1), options)
    assert [said[slip.name]] == right != [said[f"{slip.name} with it"]]
