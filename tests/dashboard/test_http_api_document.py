"""Tests of what describes the HTTP API: its OpenAPI document, with examples, and its page."""

import json
import re
from typing import Any

import pytest

from api_client import ApiClient, client_of
from catalogue import store
from catalogue.reading.levels import Rating
from dashboard.http_api import shapes
from dashboard.http_api.examples import json_texts, plain_texts
from engine.dealing.dealers import deal_by_id
from engine.games import DEFAULT_RULESET, game_of
from engine.rulesets import parse_ruleset
from graded import put_ratings, solve_into
from paths import ROOT

RULES = parse_ruleset("klondike-draw3")
GAME = game_of(RULES)
SPIDER = "spider-4"
DEALER = "thoughtful-1"


def test_the_page_lists_every_call_and_its_links_work(client: ApiClient) -> None:
    page = client.request("GET", "/api/v1/")
    assert page.headers["content-type"].startswith("text/html")
    document = client.reply("openapi.json")
    assert document["openapi"].startswith("3.1")
    for path in document["paths"]:
        assert f"/api/v1{path}</code>" in page.text
    links = re.findall('href="([^"]+)"', page.text)
    assert len(links) > 5
    for link in links:
        assert client.request("GET", link.replace("&amp;", "&")).status_code in (200, 503), link
    # Nothing that the browser would load from elsewhere.
    assert not re.search(r"<script|<link|https?://", page.text)
    assert client.request("GET", "/", follow_redirects=True).status_code == 200


def test_answers_have_the_documented_shapes(client: ApiClient) -> None:
    for call, shape in (
        ("verdict", shapes.VerdictAnswer),
        ("solution", shapes.SolutionAnswer),
        ("moves", shapes.MovesAnswer),
        ("deal", shapes.DealAnswer),
    ):
        for rules in (RULES.slug, SPIDER):
            reply = client.reply(call, deal="thoughtful-1:42", rules=rules)
            shape.model_validate(reply)
            assert set(reply) == set(shape.model_fields)


