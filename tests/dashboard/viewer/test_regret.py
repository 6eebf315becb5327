"""Browser tests of the replay of a lost game, which marks the losing move."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browsing import choose
from catalogue import store
from catalogue.asking import shown_win
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.reading.deal_detail import DealOutcome, deal_detail
from catalogue.regret.games import games_of
from dashboard.games.klondike import KlondikeTable
from engine.dealing.dealers import Sample, deal_by_id, get_dealer
from engine.klondike.moves import unpack_solution
from engine.klondike.referee import KlondikePosition
from engine.replay import replay
from engine.rulesets import parse_ruleset
from here import find_regrets
from solvers.regret import RegretKind
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw3")
# A player seldom stops too early.
LOST_BY_A_MOVE, STOPPED_TOO_EARLY = 10, 120
SENTENCE = "After this move the game could no longer be won."


@pytest.fixture
def lost(
    tmp_path: Path, initialised_sqlite: Path, request: pytest.FixtureRequest
) -> tuple[Path, dict[str, DealOutcome]]:
    """A catalogue with regrets, and of each kind the first deal's name with the lost game."""
    count: int = request.param
    path = tmp_path / "lost.db"
    shutil.copy(initialised_sqlite, path)
    cards = get_dealer("thoughtful-1").deal_block(0, count)
    solvers = [parse_solver("exact"), parse_solver("greedy")]
    columns = tuple((SolverKey.of(s), tuple(s.solve(cards, RULES))) for s in solvers)
    games = games_of(RULES.slug, Sample("thoughtful-1", 0, count), "greedy")
    found: dict[str, DealOutcome] = {}
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        with cat.begin() as session:
            chunk = Chunk(RULES, "thoughtful-1", tuple(range(count)), cards, columns)
            write_chunk(session, chunk)
        find_regrets(cat, games)
        for seed in range(count):
            for outcome in deal_detail(cat, f"thoughtful-1:{seed}").outcomes:
                game = outcome.lost
                if game is not None and all(
                    other.lost is None or other.lost.kind != game.kind for other in found.values()
                ):
                    found[f"thoughtful-1:{seed}"] = outcome
    return path, found


def of_kind(found: dict[str, DealOutcome], kind: RegretKind) -> tuple[str, DealOutcome]:
    return next((deal, o) for deal, o in found.items() if o.lost and o.lost.kind == kind)


def choose_the_lost_game(page: Page, address: str, deal: str, solution: int) -> None:
    page.goto(f"{address}/?deal={deal}")
    expect(page.locator(".card")).to_have_count(52)
    # The solution is shown first, as always.
    expect(page.get_by_test_id("sentence")).to_have_text(
        f"The starting position. The solution has {solution} moves."
    )
    expect(page.get_by_role("button", name="Losing move")).to_have_count(0)
    choose_game(page, "greedy", "The starting position. greedy made")


def choose_game(page: Page, game: str, opening: str) -> None:
    choose(page, "Game by", game, exact=False)
    expect(page.get_by_text(opening)).to_be_visible()
    # For a moment the table before it is still there.
    expect(page.get_by_test_id("table")).to_have_count(1)


def solution_length(path: Path, deal: str) -> int:
    with store.open_catalogue(f"sqlite:///{path}") as cat:
        best = deal_detail(cat, deal).best(RULES.slug)
    assert best is not None
    assert best.moves is not None
    start = KlondikePosition.start(deal_by_id(deal), RULES)
    return len(shown_win(start, unpack_solution(best.moves), 0))


@pytest.mark.thorough
@pytest.mark.parametrize("lost", [LOST_BY_A_MOVE], indirect=True)
def test_the_losing_move_is_marked(
    page: Page, served: Callable[[str], str], lost: tuple[Path, dict[str, DealOutcome]]
) -> None:
    path, found = lost
    address = served(f"sqlite:///{path}")
    deal, outcome = of_kind(found, RegretKind.MOVE)
    game = outcome.lost
    assert game is not None
    assert game.step is not None
    number = game.step + 1
    choose_the_lost_game(page, address, deal, solution_length(path, deal))
    sentence, shown = page.get_by_test_id("sentence"), page.get_by_test_id("count")
    expect(sentence).to_have_text(
        f"The starting position. greedy made {game.length} moves and did not win. "
        f"It lost the game with move {number}."
    )
    expect(page.get_by_text(f"Lost with move {number} of {game.length}.")).to_be_visible()

    page.get_by_role("button", name="Losing move").click()
    expect(shown).to_have_text(f"{number} / {game.length}")
    moves = unpack_solution(game.moves)
    before = replay(KlondikePosition.start(deal_by_id(deal), RULES), moves[: game.step])
    step = KlondikeTable(before).play(before, moves[game.step], before.play(moves[game.step]))
    expect(sentence).to_have_text(f"Move {number} ({step.name}): {step.sentence} {SENTENCE}")
    page.keyboard.press("ArrowLeft")
    expect(shown).to_have_text(f"{game.step} / {game.length}")
    expect(sentence).not_to_contain_text(SENTENCE)

    page.get_by_text("All moves").click()
    marked = page.locator(".list button.noted")
    expect(marked).to_have_count(1)
    expect(page.locator(".list button").nth(game.step)).to_have_class("noted")
    marked.click()
    expect(page.get_by_test_id("note")).to_have_text(SENTENCE)

    # Back at the solution nothing is marked.
    choose_game(page, "exact", "The solution has")
    expect(page.locator(".list button.noted")).to_have_count(0)
    expect(page.get_by_role("button", name="Losing move")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize("lost", [STOPPED_TOO_EARLY], indirect=True)
def test_a_player_that_stopped_too_early_is_told_at_the_end(
    page: Page, served: Callable[[str], str], lost: tuple[Path, dict[str, DealOutcome]]
) -> None:
    path, found = lost
    address = served(f"sqlite:///{path}")
    deal, outcome = of_kind(found, RegretKind.STOPPED)
    game = outcome.lost
    assert game is not None
    choose_the_lost_game(page, address, deal, solution_length(path, deal))
    expect(page.get_by_text(f"Stopped after {game.length} moves.")).to_be_visible()
    page.get_by_role("button", name="Last position").click()
    expect(page.get_by_test_id("note")).to_have_text(
        "The bot stopped here, although a win was still possible."
    )
    expect(page.get_by_role("button", name="Losing move")).to_have_count(0)
