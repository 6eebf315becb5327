"""Tests of the package: deals, positions, moves, solutions, hints and solvers."""

import json
import pickle
import random
from pathlib import Path

import pytest

import thoughtful
from engine.dealing.dealers import deal_by_id
from engine.games import get_game
from engine.klondike.moves import unpack_solution
from solvers.solver import parse_solver
from thoughtful import command_line

RULES = "klondike-draw3"
pytestmark = pytest.mark.slow


def test_a_deal_is_the_same_however_it_is_given(tmp_path: Path) -> None:
    deal = thoughtful.deal("pysolfc:12345")
    assert deal.cards == deal_by_id("pysolfc:12345", get_game("klondike"))
    assert (deal.name, deal.rules, deal.dealer, deal.seed) == (
        *("pysolfc:12345", RULES, "pysolfc"),
        12345,
    )
    for form in ("json", "pysolfc", "solvitaire"):
        assert thoughtful.deal(deal.text(form)) == deal
        assert thoughtful.convert(deal, form) == deal.text(form)
    assert thoughtful.deal(deal.to_json()) == deal
    assert thoughtful.deal(json.dumps(deal.to_json())).name == "pysolfc:12345"
    assert thoughtful.deal(deal) is deal
    assert hash(thoughtful.deal(deal.to_json())) == hash(deal)
    assert deal != thoughtful.deal("pysolfc:12345", "klondike-draw1")
    file = tmp_path / "some.txt"
    file.write_text("# two\npysolfc:12345\nnonsense:1\npysolfc:7\n")
    found = list(thoughtful.read(file, on_wrong="skip"))
    assert found == [deal, thoughtful.deal("pysolfc:7")]
    with pytest.raises(thoughtful.BadInput, match=r"some\.txt, line 3: "):
        list(thoughtful.read(file))
    with pytest.raises(thoughtful.BadInput, match="cannot read"):
        list(thoughtful.read(tmp_path / "none.txt"))


def test_a_sample_is_dealt_in_order() -> None:
    found = list(thoughtful.deals("thoughtful-1:998-1002", "klondike-draw1"))
    assert [deal.name for deal in found] == [f"thoughtful-1:{seed}" for seed in range(998, 1003)]
    assert [deal.cards for deal in found] == [
        deal_by_id(deal.name, get_game("klondike")) for deal in found
    ]
    assert [deal.name for deal in thoughtful.deals("thoughtful-1:5")] == ["thoughtful-1:5"]
    # Wrong input is told before the first deal is asked for.
    with pytest.raises(thoughtful.BadInput, match="dealer"):
        thoughtful.deals("nobody:1-5")


@pytest.mark.parametrize("rules", ["klondike-draw1", RULES, "spider-4"])
def test_play_follows_the_referee(rules: str) -> None:
    rng = random.Random(19)
    at = thoughtful.deal("thoughtful-1:5", rules).position
    moves: list[str] = []
    start = at
    for _ in range(30):
        legal = at.legal_moves()
        if not legal:
            break
        assert all(at.why_illegal(move) is None for move in legal)
        moves.append(rng.choice(legal))
        at = at.play(moves[-1])
        assert thoughtful.position(at.to_json(), rules) == at
        assert thoughtful.position(at.text(), rules) == at
    assert len(moves) > 10
    assert start.play(*moves) == start.play(" ".join(moves)) == start.play(moves) == at
    line = thoughtful.replay(start, moves)
    assert list(line) == moves
    assert line.position() == at
    assert [line.position(number) for number in range(len(moves) + 1)] == list(line.positions())
    assert not line.wins
    assert "??" in json.dumps(at.observation())
    assert "??" not in json.dumps(at.to_json())


def test_an_illegal_move_is_refused_in_a_sentence() -> None:
    start = thoughtful.position("pysolfc:12345")
    assert start.why_illegal("12") == "no face-up card of column 1 fits on column 2"
    with pytest.raises(thoughtful.IllegalMove, match="no face-up card of column 1 fits"):
        start.play("12")
    with pytest.raises(thoughtful.ReplayError, match=r"move 2, 12 .*no face-up card"):
        thoughtful.replay(start, "T 12")
    with pytest.raises(thoughtful.BadInput, match="Z9"):
        start.play("Z9")
    with pytest.raises(thoughtful.BadInput, match="not int"):
        thoughtful.position(5)  # type: ignore[arg-type]