def test_examples_of_answers_are_what_is_answered(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(monkeypatch, API_SECONDS="5")
    deal = "thoughtful-1:42"
    won, undecided = shapes.VerdictAnswer.model_json_schema()["examples"]
    assert client.reply("verdict", deal=deal) == won
    assert client.reply("verdict", deal="thoughtful-1:5", nodes=2_000) == undecided
    (solved,) = shapes.SolutionAnswer.model_json_schema()["examples"]
    assert client.reply("solution", deal=deal) == solved
    # The page of the documentation shows a part of the same.
    (shown,) = re.findall("```json\n(.*?)```", (ROOT / "docs/api.md").read_text("utf-8"), re.DOTALL)
    assert undecided | json.loads(shown) == undecided


@pytest.fixture
def graded(sqlite_catalogue: store.Catalogue, monkeypatch: pytest.MonkeyPatch) -> ApiClient:
    """A client of an API whose catalogue has deals of every level."""
    ratings = {seed: Rating(1 + seed % 10, 0.1 * seed, 0.2, 12) for seed in range(20)}
    solve_into(sqlite_catalogue, RULES.slug, 20, "exact(nodes=1000)")
    put_ratings(sqlite_catalogue, RULES.slug, DEALER, ratings)
    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    return client_of(monkeypatch, DATABASE_URL=url)


def test_every_example_of_a_request_works(graded: ApiClient) -> None:
    sent = 0
    for path, methods in graded.reply("openapi.json")["paths"].items():
        for method, call in methods.items():
            described = {each["name"]: each for each in call.get("parameters", ())}
            examples = {
                name: each["schema"].get("examples", []) for name, each in described.items()
            }
            needed = {name: examples[name][0] for name in described if described[name]["required"]
                      and "{" not in path}  # fmt: skip
            bodies = [
                (kind, name, example["value"])
                for kind, of_kind in call.get("requestBody", {}).get("content", {}).items()
                for name, example in of_kind["examples"].items()
            ] or [(None, None, None)]
            assert method == "get" or len(bodies) > 6
            for kind, name, value in bodies:
                body = value if isinstance(value, str | None) else json.dumps(value)
                answer = graded.request(
                    method.upper(), f"/api/v1{path}", params=needed, content=body,
                    headers={"Content-Type": kind} if kind else {},
                ) if "{" not in path else graded.get("datasets")  # fmt: skip
                assert answer.status_code == 200, (path, name, answer.text)
                sent += 1
                if path == "/deal" and method == "post":
                    check_example(graded, str(name), str(body), answer.json())
            for name, values in examples.items():
                for value in values:
                    parameters = {**needed, name: value}
                    answer = graded.request(
                        method.upper(), f"/api/v1{path}", params=parameters, content=bodies[0][2]
                    )
                    assert answer.status_code == 200, (path, parameters, answer.text)
                    sent += 1
    assert sent > 60


def check_example(client: ApiClient, name: str, body: str, shown: dict[str, Any]) -> None:
    """Check that the example of a body is what its name says."""
    start = GAME.start(deal_by_id("thoughtful-1:42"), RULES)
    assert shown["position"] == start.to_json()
    if name in ("name", "named"):
        assert shown["deal"] == "thoughtful-1:42"
    elif name not in ("board", "position"):
        by_form = client.post("deal", body, form=name)
        assert by_form.status_code == 200, by_form.text
        assert by_form.json()["position"] == shown["position"]
    if name == "klondike-solver":
        assert re.fullmatch("[0-9]{156}", body)


# Words that at least two of C#, Go, Java, JavaScript, Kotlin, PHP, Python, Rust and Swift reserve.
RESERVED = set(
    """
    abstract as assert async await base break byte case catch char class const continue declare
    default defer delete do double else enum extends extern false final finally float for func
    function global goto if implements import in int interface internal is let long match namespace
    new null override package private protected public return sealed short static string struct
    super switch synchronized this throw throws trait true try type typeof use var virtual void
    volatile where while with yield from
    """.split()  # noqa: SIM905
)


def test_names_of_fields_and_calls_suit_the_languages_of_clients(client: ApiClient) -> None:
    document = client.reply("openapi.json")
    names = {
        name
        for schema in document["components"]["schemas"].values()
        for name in schema["properties"]
    } | {
        each["name"]
        for methods in document["paths"].values()
        for call in methods.values()
        for each in (*call.get("parameters", ()), {"name": call["operationId"]})
    }
    assert all(re.fullmatch("[a-z][a-z_]*", name) for name in names)
    assert names & RESERVED == {"type"}  # RFC 9457 has it
    # A name stands for values of one kind; of moves, for a list.
    kinds: dict[str, set[str]] = {}
    for schema in document["components"]["schemas"].values():
        for name, of_name in schema["properties"].items():
            of_name = of_name.get("anyOf", [of_name])[0]
            kinds.setdefault(name, set()).add(of_name.get("type", "object"))
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}
    assert kinds["moves"] == {"array"}


def test_an_example_is_in_the_form_that_it_is_named_after() -> None:
    game = game_of(parse_ruleset(DEFAULT_RULESET))
    deal = deal_by_id("thoughtful-1:42", game)
    examples = plain_texts() | json_texts()
    assert deal_by_id(examples.pop("name")["value"], game) == deal
    named = examples.pop("named")["value"]
    assert deal_by_id(f"{named['dealer']}:{named['seed']}", game) == deal
    forms = {codec.slug: codec for codec in game.codecs}
    assert len(examples.keys() & forms.keys()) >= 5
    for name, example in examples.items():
        value = example["value"]
        text = value if isinstance(value, str) else json.dumps(value)
        if name in forms:
            assert forms[name].read(text) == deal
        else:
            assert name in ("board", "position")
