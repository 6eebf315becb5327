"""`exact` against known verdicts, against exhaustive search, and piece by piece."""

import gzip
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.bits import BIT_OF_CARD, CARD_OF_BIT, next_in_suit, previous_in_suit, swap_twins
from engine.cards import DECK, KING, is_red, make_card, parse_card, rank, suit, twin
from engine.deals import KlondikeDeal
from engine.errors import BadInput
from engine.moves import REDEAL, TURN, unpack_solution
from engine.referee import Position, proves_win, replay
from engine.rulesets import PRESETS, KlondikeRules, parse_ruleset
from solvers import exact, exact_table
from solvers import exact_kernel as kernel
from solvers.outcome import Result
from solvers.registry import parse_solver

sys.path.insert(0, str(Path(__file__).parent))
from naive_search import naive_verdict, random_late_position

DATA = Path(__file__).parents[1] / "data"
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"


def known_deals(name: str) -> tuple[list[KlondikeDeal], list[str]]:
    with gzip.open(DATA / name, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return [KlondikeDeal.from_json(row) for row in rows], [row["verdict"] for row in rows]


@pytest.mark.parametrize(
    ("ruleset", "name", "nodes"),
    [
        ("klondike-draw3", "klondike-draw3.jsonl.gz", 2_000_000),
        ("klondike-draw1", "klondike-draw1.jsonl.gz", 2_000_000),
    ],
)
def test_known_verdicts(ruleset: str, name: str, nodes: int) -> None:
    deals, verdicts = known_deals(name)
    rules = PRESETS[ruleset]
    solver = parse_solver(f"exact(nodes={nodes})")
    outcomes = solver.solve(np.array([deal.cards for deal in deals], dtype=np.uint8), rules)
    undecided = 0
    for number, (deal, verdict, outcome) in enumerate(zip(deals, verdicts, outcomes, strict=True)):
        if outcome.result == Result.GAVE_UP:
            undecided += 1
        elif outcome.result == Result.WON:
            assert verdict == "winnable", number
            assert outcome.moves is not None
            assert proves_win(deal, rules, unpack_solution(outcome.moves)), number
        else:
            assert outcome.result == Result.UNWINNABLE
            assert verdict == "unwinnable", number
    assert undecided <= 0.05 * len(deals)


def random_start(random_state: random.Random) -> Position:
    """A deal after some random moves; with many cards turned at once, few positions follow."""
    rules = KlondikeRules(draw=random_state.choice([3, 4, 6, 8, 12, 24]))
    cards = list(DECK)
    random_state.shuffle(cards)
    position = Position.start(KlondikeDeal.of(cards), rules)
    for _ in range(random_state.randint(0, 60)):
        position = position.play(random_state.choice(position.legal_moves()))
    return position


def late_position(random_state: random.Random) -> Position:
    rules = KlondikeRules(draw=random_state.choice([1, 2, 3, 3, 3, 4, 5, 7]))
    return random_late_position(random_state, rules, random_state.randint(4, 30))


def agreement(kind: str, count: int, most: int, seed: int) -> tuple[int, int]:
    """Compare `exact` with exhaustive search on `count` positions; wins and losses compared."""
    solver = parse_solver("exact(nodes=200000)")
    random_state = random.Random(f"{kind} {seed}")
    wins = losses = 0
    for _ in range(count):
        position = {"late": late_position, "start": random_start}[kind](random_state)
        verdict = naive_verdict(position, most)
        if verdict is None:
            continue
        outcome = solver.solve_position(position)
        assert outcome.result == (Result.WON if verdict else Result.UNWINNABLE), str(position)
        if verdict:
            assert outcome.moves is not None
            assert replay(position, unpack_solution(outcome.moves)).is_won
            wins += 1
        else:
            losses += 1
    return wins, losses


def test_agrees_with_exhaustive_search_on_late_positions() -> None:
    wins, losses = agreement("late", 1500 if COMPILED else 30, 400, 1)
    assert wins >= (500 if COMPILED else 8)
    assert losses >= (5 if COMPILED else 0)


def test_agrees_with_exhaustive_search_on_positions_without_hope() -> None:
    _, losses = agreement("start", 800 if COMPILED else 10, 400, 2)
    assert losses >= (350 if COMPILED else 3)


# Small positions decided by exhaustive search; each catches a slip in at least one pruning
# rule: draw, foundation heights, face-down|face-up cards of each column, waste|stock.
SHARP = [
    ("7 12,8,13,13 |/|/|/|/|/|/| QDKD9DTD|JDKC", True),
    ("2 10,12,12,12 |/|/|/|KC/|/|/| JCKSKHKDQC|", True),
    ("6 11,12,11,11 |/|/|/|/|/|/| |KCKSKHQSKDQCQH", True),
    ("5 13,10,11,10 |/|/|/|/|/|/| JDKSJHKDQHKH|QDQS", True),
    ("5 4,13,13,13 |/|TC/|/JC|QC/|8C/|5C/|7C |9CKC6C", True),
    ("7 4,13,11,13 |/|KC/|/7C|QC/|8C/|6C/|TC KS|5CQSJC9C", True),
    ("3 7,13,11,10 |9C/8C|QS/|/|/|KC/|/KSKHJHQCQH|JC |TC", True),
    ("5 10,13,6,12 |/7S|KC/|/|KH/|/|/9SJSJCTSQS|QC KS|8S", True),
    ("5 11,13,12,2 |5H/|7H/TH|JH/KS9H|3H/6H|QH/8H|QC/4H|KH KC|", True),
    ("5 11,12,12,2 |5H/|7H/TH|QC/3HKS|9H/KH|8H/KC|JH/4H|QH KD|6H", True),
]


@pytest.mark.parametrize(("text", "winnable"), SHARP)
def test_sharp_positions(text: str, winnable: bool) -> None:
    def cards(names: str) -> tuple[int, ...]:
        return tuple(parse_card(names[at : at + 2]) for at in range(0, len(names), 2))

    draw, heights, columns, talon = text.split(" ")
    piles = [column.split("|") for column in columns.split("/")]
    waste, stock = talon.split("|")
    clubs, diamonds, spades, hearts = map(int, heights.split(","))
    position = Position(
        KlondikeRules(draw=int(draw)),
        tuple(cards(down) for down, _ in piles),
        tuple(cards(up) for _, up in piles),
        (clubs, diamonds, spades, hearts),
        cards(stock),
        cards(waste),
    ).checked()
    outcome = parse_solver("exact").solve_position(position)
    assert outcome.result == (Result.WON if winnable else Result.UNWINNABLE)
    if winnable:
        assert outcome.moves is not None
        assert replay(position, unpack_solution(outcome.moves)).is_won


def test_the_same_without_the_compiler() -> None:
    """Verdicts, nodes and solutions must not depend on the compiler."""
    script = """
import json, sys
from test_exact import fingerprints
print(json.dumps(fingerprints()))
"""
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1", PYTHONPATH=str(Path(__file__).parent))
    plain = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert plain.returncode == 0, plain.stderr
    assert json.loads(plain.stdout) == fingerprints()


def fingerprints() -> list[list[object]]:
    found = []
    random_state = random.Random(7)
    positions = [late_position(random_state) for _ in range(40)]
    positions += [random_start(random_state) for _ in range(10)]
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    positions += [Position.start(deal, PRESETS["klondike-draw3"]) for deal in deals[:12]]
    positions += [Position.start(deal, PRESETS["klondike-draw1"]) for deal in deals[12:20]]
    for position in positions:
        outcome = parse_solver("exact(nodes=1500)").solve_position(position)
        moves = outcome.moves.hex() if outcome.moves else None
        found.append([outcome.result.value, outcome.nodes, moves])
    return found


def test_side_by_side_in_threads() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    cards = np.array([deal.cards for deal in deals[:80]], dtype=np.uint8)
    rules = PRESETS["klondike-draw3"]
    solver = parse_solver("exact(nodes=20000)")
    alone = [(o.result, o.nodes, o.moves) for o in solver.solve(cards, rules)]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda k: solver.solve(cards[k : k + 1], rules)[0], range(len(cards)))
        assert [(o.result, o.nodes, o.moves) for o in parts] == alone


