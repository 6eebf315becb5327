"""CPU seconds of the tests by folder, printed at the end of a run with `--costs`.

A test counts with its fixtures and the processes that it waited for.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Generator
from typing import Any

import pytest

# Folders are told as deep as this below `tests`.
_DEPTH = 3
_seconds: defaultdict[str, float] = defaultdict(float)
_tests: Counter[str] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", action="store_true", help="print CPU seconds by folder of tests")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    before = sum(os.times()[:4])
    result = yield
    folder = "/".join(item.nodeid.partition("::")[0].split("/")[:-1][: _DEPTH + 1])
    _seconds[folder] += sum(os.times()[:4]) - before
    _tests[folder] += 1
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    # A worker of pytest-xdist hands its figures to the process that prints.
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["costs"] = (dict(_seconds), dict(_tests))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    seconds, tests = getattr(node, "workeroutput", {}).get("costs", ({}, {}))
    for folder, spent in seconds.items():
        _seconds[folder] += spent
    _tests.update(tests)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not config.getoption("--costs"):
        return
    terminalreporter.section("CPU seconds by folder")
    for folder in sorted(_seconds):
        terminalreporter.line(f"| `{folder}` | {_tests[folder]} | {_seconds[folder]:.0f} |")
    terminalreporter.line(f"| all | {_tests.total()} | {sum(_seconds.values()):.0f} |")
