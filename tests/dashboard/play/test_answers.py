"""Answers for the table: deals of a band, moves without verdicts, hints with true reasons."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalogue import asking
from catalogue.difficulty.playable import BANDS, PLAYED, Band, level_of
from dashboard.board import answers as board
from dashboard.play import answers
from engine.cards import make_card
from engine.dealing.dealers import deal_by_id
from engine.errors import BadInput
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from solvers.deciding import Budget, Verdict

DEAL, RULES = "thoughtful-1:7", "klondike-draw3"
HARD = "thoughtful-1:13"


def asked(**keys: Any) -> dict[str, Any]:
    return {**board.read(b'{"rules": "klondike-draw3"}'), "deal": DEAL, "rules": RULES, **keys}


def test_a_deal_is_of_the_band_and_a_function_of_the_key() -> None:
    for band in Band:
        found, final = answers.deal(asked(band=str(band), key="k"))
        assert final
        assert found == answers.deal(asked(band=str(band), key="k"))[0]
        low, high = BANDS[band]
        assert low <= found["level"] <= high
    with pytest.raises(BadInput, match="easy, medium, hard, any"):
        answers.deal(asked(band="mild"))


def test_a_deal_has_a_level_if_it_is_known_to_be_winnable() -> None:
    known = level_of(deal_by_id(DEAL), parse_ruleset(RULES))
    assert known is not None
    found, final = answers.level(asked())
    assert final
    assert found == {"sure": True, "level": known.number, "level_name": known.name}
    nothing = {"sure": False, "level": None, "level_name": None}
    assert answers.level(asked(deal="thoughtful-1:8"))[0] == nothing
    found, _ = answers.level(asked(deal="thoughtful-1:5", rules="yukon"))
    assert found == {"sure": True, "level": None, "level_name": None}


def test_what_is_offered_can_be_dealt() -> None:
    for rules in PLAYED:
        found, _ = answers.deal(asked(rules=rules, band="any", key="1"))
        assert found["rules"] == rules


def test_the_win_of_a_deal_is_known_to_hints() -> None:
    found, _ = answers.deal(asked(rules="freecell", band="any", key="a hint without a search"))
    start = board.question_in(asked(rules="freecell", deal=found["deal"]), Budget(0.0))
    assert asking.answer(start).verdict == Verdict.WINNABLE
    asking.forget()
    assert asking.answer(start).verdict == Verdict.UNDECIDED


def test_the_move_that_a_card_is_most_likely_meant_for_comes_first() -> None:
    found, _ = answers.table(asked(rules="freecell", deal="microsoft:5"))
    kinds = [re.sub("[0-9]", "", move["target"]) for move in found["moves"]]
    assert set(kinds) == {"foundation", "up", "cell"}
    assert kinds == sorted(kinds, key=["foundation", "up", "cell"].index)


def test_no_verdict_comes_with_the_moves() -> None:
    found, _ = answers.table(asked())
    rules = parse_ruleset(RULES)
    start = game_of(rules).start(deal_by_id(DEAL), rules)
    assert [move["name"] for move in found["moves"]] == list(map(str, start.legal_moves()))
    assert not any("verdict" in move for move in found["moves"])
    assert (found["won"], found["finish"]) == (False, [])


def test_what_finishes_by_itself_wins() -> None:
    win = board.solution(asked())[0]["moves"]
    line = [move["name"] for move in win]
    tables = [answers.table(asked(moves=line[:at]))[0] for at in range(len(line))]
    at = next(number for number, table in enumerate(tables) if table["finish"])
    finish = [move["name"] for move in tables[at]["finish"]]
    assert answers.table(asked(moves=line[:at] + finish))[0]["won"]


def test_a_game_of_freecell_is_finished_as_soon_as_all_can_go_up() -> None:
    rules = parse_ruleset("freecell")
    start: Any = game_of(rules).start(deal_by_id("microsoft:164", game_of(rules)), rules)
    columns = [tuple(make_card(rank, suit) for rank in range(12, -1, -1)) for suit in range(4)]
    end = replace(start, columns=(*columns, (), (), (), ()), down=(0,) * 8)
    found, _ = answers.table(asked(rules="freecell", deal=end.to_json(), moves=[]))
    assert len(found["safe"]) == len(found["finish"]) == 52
    # Of the last suit no card beyond the two is safe while those below it wait.
    mixed = replace(end, columns=(columns[0], columns[1], columns[2] + columns[3], *[()] * 5))
    found, _ = answers.table(asked(rules="freecell", deal=mixed.to_json(), moves=[]))
    assert len(found["safe"]) < len(found["finish"]) == 52
    # An ace below a king: not without a choice.
    ace, *others = columns[0][::-1]
    stuck = replace(end, columns=((ace, *others[::-1]), *columns[1:], *[()] * 4))
    found, _ = answers.table(asked(rules="freecell", deal=stuck.to_json(), moves=[]))
    assert found["finish"] == []


def test_a_hint_is_a_move_of_a_win_and_its_reason_is_true() -> None:
    rules = parse_ruleset(RULES)
    game, line, counts, later = game_of(rules), [], set(), 0
    start = game.start(deal_by_id(HARD), rules)
    for _ in range(40):
        found, _ = answers.hint(asked(deal=HARD, moves=line))
        assert found["verdict"] == "winnable"
        moves = board.analysis(asked(deal=HARD, moves=line, again=True))[0]["moves"]
        winning = {move["name"] for move in moves if move["verdict"] == "winnable"}
        assert found["move"]["name"] in winning
        if match := re.match(r"It is the only one of (\d+) moves", found["why"]):
            counts.add("one")
            assert (len(winning), len(moves)) == (1, int(match[1]))
        elif match := re.match(r"(\d+) of (\d+) moves keep", found["why"]):
            counts.add("some")
            assert (len(winning), len(moves)) == (int(match[1]), int(match[2]))
        elif found["why"].startswith("No move loses"):
            counts.add("all")
            assert len(winning) == len(moves)
        if match := re.search(
            r"The (next move|move (\d+) moves later) (uncovers|brings)", found["why"]
        ):
            later += 1
            at = 1 if match[2] is None else int(match[2])
            win = [
                move["name"] for move in board.solution(asked(deal=HARD, moves=line))[0]["moves"]
            ]
            names = [*line, *win[: at + 1]]
            end = replay(start, game.parse_solution(" ".join(names)))
            before = replay(start, game.parse_solution(" ".join(names[:-1])))
            if match[3] == "uncovers":
                assert sum(map(len, end.down)) < sum(map(len, before.down))
            else:
                assert sum(end.foundations) > sum(before.foundations)
        line.append(found["move"]["name"])
    assert len(counts) > 1
    assert later > 0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"date": "tomorrow"}, "is not a date such as"),
        ({"date": ""}, "is not a date such as"),
        ({"date": 5}, "is not a date such as"),
        ({"date": "2999-01-01"}, "is not drawn yet: it can be played from that day on"),
    ],
)
def test_what_is_no_day_gets_one_sentence(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        answers.daily(asked(**keys))


def test_the_deal_of_today_is_there() -> None:
    today = datetime.now(UTC).date()
    found, _ = answers.daily(asked(date=today.isoformat()))
    before, _ = answers.daily(asked(date=(today - timedelta(days=1)).isoformat()))
    assert found["date"] == today.isoformat()
    assert found["deal"] != before["deal"]