def test_a_deal_and_its_start_are_the_same() -> None:
    deals, _ = known_deals("klondike-draw1.jsonl.gz")
    solver = parse_solver("exact(nodes=5000)")
    for deal in deals[:30]:
        for slug in ("klondike-draw1", "klondike-draw3"):
            from_deal = solver.solve(deal.as_array()[None], PRESETS[slug])[0]
            from_start = solver.solve_position(Position.start(deal, PRESETS[slug]))
            assert from_deal.result == from_start.result
            assert from_deal.nodes == from_start.nodes
            assert from_deal.moves == from_start.moves


def test_budgets_end_the_search() -> None:
    deals, _ = known_deals("klondike-draw3.jsonl.gz")
    hard = deals[198].as_array()[None]  # takes some hundred thousand nodes
    rules = PRESETS["klondike-draw3"]
    outcome = parse_solver("exact(nodes=10)").solve(hard, rules)[0]
    assert outcome.result == Result.GAVE_UP
    assert outcome.nodes == 10
    assert outcome.moves is None
    small = parse_solver("exact(nodes=100000000, memory_mib=1)").solve(hard, rules)[0]
    large = parse_solver("exact(nodes=100000000)").solve(hard, rules)[0]
    assert small.result == Result.GAVE_UP
    assert small.nodes < large.nodes
    assert large.result == Result.WON


