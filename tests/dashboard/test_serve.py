"""Tests of starting the server."""

import tomllib

from dashboard.serve import APP, OPTIONS
from paths import ROOT


def test_settings_file_and_flags_say_the_same() -> None:
    file = ROOT / ".streamlit" / "config.toml"
    found: dict[str, str] = {}

    def flatten(table: dict[str, object], name: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                flatten(value, f"{name}{key}.")
            else:
                found[name + key] = str(value).lower() if isinstance(value, bool) else str(value)

    flatten(tomllib.loads(file.read_text()), "")
    assert found == OPTIONS
    assert APP.is_file()
