"""Tests of `yan-rollout` against rollouts on the referee, and of skipped simulations."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from engine.cards import KING, rank
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.kernels.rng import seed_rng
from engine.klondike.deal import KlondikeDeal
from engine.klondike.flat import MOVES, PLAYED, new_position, set_up
from engine.klondike.moves import KlondikeKind, move_byte, pack_solution, unpack_solution
from engine.klondike.referee import KlondikePosition, proves_win
from engine.klondike.rules import PRESETS, KlondikeRules
from engine.klondike.whole_runs import play
from engine.rulesets import parse_ruleset
from solvers.klondike.yan import reach
from solvers.klondike.yan.heuristic import THE_PAPER, YanReading
from solvers.klondike.yan.rollout import play_deal
from solvers.klondike.yan.rollout_search import NEVER_ASK, new_games, roll_out
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver
from thoughtful.command_line import application
from twins.yan import NaivePlay, NaiveRng

RULES = PRESETS["klondike-yan"]
THOUGHTFUL = get_dealer("thoughtful-1")

# Where a frame has the number of moves of its game.
LENGTH = 4


def random_deals(first: int, count: int) -> list[KlondikeDeal]:
    return [KlondikeDeal.of(row) for row in THOUGHTFUL.deal_block(first, count)]


def naive_game(
    deal: KlondikeDeal, draw: int, iterations: int, random_seed: int, reading: YanReading
) -> tuple[bool, bytes, int]:
    """Whether the game is won, its moves, and how many were made in it and all simulations."""
    rules = KlondikeRules(draw=draw, partial_runs=False)
    naive = NaivePlay(reading)
    rng = NaiveRng.of_deal(deal, random_seed)
    won, line = naive.game(KlondikePosition.start(deal, rules), False, iterations, rng)
    return won, pack_solution(line), naive.played


def kernel_game(
    deal: KlondikeDeal,
    draw: int,
    iterations: int,
    random_seed: int,
    reading: YanReading,
    ask_from: int = NEVER_ASK,
) -> tuple[bool, bytes, int]:
    """The same by the kernel; of a lost game, the moves that were not simulated."""
    games, work = new_games(), reach.new_reach_workspace()
    cards = deal.as_array()
    set_up(cards, draw, games.positions[0])
    seed_rng(cards, random_seed, games.rng[0])
    games.keys[0] = reach.start_key(games.positions[0])
    reach.clear_table(work)
    won, length, played = roll_out(iterations, reading, ask_from, games, work)
    if iterations and not won:
        length = games.frames[0, LENGTH]
    return bool(won), games.record[:length].tobytes(), int(played)


@pytest.mark.parametrize(
    ("iterations", "count", "draw", "reading"),
    [
        (0, 40, 3, THE_PAPER),
        (1, 30, 3, THE_PAPER),
        (1, 12, 3, YanReading(waste_up=5, turning=5, queens=1)),
        (1, 12, 3, YanReading(tries_down=0)),
        (1, 12, 2, THE_PAPER),
        (1, 12, 5, THE_PAPER),
        (2, 4, 3, THE_PAPER),
        (2, 4, 3, YanReading(waste_up=5, tries_down=0)),
    ],
)
def test_games_agree_move_by_move(
    iterations: int, count: int, draw: int, reading: YanReading
) -> None:
    """Also each number of moves made in simulations, which differs when a single one does."""
    won = 0
    for number, deal in enumerate(random_deals(60_000 + 1_000 * iterations, count)):
        expected = naive_game(deal, draw, iterations, number % 3, reading)
        assert kernel_game(deal, draw, iterations, number % 3, reading) == expected
        won += expected[0]
    assert 0 < won < count


def test_without_iterations_it_plays_as_the_heuristic() -> None:
    deals = THOUGHTFUL.deal_block(0, 200)
    for random_seed in (0, 7):
        heuristic = parse_solver(f"yan-heuristic(random_seed={random_seed})")
        rollout = parse_solver(f"yan-rollout(iterations=0, random_seed={random_seed})")
        expected = results(heuristic.solve(deals, RULES))
        assert results(rollout.solve(deals, RULES)) == expected
        assert any(result is Result.WON for result, _, _ in expected)


@pytest.mark.parametrize(
    ("iterations", "count", "asked"),
    [
        (1, 20, (1,)),
        (2, 10, (1, 2)),
        (3, 4, (1, 2, 3)),
    ],
)
def test_what_is_not_simulated_changes_no_game(
    iterations: int, count: int, asked: tuple[int, ...]
) -> None:
    saved = 0
    for number, deal in enumerate(random_deals(80_000, count)):
        won, line, all_moves = kernel_game(deal, 3, iterations, number, THE_PAPER)
        for ask_from in asked:
            again = kernel_game(deal, 3, iterations, number, THE_PAPER, ask_from)
            assert again[0] == won
            # A lost game may end as soon as no draws win it.
            assert again[1] == line if won else line.startswith(again[1])
            assert again[2] <= all_moves
            saved += again[2] < all_moves
    assert saved > count // 2


def test_strays_needed() -> None:
    """Of positions met by random play, against a search over the referee's moves."""
    count = 8
    chooser = random.Random(8)
    found = []
    for deal in random_deals(90_000, count):
        naive, work = NaivePlay(THE_PAPER), reach.new_reach_workspace()
        reach.clear_table(work)
        referee, moved = KlondikePosition.start(deal, RULES), False
        position = new_position()
        set_up(deal.as_array(), 3, position)
        key = reach.start_key(position)
        for _ in range(chooser.randrange(60)):
            tried = naive.tried(referee, moved)
            if not tried:
                break
            ups = [move for move in tried if move.kind in (KlondikeKind.UP, KlondikeKind.WASTE_UP)]
            move = chooser.choice(ups or tried)
            key = reach.key_after(position, key, move_byte(move))
            play(position, move_byte(move))
            referee, moved = naive.after(referee, moved, move)
        needed = naive.strays_needed(referee, moved, 1)
        for strays in chooser.sample([0, 1], 2):
            expected = needed is not None and needed <= strays
            assert reach.can_win(position, key, strays, THE_PAPER, work) == expected
        found.append(needed)
    assert set(found) == {None, 0, 1}


