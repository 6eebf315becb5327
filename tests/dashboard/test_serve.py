"""Tests of starting the server, and of what it sends with every response."""

import json
import socket
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from catalogue import store
from dashboard.serve import APP, OPTIONS
from dashboard.server.headers import HEADERS
from paths import ROOT


def test_settings_file_and_flags_say_the_same() -> None:
    file = ROOT / ".streamlit" / "config.toml"
    found: dict[str, object] = {}

    def flatten(table: dict[str, object], name: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                flatten(value, f"{name}{key}.")
            else:
                found[name + key] = value

    flatten(tomllib.loads(file.read_text()), "")
    assert found == OPTIONS
    assert APP.is_file()


def fetched(link: str) -> tuple[int, Message, str]:
    try:
        with urllib.request.urlopen(link) as answer:
            return answer.status, answer.headers, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode(errors="replace")


@pytest.mark.slow
def test_headers_health_and_metrics(
    sqlite_catalogue: store.Catalogue, served: Callable[[str], str]
) -> None:
    file = Path(str(sqlite_catalogue.engine.url.database))
    address = served(f"sqlite:///{file}")
    pages = ["/", "/deals", "/_stcore/health", "/_stcore/host-config", "/media/none.png", "/none"]
    for path in [*pages, "/healthz", "/metrics", "/component/none/index.html"]:
        _, headers, _ = fetched(address + path)
        for name, value in HEADERS.items():
            assert headers.get_all(name) == [value], (path, name)
    code, _, body = fetched(address + "/healthz")
    assert (code, json.loads(body)) == (200, {"sound": True, "reason": None})
    code, headers, body = fetched(address + "/metrics")
    assert code == 200
    assert headers["Content-Type"].startswith("text/plain")
    assert "thoughtful_catalogue_up 1.0" in body
    assert 'thoughtful_query_seconds_bucket{kind="read"' in body
    # A catalogue that is not there: said without where it should be.
    missing = file.with_name("missing.db")
    address = served(f"sqlite:///{missing}")
    code, _, body = fetched(address + "/healthz")
    assert (code, json.loads(body)["sound"]) == (503, False)
    assert str(missing) not in body
    assert "thoughtful_catalogue_up 0.0" in fetched(address + "/metrics")[2]


@pytest.mark.slow
def test_only_this_machine_is_listened_to(
    sqlite_catalogue: store.Catalogue, served: Callable[[str], str]
) -> None:
    port = urlsplit(served(sqlite_catalogue.engine.url.render_as_string())).port
    # Another address of this machine, where a server of all addresses would answer.
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.2", port)) != 0