def test_the_ruleset_of_what_is_given_is_kept(tmp_path: Path) -> None:
    deal = thoughtful.deal("thoughtful-1:9", "klondike-draw1")
    start = deal.position
    written = json.dumps(start.to_json())
    file = tmp_path / "one.jsonl"
    file.write_text(written)
    assert thoughtful.position(deal) == start
    for given in (deal, deal.to_json(), start, start.to_json(), written):
        assert thoughtful.position(given) == start
        assert thoughtful.solve(given).result == "won"
        with pytest.raises(thoughtful.BadInput, match=r"klondike-draw1, (and|not)"):
            thoughtful.position(given, "klondike-draw3")
    assert thoughtful.solve("thoughtful-1:9").result == "unwinnable"
    assert thoughtful.solve_all(deal)["result"].tolist() == ["won"]
    assert thoughtful.solve_all([deal.to_json(), "thoughtful-1:9"])["result"].tolist() == [
        *("won", "won")
    ]
    with pytest.raises(thoughtful.BadInput, match="under klondike-draw3, not under"):
        thoughtful.solve_all([deal, thoughtful.deal("thoughtful-1:9")])
    with pytest.raises(thoughtful.BadInput, match=r"one\.jsonl, line 1: .*klondike-draw1"):
        list(thoughtful.read(file, "klondike-draw3"))
    for rules in (None, "klondike-draw1"):
        # A position before the first move is the deal that it starts.
        assert [each.position for each in thoughtful.read(file, rules)] == [start]
    with pytest.raises(AttributeError):
        deal.rules = "klondike-draw3"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(deal)) == deal


def test_solving_is_what_the_solver_says() -> None:
    solver = parse_solver("exact")
    frame = thoughtful.solve_all("thoughtful-1:0-19")
    rules = thoughtful.position("thoughtful-1:0").referee.rules
    for deal, row in zip(
        thoughtful.deals("thoughtful-1:0-19"), frame.itertuples(index=False), strict=True
    ):
        (outcome,) = solver.solve(deal.cards.as_array()[None], rules)
        mine = thoughtful.solve(deal)
        assert row.deal == deal.name
        assert (row.result, row.nodes) == (outcome.result.value, outcome.nodes)
        assert (mine.result, mine.nodes) == (outcome.result.value, outcome.nodes)
        assert mine.solver.startswith("exact(")
        assert mine.version == solver.method.version
        if outcome.moves is None:
            assert mine.solution is None
            assert frame.loc[frame["deal"] == deal.name, ["length", "moves"]].isna().all(axis=None)
        else:
            assert mine.solution is not None
            assert mine.solution.wins
            assert row.length == len(row.moves) == len(outcome.moves)
            assert row.moves == list(map(str, unpack_solution(outcome.moves)))
            assert thoughtful.replay(deal, " ".join(row.moves)).wins
            # Of one deal people look at the solution: it is made shorter.
            assert len(mine.solution) <= row.length
            # Whoever reads them in another notation gets the same game.
            text = mine.solution.text("pysolfc")
            assert thoughtful.replay(deal, text).position() == mine.solution.position()
    assert set(frame["result"]) == {"won", "unwinnable"}


def test_the_table_of_a_position_can_be_read() -> None:
    start = thoughtful.position("thoughtful-1:42")
    assert [len(column) for column in start.columns] == [1, 2, 3, 4, 5, 6, 7]
    assert start.face_down == [0, 1, 2, 3, 4, 5, 6]
    assert start.columns[1] == ["3S", "4D"]
    assert (len(start.stock), start.waste) == (24, [])
    later = start.play("T")
    assert later.waste == start.stock[:3]
    assert later.stock == start.stock[3:]
    assert later.foundations == dict.fromkeys("CDSH", 0)
    spider = thoughtful.position("thoughtful-1:42", "spider-4")
    assert sum(map(len, spider.columns)) + len(spider.stock) == 104
    assert spider.waste == []
    freecell = thoughtful.position("microsoft:617", "freecell").play("8-a", "8-b")
    assert freecell.cells == ["QH", "2S", "-", "-"]
    assert freecell.foundations == dict.fromkeys("CDSH", 0)
    castle = thoughtful.position("thoughtful-1:1", "beleaguered-castle")
    assert (castle.cells, castle.foundations) == ([], dict.fromkeys("CDSH", 1))
    assert thoughtful.position("thoughtful-1:1", "black-hole").foundations == {}
    gypsy = thoughtful.position("thoughtful-1:1", "gypsy")
    assert gypsy.foundations == dict.fromkeys("CDSH", 0)


def test_a_dead_end_is_explained() -> None:
    frame = thoughtful.solve_all("thoughtful-1:0-59", solver="dead-end")
    dead = frame[frame["dead_end"].notna()].iloc[0]
    found = thoughtful.solve(dead["deal"], solver="dead-end")
    assert found.result == "unwinnable"
    assert found.dead_end
    assert found.dead_end in found._repr_html_()