def canonical(position: KlondikePosition, card_moved: bool) -> tuple[Any, ...]:
    """What a key tells apart: positions that differ in more than the order of their columns."""
    columns = sorted(zip(position.down, position.up, strict=True))
    return (tuple(columns), position.foundations, position.stock, position.waste, card_moved)


def test_keys_tell_positions_apart_but_not_orders_of_columns() -> None:
    count = 5
    chooser = random.Random(3)
    met_again = 0
    for deal in random_deals(95_000, count):
        naive = NaivePlay(THE_PAPER)
        seen: dict[int, tuple[Any, ...]] = {}
        keys: dict[tuple[Any, ...], int] = {}
        for _ in range(15):
            referee, moved = KlondikePosition.start(deal, RULES), False
            position = new_position()
            set_up(deal.as_array(), 3, position)
            key = int(reach.start_key(position))
            for _ in range(150):
                what = canonical(referee, moved)
                met_again += key in seen
                assert seen.setdefault(key, what) == what
                assert keys.setdefault(what, key) == key
                assert bool(position[PLAYED]) == moved
                tried = naive.tried(referee, moved)
                if not tried:
                    break
                # Cards up and down again, and kings to different columns, meet again.
                liked = [move for move in tried if move.kind is not KlondikeKind.TURN]
                move = chooser.choice(liked if liked and chooser.random() < 0.7 else tried)
                key = int(reach.key_after(position, key, move_byte(move)))
                play(position, move_byte(move))
                referee, moved = naive.after(referee, moved, move)
    assert met_again > 25 * count


def test_a_king_dealt_to_a_bottom_is_like_one_that_went_there() -> None:
    """The only case in which a card's key changes when it is turned up."""
    chooser = random.Random(4)
    turned = 0
    for deal in random_deals(200_000, 400):
        bottoms = [column[0] for column in deal.tableau]
        if not any(rank(card) == KING for card in bottoms[:3]):
            continue
        referee, moved = KlondikePosition.start(deal, RULES), False
        naive = NaivePlay(THE_PAPER)
        position = new_position()
        set_up(deal.as_array(), 3, position)
        key = int(reach.start_key(position))
        for _ in range(100):
            tried = naive.tried(referee, moved)
            runs = [move for move in tried if move.kind is KlondikeKind.RUN]
            if not tried:
                break
            move = chooser.choice(runs or tried)
            if move.kind in (KlondikeKind.RUN, KlondikeKind.UP):
                lies = referee.down[move.source]
                turned += len(lies) == 1 and rank(lies[0]) == KING
            key = int(reach.key_after(position, key, move_byte(move)))
            play(position, move_byte(move))
            referee, moved = naive.after(referee, moved, move)
            assert key == key_of(referee, moved)
    assert turned > 20


