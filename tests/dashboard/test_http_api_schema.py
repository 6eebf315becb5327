"""Tests of the HTTP API against its own OpenAPI document, by Schemathesis.

It makes requests that suit the document and requests that do not, and holds every answer against
it: no error of the server, a documented status, type and shape, nothing wrong accepted.
"""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from catalogue import store
from catalogue.settings import PREFIX
from dashboard.http_api import stored
from dashboard.serve import make_api_app
from patience import SECONDS
from samples import sizes

# Each call and its operation id, after which generated clients name their functions: neither
# changes within a version of the API.
CALLS = {
    "GET /verdict": "verdict",
    "POST /verdict": "verdict_of_text",
    "GET /solution": "solution",
    "POST /solution": "solution_of_text",
    "GET /moves": "moves",
    "POST /moves": "moves_of_text",
    "GET /deal": "deal",
    "POST /deal": "deal_of_text",
    "GET /random": "random_deal",
    "GET /day": "deal_of_day",
    "GET /puzzle": "puzzle",
    "GET /bounds": "bounds",
    "GET /rulesets": "rulesets",
    "GET /datasets": "datasets",
    "GET /datasets/{dataset}/{path}": "dataset_file",
}

# A schema cannot say which texts are deals.
NOT_OF_ANY_SCHEMA = [positive_data_acceptance]


@pytest.fixture
def document(
    sqlite_catalogue: store.Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """The document of an API with datasets, without a limit of its rate."""
    folder = tmp_path / "datasets" / "small"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("card")
    monkeypatch.setenv(f"{PREFIX}API_DATASETS", str(folder.parent))
    monkeypatch.setenv(f"{PREFIX}API_RATE", "0")
    monkeypatch.setattr(stored, "_opened", None)
    url = sqlite_catalogue.engine.url.render_as_string(hide_password=False)
    monkeypatch.setenv(f"{PREFIX}DATABASE_URL", url)
    found = schemathesis.openapi.from_asgi("/api/v1/openapi.json", make_api_app())
    # What is too long for the schema may be too long for an address.
    found.config.checks.negative_data_rejection.expected_statuses += ["413", "414"]
    return found


def operations(document: Any) -> dict[str, Any]:
    found = [each.ok() for each in document.get_all_operations()]
    return {each.label: each for each in found}


def test_every_call_is_described(document: Any) -> None:
    found = operations(document)
    assert {label: each.definition.raw["operationId"] for label, each in found.items()} == CALLS


# Rulesets, deals and moves that are some, which nobody finds by chance.
RIGHT = {
    "rules": st.sampled_from(["klondike-draw3", "klondike-draw1", "klondike-yan", "spider-4"]),
    "deal": st.builds(
        "{}:{}".format, st.sampled_from(["thoughtful-1", "pysolfc"]), st.integers(1, 99)
    ),
    "line": st.sampled_from(["T", "T T T", "D"]),
    "nodes": st.integers(1, 200_000),
    "milliseconds": st.integers(1, 50),
    "level": st.sampled_from(["3-5", "1"]),
    "dealer": st.sampled_from(["thoughtful-1", "greenfelt"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("count", sizes(12, 25))
@pytest.mark.parametrize("call", CALLS)
def test_answers_are_as_described(document: Any, call: str, count: int) -> None:
    operation = operations(document)[call]
    modes = [GenerationMode.POSITIVE]
    if call not in ("GET /rulesets", "GET /datasets", "GET /datasets/{dataset}/{path}"):
        modes.append(GenerationMode.NEGATIVE)
    for mode in modes:
        hold(operation.as_strategy(generation_mode=mode), mode == GenerationMode.POSITIVE, count)


def hold(cases: Any, right: bool, count: int) -> None:
    """Hold the answers to requests against the document; some requests have values that suit."""

    @settings(
        max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=cases, data=st.data())
    def ask(case: Any, data: st.DataObject) -> None:
        for name in sorted(set(case.query) & set(RIGHT)) if right else ():
            if data.draw(st.booleans(), label=f"right {name}"):
                case.query[name] = data.draw(RIGHT[name])
        # The first answer may wait until kernels are compiled.
        case.call_and_validate(excluded_checks=NOT_OF_ANY_SCHEMA, timeout=SECONDS)

    ask()