def test_hints_agree_with_the_search() -> None:
    start = thoughtful.position("thoughtful-1:42")
    hints = thoughtful.hint(start, seconds=20)
    assert hints.verdict == "winnable"
    assert sorted(each.move for each in hints.moves) == sorted(start.legal_moves())
    decided = {"won": "winnable", "unwinnable": "unwinnable"}
    for each in hints.moves:
        assert each.verdict == decided[thoughtful.solve(each.after).result]
        assert each.after == start.play(each.move)
    assert thoughtful.verdict(start, seconds=20).verdict == "winnable"
    assert hints.solution is not None
    assert hints.solution.wins
    assert hints.moves[0].move in hints._repr_html_()


def test_alike_moves_are_one_row_of_a_table() -> None:
    hints = thoughtful.hint("microsoft:617", "freecell", seconds=20)
    alike = [each for each in hints.moves if each.same_as is not None]
    others = {each.move: each for each in hints.moves if each.same_as is None}
    assert alike
    for each in alike:
        assert each.verdict == others[str(each.same_as)].verdict
    assert hints._repr_html_().count("<tr>") == 1 + len(others)


def test_chances_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = thoughtful.chances("thoughtful-1:42", samples=3, seconds=60)
    arguments = ["--hidden", "--samples", "3", "--seconds", "60", "--json"]
    assert command_line.run(["hint", "thoughtful-1:42", *arguments]) == 0
    answer = json.loads(capsys.readouterr().out)["moves"]
    played = [(each["play"], each["wins"]) for each in answer]
    assert list(zip(found["moves"], found["wins"], strict=True)) == played
    assert (found["games"] == 3).all()
    # What cannot be seen has no influence.
    start = thoughtful.position("thoughtful-1:42")
    seen = thoughtful.chances(start.observation(), samples=3, seconds=60)
    assert seen.equals(found)
    with pytest.raises(thoughtful.BadInput, match="is given the whole deal"):
        thoughtful.chances(start, player="exact")


def test_the_shortest_solution_is_proved() -> None:
    solved = thoughtful.solve("thoughtful-1:42").solution
    found = thoughtful.shortest("thoughtful-1:42", seconds=30)
    assert found.is_proved
    assert found.solution is not None
    assert solved is not None
    assert found.solution.wins
    assert found.bound == found.length == len(found.solution) < len(solved)


def test_names_are_listed() -> None:
    assert RULES in set(thoughtful.rulesets()["ruleset"])
    assert "pysolfc" in set(thoughtful.dealers()["dealer"])
    players = thoughtful.solvers("spider-4")
    assert set(players["game"]) == {"spider"}
    assert set(thoughtful.solvers()["solver"]) > set(players["solver"])
    for frame in (thoughtful.rulesets(), thoughtful.dealers(), players):
        assert "object" not in {str(kind) for kind in frame.dtypes}


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda: thoughtful.solve("pysolfc:12", "klondike-draw99"), "draw 99 is out of range"),
        (lambda: thoughtful.solve("pysolfc:12", solver="nobody"), "nobody"),
        (lambda: thoughtful.solve("pysolfc:12", "spider-4", "exact"), "does not play spider-4"),
        (lambda: thoughtful.solve_all("pysolfc:1-5", workers=0), "workers 0"),
        (lambda: thoughtful.verdict("pysolfc:12", seconds=-1), "seconds -1"),
        (lambda: thoughtful.hint("pysolfc:12", seconds=float("nan")), "seconds nan"),
        (lambda: thoughtful.shortest("pysolfc:12", memory_mib=0), "memory_mib 0"),
        (lambda: thoughtful.solve_all(thoughtful.position("pysolfc:12")), "a position"),
        (lambda: thoughtful.deal("hello"), "hello"),
        (lambda: thoughtful.deal({"id": {1}}), "no plain data"),
        (lambda: thoughtful.chances({"id": {1}}), "no plain data"),
        (lambda: thoughtful.write_list("x", "pysolfc:1-5", level=(0, 3)), "level 0 is out of"),
        (lambda: thoughtful.write_list("x", "pysolfc:1-5", level=(5, 3)), "runs backwards"),
        (lambda: thoughtful.deals(None), "None is not a sample"),
        (lambda: thoughtful.read("x\0"), "path of a file"),
        (lambda: thoughtful.read(5), "not 5"),
        (lambda: thoughtful.read("x", "bogus"), "bogus"),
        (lambda: thoughtful.solve("pysolfc:12", solver=5), "5 is not a solver"),
        (lambda: thoughtful.catalogue(Path("x.db")), "expected an address"),
        (lambda: thoughtful.shortest("pysolfc:12", count="furlongs"), "furlongs"),
    ],
)
def test_wrong_input_is_one_sentence(call: object, answer: str) -> None:
    assert callable(call)
    with pytest.raises(thoughtful.BadInput, match=answer) as caught:
        call()
    assert "\n" not in str(caught.value)
