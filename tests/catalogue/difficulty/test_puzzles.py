"""Tests of puzzles: one play alone keeps the win, by another solver than the one that made them."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import thoughtful
from catalogue.difficulty import puzzles
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.puzzle_rating import (
    CHOICES,
    finds_of,
    fitted,
    shipped_puzzle_model,
)
from catalogue.difficulty.puzzles import (
    FEWEST,
    RULESETS,
    THEMES,
    VERSION,
    Puzzle,
    PuzzleState,
    only_play,
    puzzle,
    puzzle_plays,
    state_after,
)
from catalogue.tables.positions import positions_table, row_of, write_positions
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.game import Move, Position
from engine.games import family_of, game_of
from engine.replay import replay, wins
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from solvers.outcome import Result
from solvers.solver import configure, parse_solver

# One of Spider takes longer; of patience games the other solver does.
KEYS = {
    "klondike-draw1": range(5),
    "klondike-draw3": range(5),
    "spider-1": range(2),
    "freecell": range(2),
    "bakers-game": range(2),
    "eight-off": range(2),
    "seahaven-towers": range(2),
}
RATED = tuple(slug for slug in RULESETS if shipped_puzzle_model(slug) is not None)
# Of version 1.
KNOWN = {
    "klondike-draw1": [
        f"thoughtful-1:{seed}" for seed in (728308416, 110760894, 928684813, 361847164, 986382261)
    ],
    "klondike-draw3": [
        f"thoughtful-1:{seed}" for seed in (962051976, 453623539, 875218645, 301607383, 894980817)
    ],
    "spider-1": [f"thoughtful-1:{seed}" for seed in (701545177, 357354874)],
    "freecell": ["microsoft:919338", "microsoft:500781"],
    "bakers-game": ["microsoft:387974", "microsoft:72994"],
    "eight-off": ["microsoft:466967", "microsoft:183915"],
    "seahaven-towers": ["microsoft:334262", "microsoft:481442"],
}
# Share no code with the solvers that made the puzzles.
OTHERS = {
    "klondike": parse_solver("exact-plain(nodes=3000000)"),
    "spider": parse_solver("spider-plain(nodes=3000000)"),
    "patience": parse_solver("patience-plain(nodes=500)"),
}


@cache
def puzzles_of(ruleset: str) -> tuple[Puzzle, ...]:
    return tuple(puzzle(ruleset, None, f"test {key}") for key in KEYS[ruleset])


def moves_of(found: Puzzle, texts: tuple[str, ...]) -> tuple[Move, ...]:
    game = game_of(found.position.rules)
    return tuple(game.parse_move(text) for text in texts)


def start_of(found: Puzzle) -> Position:
    rules = parse_ruleset(found.ruleset)
    return game_of(rules).start(deal_by_id(found.deal, game_of(rules)), rules)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_referee_plays_to_the_position_and_on_to_a_win(ruleset: str) -> None:
    for found in puzzles_of(ruleset):
        assert found.ruleset == ruleset
        assert replay(start_of(found), moves_of(found, found.moves)) == found.position
        assert wins(found.position, moves_of(found, found.solution + found.rest))
        assert found.plays >= FEWEST
        assert safe_moves(found.position) == []


@pytest.mark.parametrize("ruleset", RULESETS)
def test_another_solver_proves_that_one_play_alone_keeps_the_win(ruleset: str) -> None:
    """Of the plays, looked for move by move; one that the other solver leaves open is not seen."""
    decided, several = 0, puzzles_of(ruleset)[:3]
    for found in several:
        plays = puzzle_plays(found.position.rules)
        answer = plays.card_of(found.position, moves_of(found, found.solution))
        others: dict[str, set[Result]] = {}
        for card, moves in plays.plays(found.position):
            # The referee has won after the answer.
            if card != answer:
                other = OTHERS[family_of(found.position.rules.game)]
                result = other.solve_position(replay(found.position, moves)).result
                others.setdefault(card, set()).add(result)
        assert not any(Result.WON in results for results in others.values())
        assert found.plays == len(others) + 1
        decided += sum(results == {Result.UNWINNABLE} for results in others.values())
    assert decided >= 2 * len(several)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_answer_is_the_first_move_for_good(ruleset: str) -> None:
    for found in puzzles_of(ruleset):
        solution = moves_of(found, found.solution)
        assert state_after(found.position, ()) is PuzzleState.OPEN
        assert state_after(found.position, solution[:-1]) is PuzzleState.OPEN
        assert state_after(found.position, solution) is PuzzleState.SOLVED
        only = only_play(found.position)
        assert only is not None
        assert only.moves == solution
        for moves in only.others[:3]:
            assert state_after(found.position, moves) is PuzzleState.LOST
            # Nothing mends it.
            after = replay(found.position, moves)
            further = next(iter(after.legal_moves()), None)
            if further is not None:
                assert state_after(found.position, (*moves, further)) is PuzzleState.LOST


def test_a_turn_that_loses_the_win_answers() -> None:
    """Three cards at a time: what is turned past is grouped in another way in the next pass."""
    found = puzzle("klondike-draw3", None, "lost 0")
    turn = moves_of(found, ("T",))
    other = OTHERS["klondike"].solve_position(replay(found.position, turn))
    assert other.result == Result.UNWINNABLE
    assert state_after(found.position, turn) is PuzzleState.LOST


def test_the_puzzle_of_a_key_stays_what_it_is() -> None:
    """Where one of these changes, so may those of all keys: raise `VERSION`."""
    assert VERSION == 1
    for ruleset, known in KNOWN.items():
        assert [each.deal for each in puzzles_of(ruleset)[: len(known)]] == known
        again = puzzles._puzzle.__wrapped__(ruleset, None, "test 0")
        assert again == puzzles_of(ruleset)[0]


def test_what_has_no_puzzles_is_refused() -> None:
    with pytest.raises(BadInput, match=r"no puzzles under spider-4: expected .* or seahaven-"):
        puzzle("spider-4", None, "")
    with pytest.raises(BadInput, match=r"no puzzles under simple-simon: "):
        puzzle("simple-simon", None, "")
    with pytest.raises(BadInput, match="'fun' is not a theme of puzzles under klondike-draw1: "):
        puzzle("klondike-draw1", "fun", "")
    with pytest.raises(BadInput, match=r"'king' is not .* under spider-1: expected turn-up,"):
        puzzle("spider-1", "king", "")
    with pytest.raises(BadInput, match="whist"):
        puzzle("whist", None, "")


def test_each_theme_has_words_and_none_is_named_twice() -> None:
    assert len(set(THEMES.values())) == len(THEMES) == 10


@pytest.mark.parametrize("theme", ["king", "face-down", "pass-by"])
def test_the_puzzle_of_a_theme_has_it(theme: str) -> None:
    assert theme in puzzle("klondike-draw3", theme, "test").themes


def test_puzzles_of_klondike_alone_have_levels() -> None:
    assert RATED == ("klondike-draw1", "klondike-draw3")
    assert puzzles_of("spider-1")[0].level is None


@pytest.mark.parametrize("ruleset", RATED)
def test_levels_are_those_of_how_often_players_find_the_play(ruleset: str) -> None:
    """Counted by hand of one player, by what its choice leaves of the win."""
    model = shipped_puzzle_model(ruleset)
    assert model is not None
    assert (model.level([0, 0, 0, 0]), model.level([CHOICES] * 4)) == (10, 1)
    assert [model.level([n] * 4) for n in range(CHOICES + 1)] == sorted(
        (model.level([n] * 4) for n in range(CHOICES + 1)), reverse=True
    )
    for found in puzzles_of(ruleset)[:2]:
        finds = finds_of(found.position, moves_of(found, found.solution), model.players)
        assert found.level == model.level(finds)
        assert found.level_name == LEVELS[model.level(finds) - 1]
        first = parse_solver(model.players[0])
        right = 0
        for seed in range(1, CHOICES + 1):
            player = configure(first.method, {**dict(first.values), "random_seed": seed})
            advice = player.advise(found.position.observation(), found.position.rules)[0]
            state = state_after(found.position, advice.moves)
            assert state is not PuzzleState.OPEN, "this puzzle is no test: take another key"
            right += state is PuzzleState.SOLVED
        assert finds[0] == right


def test_a_fit_tells_hard_puzzles_from_easy_ones() -> None:
    """Finds drawn from known difficulties: the model puts them in their order."""
    random = np.random.default_rng(1)
    difficulty = np.linspace(-3, 3, 300)
    chance = 1 / (1 + np.exp(difficulty[:, None] - np.array([0.0, 0.5, 1.0])))
    finds = random.binomial(CHOICES, chance).astype(np.int64)
    model = fitted(("a", "b", "c"), finds)
    assert np.diff(model.rasch.abilities) == pytest.approx(0.5, abs=0.25)
    levels = [model.level(row.tolist()) for row in finds]
    assert np.corrcoef(levels, difficulty)[0, 1] > 0.9
    assert len(set(levels)) == 10


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_table_of_positions_replays(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"puzzles.{form}"
    several = puzzles_of("klondike-draw3")
    count = write_positions((row_of(each, str(at)) for at, each in enumerate(several)), file)
    assert count == len(several)
    if form == "csv":
        frame = pd.read_csv(file)
    elif form == "jsonl":
        frame = pd.read_json(file, lines=True)
    else:
        frame = pd.read_parquet(file)
    assert list(frame.columns) == [column.name for column in positions_table().columns]
    for row, each in zip(frame.to_dict("records"), several, strict=True):
        rules = parse_ruleset(row["ruleset"])
        game = game_of(rules)
        start = game.start(deal_by_id(row["deal"], game), rules)
        there = replay(start, game.parse_solution(row["line"]))
        assert there.to_json() == json.loads(row["position"])
        assert wins(there, game.parse_solution(f"{row['answer']} {row['rest']}"))
        assert (row["candidates"], row["puzzle_level"]) == (each.plays, each.level)
    with pytest.raises(BadInput, match="unknown format 'txt'"):
        write_positions([], tmp_path / "puzzles.txt")


def test_puzzles_from_python() -> None:
    found = thoughtful.puzzle("klondike-draw3", key="test 0")
    assert found.deal == KNOWN["klondike-draw3"][0]
    assert found.win.wins
    assert found.win.moves[: len(found.answer)] == found.answer.moves
    assert f"one of {found.plays} plays, level {found.level}" in repr(found)