def key_of(position: KlondikePosition, card_moved: bool) -> int:
    """A key worked out from what lies where."""
    numbers = reach._NUMBERS.tolist()
    key = numbers[reach._WASTE + len(position.waste)]
    key ^= numbers[reach._SINCE_REDEAL] if card_moved else 0
    for suit, height in enumerate(position.foundations):
        for level in range(height):
            key ^= numbers[4 * level + suit]
    for down, up in zip(position.down, position.up, strict=True):
        if up and not down and rank(up[0]) == KING:
            key ^= numbers[reach._ON_FLOOR + up[0]]
        for below, above in pairwise(up):
            key ^= numbers[reach._ON_CARD + 52 * (below % 4 // 2) + above]
    return int(key)


def test_what_was_noted_is_known() -> None:
    """Also after the table has grown; an entry may be lost to another, but none is altered."""
    chooser = random.Random(6)
    work = reach.new_reach_workspace()
    reach.clear_table(work)
    noted: dict[int, tuple[int, int]] = {}
    for _ in range(15_000):
        key = chooser.getrandbits(63)
        if noted and chooser.random() < 0.3:
            key = chooser.choice(list(noted)[-20:])
        needed, enough = chooser.randrange(4), chooser.randrange(4, 8)
        reach._note(work, key, needed, enough)
        known = noted.get(key, (0, 7))
        noted[key] = (max(needed, known[0]), min(enough, known[1]))
    lost = 0
    for key, known in noted.items():
        found = reach._known(work, key)
        if found == (0, 7) and known != (0, 7):
            lost += 1
        else:
            assert found == known
    assert lost < len(noted) // 100
    assert reach._known(work, chooser.getrandbits(63)) == (0, 7)
    reach.clear_table(work)
    assert all(reach._known(work, key) == (0, 7) for key in list(noted)[:1000])


def results(outcomes: list[Outcome]) -> list[tuple[Result, int, bytes | None]]:
    return [(o.result, o.nodes, o.moves) for o in outcomes]


@pytest.mark.parametrize(("iterations", "count"), [(1, 60), (2, 20), (3, 8), (4, 6), (5, 4)])
def test_wins_replay_and_results_repeat(iterations: int, count: int) -> None:
    solver = parse_solver(f"yan-rollout(iterations={iterations}, random_seed=3)")
    deals = THOUGHTFUL.deal_block(1_000, count)
    outcomes = solver.solve(deals, RULES)
    for cards, outcome in zip(deals, outcomes, strict=True):
        if outcome.result is Result.WON:
            assert outcome.moves is not None
            assert proves_win(KlondikeDeal.of(cards), RULES, unpack_solution(outcome.moves))
        else:
            assert (outcome.result, outcome.moves) == (Result.LOST, None)
        assert outcome.nodes > 0
        assert outcome.cpu_ms > 0
    assert 0 < sum(o.result is Result.WON for o in outcomes) < count
    assert results(solver.solve(deals[::-1], RULES)) == results(outcomes)[::-1]


def test_random_seeds_matter_and_repeat() -> None:
    deals = THOUGHTFUL.deal_block(2_000, 100)
    by_seed = [
        results(parse_solver(f"yan-rollout(random_seed={seed})").solve(deals, RULES))
        for seed in (0, 1, 0)
    ]
    assert by_seed[0] == by_seed[2] != by_seed[1]


def test_ties_settled_by_the_position() -> None:
    """Then draws change nothing, the number does, and each line is still h's or tried."""
    deals = random_deals(3_000, 80)

    def wins(number: int, random_seed: int) -> list[bool]:
        reading = YanReading(fixed_ties=number)
        return [
            play_deal(deal.as_array(), 1, random_seed=random_seed, reading=reading)[0] is not None
            for deal in deals
        ]

    assert wins(1, 0) == wins(1, 5) != wins(2, 0)


def test_one_worker_and_two_print_the_same(tmp_path: Path) -> None:
    iterations = 1
    lines = [f'{{"id": {seed}, "dealer": "thoughtful-1", "seed": {seed}}}' for seed in range(40)]
    source = tmp_path / "deals.jsonl"
    source.write_text("\n".join(lines) + "\n")
    solver = f"yan-rollout(iterations={iterations})"
    printed = []
    for workers in ("1", "2"):
        target = tmp_path / f"{workers}.jsonl"
        command = f"solve --rules klondike-yan --solver {solver} --workers {workers}"
        ended = CliRunner().invoke(
            application(),
            [*command.split(), "--input", str(source), "--output", str(target)],
        )
        assert ended.exit_code == 0, ended.output
        found = [json.loads(line) for line in target.read_text().splitlines()]
        assert [line["id"] for line in found] == list(range(40))
        printed.append([{**line, "cpu_ms": None} for line in found])
    assert printed[0] == printed[1]
    assert {line["outcome"] for line in printed[0]} == {"won", "lost"}


@pytest.mark.parametrize("most", [2, 8])
def test_compiled_and_interpreted_agree(
    most: int,
    with_and_without_compiler: Callable[[str], tuple[Any, Any]],
) -> None:
    program = f"most = {most}\n" + (
        "from engine.dealing.dealers import get_dealer\n"
        "from solvers.solver import parse_solver\n"
        "from engine.klondike.rules import PRESETS\n"
        "found = []\n"
        "for iterations, first, count in ((0, 0, 20), (1, 0, 12), (2, 3, 2), (3, 8, 2)):\n"
        "    cards = get_dealer('thoughtful-1').deal_block(first, count)[:most]\n"
        "    solver = parse_solver(f'yan-rollout(iterations={iterations})')\n"
        "    found += [(iterations, o.result, o.nodes, o.moves and o.moves.hex())\n"
        "              for o in solver.solve(cards, PRESETS['klondike-yan'])]\n"
    )
    compiled, interpreted = with_and_without_compiler(program)
    assert compiled == interpreted
    assert {result for _, result, _, _ in compiled} == {"won", "lost"}


@pytest.mark.parametrize(
    "slug", ["klondike-draw3", "klondike-vegas", "klondike-draw3-whole-runs-no-worrying-back"]
)
def test_other_rules_are_refused(slug: str) -> None:
    with pytest.raises(BadInput, match="yan-rollout does not play"):
        parse_solver("yan-rollout").solve(THOUGHTFUL.deal_block(0, 1), parse_ruleset(slug))


def test_parameters() -> None:
    assert str(parse_solver("yan-rollout")) == "yan-rollout(iterations=1, random_seed=0)"
    for text in ("iterations=6", "iterations=-1", "random_seed=-1", "random_seed=2147483648"):
        with pytest.raises(BadInput, match=f"{text} of yan-rollout is out of range"):
            parse_solver(f"yan-rollout({text})")
    with pytest.raises(BadInput, match="no parameter 'depth'"):
        parse_solver("yan-rollout(depth=2)")
    chunks = [parse_solver(f"yan-rollout(iterations={n})").chunk for n in range(6)]
    assert chunks == sorted(chunks, reverse=True)


def test_moves_that_are_tried() -> None:
    """All of section 2, but a king from one empty column to another and a redeal that loses."""
    chooser = random.Random(1)
    moves = np.zeros(MOVES, dtype=np.int64)
    kinds: set[KlondikeKind] = set()
    left_out: set[KlondikeKind] = set()
    for number, deal in enumerate(random_deals(4_000, 60)):
        reading = THE_PAPER if number % 3 else YanReading(tries_down=0)
        naive = NaivePlay(reading)
        referee, moved = KlondikePosition.start(deal, RULES), False
        position = new_position()
        set_up(deal.as_array(), 3, position)
        for _ in range(150):
            tried = naive.tried(referee, moved)
            count = reach.tries(position, reading, moves)
            assert moves[:count].tolist() == [move_byte(move) for move in tried]
            kinds |= {move.kind for move in tried}
            left_out |= {move.kind for move in naive.legal(referee) if move not in tried}
            if not tried:
                break
            move = chooser.choice(tried)
            play(position, move_byte(move))
            referee, moved = naive.after(referee, moved, move)
    assert kinds == set(KlondikeKind) - {KlondikeKind.PART}
    assert left_out == {KlondikeKind.RUN, KlondikeKind.REDEAL, KlondikeKind.DOWN}