def test_a_won_position_is_won_at_once() -> None:
    rules = PRESETS["klondike-draw3"]
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    won = Position(rules, empty, empty, (13, 13, 13, 13), ())
    outcome = parse_solver("exact").solve_position(won)
    assert outcome.result == Result.WON
    assert outcome.moves == b""


@pytest.mark.parametrize(
    "slug", ["klondike-yan", "klondike-vegas", "klondike-draw3-no-worrying-back"]
)
def test_other_rulesets_are_refused(slug: str) -> None:
    deals, _ = known_deals("klondike-draw1.jsonl.gz")
    with pytest.raises(BadInput, match="exact does not play"):
        parse_solver("exact").solve(deals[0].as_array()[None], parse_ruleset(slug))


# The pieces, each beside a naive twin on sets of cards.


def as_bits(cards: set[int]) -> int:
    return sum(1 << int(BIT_OF_CARD[card]) for card in cards)


def as_cards(bits: int) -> set[int]:
    return {int(CARD_OF_BIT[bit]) for bit in range(52) if int(bits) >> bit & 1}


def parents(card: int) -> set[int]:
    return {c for c in DECK if rank(c) == rank(card) + 1 and is_red(c) != is_red(card)}


def children(card: int) -> set[int]:
    return {c for c in DECK if rank(c) + 1 == rank(card) and is_red(c) != is_red(card)}


def test_the_layout_of_bits() -> None:
    assert sorted(BIT_OF_CARD) == list(range(52))
    for card in DECK:
        bit = 1 << int(BIT_OF_CARD[card])
        assert as_cards(swap_twins(bit)) == {twin(card)}
        up = {make_card(rank(card) + 1, suit(card))} if rank(card) < KING else set()
        down = {make_card(rank(card) - 1, suit(card))} if rank(card) else set()
        assert as_cards(next_in_suit(bit)) == up
        assert as_cards(previous_in_suit(bit)) == down
        pair = int(BIT_OF_CARD[card]) & ~1
        assert {int(CARD_OF_BIT[b]) for b in (pair + 4, pair + 5) if b < 52} == parents(card)


