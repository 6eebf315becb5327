"""Tests of the HTTP API: what it tells, held against the solver, the referee and the catalogue."""

import json
import random
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from api_client import ApiClient, client_of
from catalogue import store
from catalogue.difficulty.deal_of_day import deal_of_day
from catalogue.difficulty.puzzles import puzzle
from catalogue.jobs.queue import submit
from catalogue.reading.bounds import latest
from catalogue.reading.levels import Rating
from dashboard.http_api import answering, stored
from engine.dealing.dealers import deal_by_id, parse_sample
from engine.formats import formats
from engine.game import Position
from engine.games import game_of
from engine.replay import replay
from engine.rulesets import parse_ruleset
from graded import put_ratings, solve_into
from known_verdicts import decided_positions, known_deals
from random_play import played_at_random
from samples import sizes
from serving import run_queued_jobs
from solvers.outcome import Result
from solvers.solver import parse_solver
from thoughtful import command_line

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)
EXACT = parse_solver("exact")
SPIDER = "spider-4"
DEALER = "thoughtful-1"


def verdict_of(position: Position) -> str:
    results = {Result.WON: "winnable", Result.UNWINNABLE: "unwinnable"}
    return "winnable" if position.is_won else results[EXACT.solve_position(position).result]


# --- verdicts and solutions ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("count", sizes(60, 150))
def test_verdicts_and_solutions_of_known_deals(client: ApiClient, count: int) -> None:
    deals, verdicts = known_deals("klondike-draw3.jsonl.gz")
    chosen = random.Random("api").sample(list(zip(deals, verdicts, strict=True)), count)
    for at, (deal, verdict) in enumerate(chosen):
        codec = GAME.codecs[at % len(GAME.codecs)]
        more = {"nodes": 20_000_000, "milliseconds": 60_000}
        reply = client.reply("verdict", deal=codec.write(deal), **more)
        assert reply["verdict"] == verdict
        assert (reply["digest"], reply["deal"]) == (deal.digest, None)
        answer = client.post("solution", codec.write(deal), **more)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["verdict"] == verdict
        end = replay(GAME.start(deal, RULES), map(GAME.parse_move, found["moves"]))
        assert end.is_won == (verdict == "winnable")
        assert found["length"] == (len(found["moves"]) or None)


@pytest.mark.slow
@pytest.mark.parametrize("count", sizes(40, 80))
def test_positions_in_mid_game(client: ApiClient, count: int) -> None:
    write = GAME.write_table
    assert write is not None
    for at, (position, verdict) in enumerate(decided_positions(3, count)):
        text = [write(position), json.dumps(position.to_json())][at % 2]
        found = client.post("solution", text, milliseconds=20_000)
        assert found.json()["verdict"] == verdict
        moves = map(GAME.parse_move, found.json()["moves"])
        assert replay(position, moves).is_won == (verdict == "winnable")


def test_a_name_is_told_with_its_line(client: ApiClient) -> None:
    named = client.reply("verdict", deal="thoughtful-1:42")
    assert named["deal"] == "thoughtful-1:42"
    assert named["solver"] == f"exact v{EXACT.method.version}"
    assert named["source"] == "search"
    won = client.reply("solution", deal="thoughtful-1:42")
    line = won["moves"]
    later = client.reply("solution", deal="thoughtful-1:42", line=" ".join(line[:20]))
    assert (later["deal"], later["digest"], later["verdict"]) == (None, None, "winnable")
    ended = client.reply("moves", deal="thoughtful-1:42", line=" ".join(line))
    assert (ended["won"], ended["verdict"], ended["complete"]) == (True, "winnable", True)
    for notation in GAME.notations:
        foreign = client.reply("solution", deal="thoughtful-1:42", notation=notation.slug)
        assert foreign["notation"] == notation.slug
        assert foreign["length"] == won["length"]
        made = "\n".join(foreign["moves"])
        assert client.reply("verdict", deal="thoughtful-1:42", line=made)["won"]


def test_equal_cards_of_other_names_are_told_apart(client: ApiClient) -> None:
    named = client.reply("verdict", deal="thoughtful-1:42")
    cards = GAME.codecs[1].write(deal_by_id("thoughtful-1:42"))
    assert client.reply("verdict", deal=cards) == named | {"deal": None}
    assert client.reply("verdict", deal="thoughtful-1:42") == named