def test_bare_by_trying_every_arrangement() -> None:
    """A visible card can be bare if the loose cards fit on the other visible ones."""
    random_state = random.Random(3)
    for _ in range(400 if COMPILED else 40):
        visible = {card for card in DECK if random_state.random() < 0.5}
        loose = {card for card in visible if random_state.random() < 0.6 and rank(card) < KING}
        bare = as_cards(kernel._bare(as_bits(visible), as_bits(loose)))
        for card in visible:
            hosts = {card, twin(card)} & visible
            riders = children(card) & loose
            if len(riders) > len(hosts):
                continue  # no arrangement at all: never arises in play
            assert (card in bare) == (len(riders) <= len(hosts) - 1)


def test_safe_by_its_definition() -> None:
    random_state = random.Random(4)
    for _ in range(300 if COMPILED else 30):
        heights = [random_state.randint(0, 13) for _ in range(4)]
        up = {make_card(r, s) for s in range(4) for r in range(heights[s])}
        ready = up | {make_card(heights[s], s) for s in range(4) if heights[s] < 13}
        safe = as_cards(kernel._safe(as_bits(up)))
        for card in DECK:
            below = make_card(rank(card) - 2, suit(twin(card))) if rank(card) >= 2 else None
            expected = children(card) <= ready and (below is None or below in ready)
            assert (card in safe) == expected


def test_reach_of_the_stock_by_turning_it() -> None:
    random_state = random.Random(5)
    empty: tuple[tuple[int, ...], ...] = ((),) * 7
    for _ in range(400 if COMPILED else 40):
        rules = KlondikeRules(draw=random_state.randint(1, 9))
        size = random_state.randint(0, 24)
        waste = random_state.randint(0, size)
        mask = 0
        for index in random_state.sample(range(24), size):
            mask |= 1 << index
        indices = [index for index in range(24) if mask >> index & 1]
        position = Position(
            rules, empty, empty, (0, 0, 0, 0), tuple(indices[waste:]), tuple(indices[:waste])
        )
        offered = set()
        for _ in range(60):
            if position.waste:
                offered.add(position.waste[-1])
            if not (position.stock or position.waste):
                break
            position = position.play(TURN if position.stock else REDEAL)
        normal = 0 if waste % rules.draw == 0 or waste == size else waste
        reach = int(kernel._within_reach(mask | normal << 24, rules.draw))
        assert {index for index in range(24) if reach >> index & 1} == offered


def naive_hopeless(position: Position) -> bool:
    """The relaxation on sets of cards, written from its definition."""
    draw = position.rules.draw
    up = {make_card(r, s) for s in range(4) for r in range(position.foundations[s])}
    columns = [list(d) + list(u[:1]) for d, u in zip(position.down, position.up, strict=True)]
    loose = {card for pile in position.up for card in pile[1:]}
    for column in columns:
        if len(column) == 1 and rank(column[0]) == KING:
            loose.add(column.pop())
    stock = list(position.waste + position.stock)
    waste = len(position.waste)
    if waste % draw == 0 or waste == len(stock):
        waste = 0
    seen = loose | {column[-1] for column in columns if column}
    free = up | seen
    kings = sum(1 for card in loose if rank(card) == KING)
    open_column = sum(1 for column in columns if not column) > kings
    taken: set[int] = set()
    while True:
        before = (len(up), len(seen), len(free), len(taken), open_column, sum(map(len, columns)))
        up |= {c for c in free if rank(c) == 0 or make_card(rank(c) - 1, suit(c)) in up}
        open_column |= any(rank(c) == KING for c in up & loose)

        def placeable(
            card: int, has_column: bool = open_column, seen: set[int] = seen, up: set[int] = up
        ) -> bool:
            if rank(card) == KING:
                return has_column
            # A child that lies there and can never go up keeps one of the two places.
            sitting = any(c in loose and c not in up for c in (card, twin(card)))
            return len(parents(card) & seen) > sitting

        seen |= {card for card in free if placeable(card)}
        for column in columns:
            if column and (column[-1] in up or placeable(column[-1])):
                column.pop()
                if column:
                    seen.add(column[-1])
                    free.add(column[-1])
                else:
                    open_column = True
        for at, card in enumerate(stock):
            below = sum(1 for other in stock[:at] if other in taken)
            within = (
                (at + 1) % draw <= below
                or at == len(stock) - 1
                or (waste > 0 and at >= waste - 1 and (at - waste + 1) % draw == 0)
                or stock[at + 1] in taken
            )
            if within:
                free.add(card)
                if card in up or placeable(card):
                    taken.add(card)
        if before == (
            len(up),
            len(seen),
            len(free),
            len(taken),
            open_column,
            sum(map(len, columns)),
        ):
            return len(up) < 52