@pytest.mark.slow
def test_a_deal_beyond_the_budget_names_the_call_that_goes_on(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hard = [
        seed
        for seed in range(400)
        if client.reply("verdict", deal=f"thoughtful-1:{seed}", nodes=2_000)["verdict"]
        == "undecided"
    ]
    assert 5 < len(hard) < 100
    for at, seed in enumerate(hard[:12]):
        name = f"thoughtful-1:{seed}"
        first = client.get("verdict", deal=name, nodes=2_000)
        assert "etag" not in first.headers
        assert first.headers["cache-control"] == "no-store"
        reply = first.json()
        assert reply["reason"] == "2,000 nodes did not suffice"
        steps = 0
        while reply["verdict"] == "undecided":
            assert reply["next_search"]["method"] == "GET"
            reply = client.request("GET", reply["next_search"]["href"]).json()
            steps += 1
        assert 1 <= steps < 6
        if at == 0:
            # Of another deal, since what was found of this one is remembered.
            board = GAME.codecs[0].write(deal_by_id(f"thoughtful-1:{hard[-1]}"))
            sent = client.post("solution", board + " " * 1_000, nodes=2_000).json()
            assert sent["next_search"]["method"] == "POST"
            further = client.request("POST", sent["next_search"]["href"], content=board).json()
            assert further["rules"] == RULES.slug
        assert reply["verdict"] == verdict_of(GAME.start(deal_by_id(name), RULES))
    # The largest budget names the command line.
    small = client_of(monkeypatch, API_NODES="10000")
    for seed in hard:
        reply = small.reply(
            "verdict", deal=f"thoughtful-1:{seed}", nodes=10_000, milliseconds=60_000
        )
        if reply["verdict"] == "undecided":
            break
    assert reply["next_search"]["href"] is None
    command = reply["next_search"]["command"]
    assert command_line.run(command.split()[1:]) == 0
    assert f"thoughtful-1:{seed} under" in capsys.readouterr().out
    refused = small.get("verdict", deal="thoughtful-1:1", nodes=10_001)
    assert refused.status_code == 400
    assert "nodes=10001 is more than this server" in refused.json()["detail"]


def test_the_reason_is_what_ended_the_search(client: ApiClient) -> None:
    """Nodes, although time is left and the last search is hardly larger than the one before."""
    reply = client.reply("verdict", deal="thoughtful-1:9724", nodes=1_000_000, milliseconds=60_000)
    assert (reply["verdict"], reply["nodes"]) == ("undecided", 1_000_000)
    assert reply["reason"] == "1,000,000 nodes did not suffice"
    reply = client.reply("verdict", deal="thoughtful-1:9724", nodes=10_000_000, milliseconds=1)
    assert reply["reason"] == "1 ms did not suffice"
    reply = client.reply("moves", deal="thoughtful-1:9724", milliseconds=1)
    assert reply["reason"] == "1 ms did not suffice"


@pytest.mark.slow
def test_moves_have_the_verdict_of_the_position_after_them(client: ApiClient) -> None:
    order = {"winnable": 0, "undecided": 1, "unwinnable": 2}
    for seed in range(8):
        position = played_at_random(RULES.slug, seed, 5 * seed)
        reply = client.post("moves", json.dumps(position.to_json()), milliseconds=60_000).json()
        assert reply["complete"]
        assert reply["verdict"] == verdict_of(position)
        assert sorted(each["move"] for each in reply["moves"]) == sorted(
            map(str, position.legal_moves())
        )
        ranks = [order[each["verdict"]] for each in reply["moves"]]
        assert ranks == sorted(ranks)
        for each in reply["moves"]:
            after = position.play(GAME.parse_move(each["move"]))
            assert each["verdict"] == verdict_of(after), each
            assert each["wins"] == after.is_won


def test_hands_of_spider_are_won_with_all_cards_known(client: ApiClient) -> None:
    """Also one that is lost without peeking."""
    rules = parse_ruleset(SPIDER)
    game = game_of(rules)
    player = parse_solver("spider-player")
    deals = [deal_by_id(f"thoughtful-1:{seed}", game) for seed in (3, 42)]
    results = [player.solve(deal.as_array()[None], rules)[0].result for deal in deals]
    assert results == [Result.WON, Result.LOST]
    for seed, deal in zip((3, 42), deals, strict=True):
        for call in ("verdict", "solution", "moves"):
            reply = client.reply(call, deal=f"thoughtful-1:{seed}", rules=SPIDER)
            assert reply["verdict"] == "winnable"
        reply = client.reply("solution", deal=f"thoughtful-1:{seed}", rules=SPIDER)
        assert replay(game.start(deal, rules), map(game.parse_move, reply["moves"])).is_won


# --- caches --------------------------------------------------------------------------------------


def test_what_is_decided_is_not_told_twice(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for call in ("verdict", "solution", "moves"):
        first = client.get(call, deal="thoughtful-1:42")
        assert first.headers["cache-control"] == "public, max-age=86400"
        tag = first.headers["etag"]
        second = client.request(
            "GET",
            f"/api/v1/{call}?deal=thoughtful-1:42&nodes=50000"
            if call != "moves"
            else "/api/v1/moves?deal=thoughtful-1:42",
            headers={"If-None-Match": f'"other", {tag}'},
        )
        assert (second.status_code, second.content) == (304, b"")
        assert second.headers["etag"] == tag
        other = client.request(
            "GET", f"/api/v1/{call}?deal=thoughtful-1:43", headers={"If-None-Match": tag}
        )
        assert other.status_code == 200
        with monkeypatch.context() as patch:
            patch.setattr(answering, "quick", never)
            assert client.get(call, deal="thoughtful-1:42").content == first.content
    assert (
        client.get("verdict", deal="thoughtful-1:42", rules="klondike-draw1").headers["etag"]
        != (client.get("verdict", deal="thoughtful-1:42").headers["etag"])
    )


def never(*_: object) -> None:
    raise AssertionError("it was searched again")


# --- deals ---------------------------------------------------------------------------------------


def test_a_deal_in_every_form(client: ApiClient) -> None:
    for rules in (RULES.slug, SPIDER):
        game = game_of(parse_ruleset(rules))
        reply = client.reply("deal", deal="thoughtful-1:7", rules=rules)
        deal = deal_by_id("thoughtful-1:7", game)
        assert reply["game"] == game.slug
        assert reply["digest"] == deal.digest
        assert len(reply["cards"].split()) == game.cards
        assert "json" in reply["formats"]
        assert len(reply["formats"]) > 1
        for slug, text in reply["formats"].items():
            assert formats()[slug].read(text, game) == deal
            back = client.post("deal", text, rules=rules, form=slug)
            assert back.json()["digest"] == deal.digest, back.text
        start = game.start(deal, parse_ruleset(rules))
        assert reply["position"] == start.to_json()
        assert reply["legal"] == list(map(str, start.legal_moves()))
        by_board = client.post("deal", reply["board"], rules=rules).json()
        assert by_board["position"] == reply["position"]
        by_position = client.post("deal", json.dumps(reply["position"]), rules=rules).json()
        assert by_position["board"] == reply["board"]


def test_random_deals(client: ApiClient) -> None:
    assert client.get("random").headers["cache-control"] == "no-store"
    names = {client.reply("random")["deal"] for _ in range(5)}
    assert len(names) == 5
    assert client.reply("random", key="a") == client.reply("random", key="a")
    assert client.reply("random", key="a")["deal"] != client.reply("random", key="b")["deal"]
    assert client.reply("random", dealer="pysolfc", rules=SPIDER)["deal"].startswith("pysolfc:")
    # Winnable ones need no catalogue: each key has its own, for ever.
    winnable = [client.reply("random", winnable="", key=str(at)) for at in range(8)]
    assert winnable == [client.reply("random", winnable="true", key=str(at)) for at in range(8)]
    assert len({each["deal"] for each in winnable}) == 8
    for each in winnable:
        assert client.reply("verdict", deal=each["deal"])["verdict"] == "winnable"
    assert client.get("random", winnable="perhaps").status_code == 400
    missing = client.get("random", level="3-5")
    assert (missing.status_code, missing.headers["retry-after"]) == (503, "1")


def test_the_deal_of_a_day_needs_no_catalogue(client: ApiClient) -> None:
    for rules in (RULES.slug, SPIDER):
        reply = client.reply("day", rules=rules, date="2026-11-24")
        found = deal_of_day(date(2026, 11, 24), rules)
        assert (reply["date"], reply["rules"], reply["deal"]) == (found.date, rules, found.deal)
        assert (reply["weekday_level"], reply["length"]) == (found.weekday_level, found.length)
        shown = client.reply("deal", deal=found.deal, rules=rules)
        assert shown == {name: reply[name] for name in shown}
    today = client.reply("day")
    assert today["weekday_level"] == date.fromisoformat(today["date"]).isoweekday()
    for wrong in ("24.11.2026", "0", "2026-11-24T00:00:00", "2026-02-30", ""):
        assert client.get("day", date=wrong).status_code == 400, wrong
    assert client.get("day", level="3").status_code == 400


def test_the_puzzle_of_a_key_needs_no_catalogue(client: ApiClient) -> None:
    reply = client.reply("puzzle", rules="klondike-draw3", key="monday")
    found = puzzle("klondike-draw3", None, "monday")
    assert reply.pop("key") == "monday"
    assert reply.pop("board").startswith("Foundations: ")
    assert reply == found.to_json()
    sent = client.post("moves", json.dumps(reply["position"]), milliseconds=60_000).json()
    assert sent["verdict"] == "winnable"
    assert len({client.reply("puzzle")["key"] for _ in range(2)}) == 2
    for wrong in ({"rules": SPIDER}, {"theme": "fun"}, {"level": "3"}):
        assert client.get("puzzle", **wrong).status_code == 400, wrong


def test_rulesets(client: ApiClient) -> None:
    reply = {each["slug"]: each for each in client.reply("rulesets")}
    assert reply[RULES.slug]["decided_by"] == "exact"
    assert reply[SPIDER]["decided_by"] == "spider-exact"
    assert {each["game"] for each in reply.values()} >= {"klondike", "spider"}


# --- the catalogue -------------------------------------------------------------------------------


@pytest.fixture
def filled(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[ApiClient, store.Catalogue]]:
    """An API and its catalogue, with a few outcomes of a solver that is not the reference."""
    solve_into(sqlite_catalogue, "spider-1", 6, "monkey(level=3, period=50)")
    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    yield client_of(monkeypatch, DATABASE_URL=url), sqlite_catalogue
    opened = stored.catalogue()
    assert opened is not None
    opened.engine.dispose()


@pytest.mark.slow
def test_what_is_stored_is_told(filled: tuple[ApiClient, store.Catalogue]) -> None:
    client, _ = filled
    game = game_of(parse_ruleset("spider-1"))
    sources = []
    for seed in range(7):
        reply = client.reply("solution", deal=f"thoughtful-1:{seed}", rules="spider-1")
        sources.append(reply["source"])
        if reply["source"] == "catalogue":
            assert reply["verdict"] == "winnable"
            assert reply["solver"].startswith("monkey(")
            deal = deal_by_id(f"thoughtful-1:{seed}", game)
            start = game.start(deal, parse_ruleset("spider-1"))
            assert replay(start, map(game.parse_move, reply["moves"])).is_won
            by_digest = client.reply("verdict", deal=deal.digest, rules="spider-1")
            assert by_digest["deal"] == f"thoughtful-1:{seed}"
            assert by_digest["verdict"] == "winnable"
            cards = client.post("verdict", game.codecs[0].write(deal), rules="spider-1").json()
            assert cards["verdict"] == "winnable"
    assert "catalogue" in sources
    assert sources[-1] == "search"
    unknown = client.get("deal", deal="0" * 32, rules="spider-1")
    assert "no deal in the catalogue has the digest" in unknown.json()["detail"]


def test_a_random_deal_of_a_level(
    sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = {seed: Rating(1 + seed % 10, 0.1 * seed, 0.2, 12) for seed in range(40)}
    solve_into(sqlite_catalogue, RULES.slug, 40, "exact(nodes=1000)")
    put_ratings(sqlite_catalogue, RULES.slug, DEALER, ratings)
    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    client = client_of(monkeypatch, DATABASE_URL=url)
    drawn = [client.reply("random", level="3-5", key=str(at)) for at in range(60)]
    assert {each["level"] for each in drawn} == {3, 4, 5}
    for each in drawn:
        assert each["level"] == 1 + int(each["deal"].partition(":")[2]) % 10
    assert client.reply("random", level="7", key="x")["level"] == 7
    for level, reply in (("11", "there is no level 11"), ("5-3", "5–3")):
        assert reply in client.get("random", level=level).json()["detail"]
    assert client.get("random", level="3-5", dealer="pysolfc").status_code == 404
    assert client.reply("bounds") == []


@pytest.mark.slow
def test_bounds(sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    submit(sqlite_catalogue, RULES.slug, parse_sample("thoughtful-1:0-39"), ["exact(nodes=2000)"])
    run_queued_jobs(Path(str(sqlite_catalogue.engine.url.database)))
    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    client = client_of(monkeypatch, DATABASE_URL=url)
    (reply,) = client.reply("bounds", rules=RULES.slug)
    (point,) = latest(sqlite_catalogue)
    assert (reply["n"], reply["sample"]) == (40, "thoughtful-1:0-39")
    assert reply["winnable"] == point.winnable > 20
    assert reply["lower"] == point.winnable / 40
    assert reply["upper"] == 1 - point.unwinnable / 40
    assert reply["sequence"][0] <= reply["fixed"][0] <= reply["lower"]
    assert reply["upper"] <= reply["fixed"][1] <= reply["sequence"][1]
    assert client.reply("bounds", rules=SPIDER) == []
    assert client.get("bounds", rules="bridge").status_code == 400


def test_a_catalogue_that_cannot_be_read(client: ApiClient) -> None:
    answer = client.get("bounds")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the catalogue of this server cannot be read now"
    assert client.request("GET", "/healthz").json()["sound"] is False


def test_a_catalogue_is_read_as_soon_as_it_is_there(
    client: ApiClient, initialised_sqlite: Path, tmp_path: Path
) -> None:
    """Also one that takes the place of another, whose open file would be read for ever."""
    path = tmp_path / "none.db"  # of the fixture
    deal = deal_by_id("thoughtful-1:3")
    for solved in (False, True):
        assert client.get("bounds").status_code == 503
        shutil.copy(initialised_sqlite, path)
        if solved:
            with store.open_catalogue(f"sqlite:///{path}") as catalogue:
                solve_into(catalogue, RULES.slug, 4, "exact")
        assert client.reply("bounds") == []
        assert client.request("GET", "/healthz").json()["sound"]
        assert client.get("random", level="3").status_code == 404
        assert client.get("verdict", deal=deal.digest).is_success is solved
        # The second time another file takes its place.
        path.unlink()
    assert client.get("bounds").status_code == 503
    shutil.copy(initialised_sqlite, tmp_path / "other.db")
    (tmp_path / "other.db").rename(path)
    assert client.get("verdict", deal=deal.digest).status_code == 400


# --- datasets ------------------------------------------------------------------------------------


def test_files_of_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "datasets"
    (folder / "small 1" / "deals").mkdir(parents=True)
    (folder / "small 1" / "README.md").write_text("card")
    (folder / "small 1" / "deals" / "part-0.parquet").write_bytes(bytes(range(200)))
    (folder / "no dataset").mkdir()
    (folder / "no dataset" / "secret").write_text("hidden words")
    (tmp_path / "secret").write_text("hidden words")
    (folder / "small 1" / "link").symlink_to(tmp_path / "secret")
    client = client_of(
        monkeypatch, API_DATASETS=str(folder), DATABASE_URL=f"sqlite:///{tmp_path}/none.db"
    )
    (reply,) = client.reply("datasets")
    assert reply["name"] == "small 1"
    assert [each["path"] for each in reply["files"]] == ["README.md", "deals/part-0.parquet"]
    link = reply["files"][1]["href"]
    whole = client.request("GET", link)
    assert whole.content == bytes(range(200))
    part = client.request("GET", link, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    for wrong, code in (("bytes=900-", 416), ("bytes=b", 400)):
        refused = client.request("GET", link, headers={"Range": wrong})
        assert refused.status_code == code
        assert "which has 200 bytes" in refused.json()["detail"]
    same = client.request("GET", link, headers={"If-None-Match": whole.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    for path in (
        "small 1/link",
        "no dataset/secret",
        "../secret",
        "small 1/../../secret",
        "%00/a",
        "small 1//README.md",
        "./README.md",
        "small 1/deals",
        "..%2fsecret",
        f"{'a' * 300}/README.md",
        f"small 1/{'a' * 300}",
    ):
        answer = client.request("GET", f"/api/v1/datasets/{path}")
        assert answer.status_code == 404, path
        assert "hidden words" not in answer.text
    without = client_of(monkeypatch, API_DATASETS="")
    assert without.reply("datasets") == []