def test_hopeless_by_sets() -> None:
    random_state = random.Random(6)
    hopeless = 0
    for number in range(1500 if COMPILED else 60):
        position = (late_position, random_start)[number % 2](random_state)
        exact._load(position)
        work = exact._work
        found = kernel._hopeless(
            *(int(x) for x in work.start[:5]), position.rules.draw,
            work.column_cards, work.stock_cards,
        )  # fmt: skip
        assert found == naive_hopeless(position), str(position)
        hopeless += found
    assert hopeless >= (50 if COMPILED else 2)


def covers(draw: int, entered: list[int], waste: int) -> bool:
    """Whether wastes entered before make entering `waste` needless."""
    if draw > 3 or waste == 0:
        return waste in entered if draw > 3 else bool(entered)
    return any(w > 0 and w % draw == waste % draw and w <= waste for w in entered)


@pytest.mark.parametrize("draw", [1, 2, 3, 5])
def test_the_table_beside_a_dictionary(draw: int) -> None:
    """Entering, growing, and forgetting in reverse order."""
    random_state = random.Random(draw)
    size = 16
    table = np.zeros(4 * 1024, dtype=np.int64)
    model: dict[tuple[int, int, int], list[int]] = {}
    undo: list[tuple[int, int, int, int, tuple[int, int, int], list[int] | None]] = []
    used = 0
    for _ in range(4000 if COMPILED else 1000):
        if undo and random_state.random() < 0.45:
            place, stock, suit, entered, key, before = undo.pop()
            exact_table.forget(table, size, place, stock, suit, draw, entered)
            used -= entered == exact_table.NEW
            if before is None:
                del model[key]
            else:
                model[key] = before
            continue
        place = random_state.choice([0, 1, 5, 2**31 - 1]) ^ random_state.randrange(12)
        mask = random_state.choice([1, 2, 3, 2**24 - 1])
        waste = random_state.choice([w for w in range(24) if w % draw or w == 0])
        suit = random_state.choice([-1, -1, -1, 0, 3])
        stock = mask | waste << 24
        key = (place, mask, -1 if suit < 0 else 4 * waste + suit)
        before = model.get(key)
        seen = before is not None and (suit >= 0 or covers(draw, before, waste))
        entered = int(exact_table.enter(table, size, place, stock, suit, draw))
        assert (entered == exact_table.SEEN) == seen
        if seen:
            continue
        if entered == exact_table.NEW:
            used += 1
        model[key] = [*(before or []), waste]
        undo.append((place, stock, suit, entered, key, before))
        if 3 * used > 2 * size:
            size = int(exact_table.grow(table, size))
    assert used == np.count_nonzero(table[size : 2 * size])
    assert size >= 64


def test_random_numbers_are_marsaglias() -> None:
    """Xorshift32 with 13, 17, 5 has the full period; a few steps by 32-bit arithmetic."""
    state = expected = kernel._RANDOM_START
    for _ in range(50):
        state = int(kernel._random(state))
        expected ^= expected << 13 & 0xFFFFFFFF
        expected ^= expected >> 17
        expected ^= expected << 5 & 0xFFFFFFFF
        assert state == expected
