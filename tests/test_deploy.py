"""Tests of compose.yaml, the Dockerfile and the commands of docs/cluster.md."""

import fnmatch
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any

import pytest
import typer

from deploy import check_compose
from paths import ROOT
from thoughtful import command_line

TEXT = (ROOT / "compose.yaml").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
IGNORED = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
VARIABLES = {
    **check_compose.example_variables((ROOT / "compose.env.example").read_text("utf-8")),
    "POSTGRES_PASSWORD": "secret",
}
COMPOSE = check_compose.read(TEXT, VARIABLES)
SERVICES = COMPOSE["services"]


def parse_arguments(arguments: list[str]) -> None:
    """Have the program parse its arguments, and run nothing."""
    command: Any = typer.main.get_command(command_line.application())
    context = None
    while hasattr(command, "commands"):
        name, *arguments = arguments
        context = command.make_context(name, arguments[:1], context, resilient_parsing=True)
        command = command.commands[arguments[0]]
    command.make_context(arguments[0], arguments[1:], context)


def test_nothing_is_wrong_with_it() -> None:
    assert list(check_compose.faults(TEXT, VARIABLES)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("restart: unless-stopped", "restart: sometimes"),
        ("stop_grace_period", "grace"),
        ("{condition: service_healthy}", "{condition: service_well}"),
        ("      scheduler: {condition", "      schedule: {condition"),
        ("restart: on-failure", "restart: always"),
        ("interval: 10s", "interval: ten"),
        ("postgres:16.14-bookworm", "postgres:latest"),
        ("${DASHBOARD_ADDRESS:-127.0.0.1}", "0.0.0.0"),
        ("    networks: [dask]\n", "    networks: [dask, front]\n"),
        ("networks: [catalogue, front]", "networks: [catalogue]"),
        ("PGPASSWORD: ${VISITOR_PASSWORD:-}", "PGPASSWORD: secret"),
        ("thoughtful@database", "thoughtful:secret@database"),
        ("  kernels: {}\n", "  kernels: {}\n  spare: {}\n"),
        ('OMP_NUM_THREADS: "1"', "OMP_NUM_THREADS: 1"),
        ("    healthcheck: &answers\n", "    x-health: &answers\n"),
        (
            "    shm_size: 256m\n",
            "    shm_size: 256m\n    depends_on:\n      runner: {condition: service_started}\n",
        ),
    ],
)
def test_each_slip_is_found(old: str, new: str) -> None:
    assert old in TEXT
    assert list(check_compose.faults(TEXT.replace(old, new), VARIABLES))


def test_a_password_must_be_given() -> None:
    with pytest.raises(check_compose.Fault, match="POSTGRES_PASSWORD is not set"):
        check_compose.read(TEXT, {})
    assert "\nPOSTGRES_PASSWORD=\n" in (ROOT / "compose.env.example").read_text()
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert ".env" in ignored


def test_the_example_names_every_variable() -> None:
    named = {found["name"] or found["plain"] for found in check_compose.VARIABLE.finditer(TEXT)}
    optional = {"PUBLIC_ADDRESS", "PUBLIC_PORT"}
    assert named - optional == set(VARIABLES)


def test_variables_are_filled_in_as_compose_does() -> None:
    fill = check_compose.interpolated
    assert fill("${A:-x} $A $$A ${B:-y}", {"A": "1"}) == "1 1 $A y"
    assert fill("${A:?say}", {"A": "b$c"}) == "b$c"


def test_the_program_knows_the_commands_and_settings() -> None:
    from catalogue.settings import Settings

    known = {f"THOUGHTFUL_{name.upper()}" for name in Settings.model_fields}
    for name, service in SERVICES.items():
        if service["image"] != "thoughtful":
            continue
        if "entrypoint" not in service:
            parse_arguments(["thoughtful", *service["command"]])
        given = {each for each in service["environment"] if each.startswith("THOUGHTFUL_")}
        assert given <= known, name


def test_workers_and_the_scheduler_know_no_password() -> None:
    for name in ("scheduler", "worker"):
        assert SERVICES[name]["networks"] == ["dask"]
        assert not [each for each in SERVICES[name]["environment"] if "PASSWORD" in each]
    assert {name for name, each in SERVICES.items() if each.get("ports")} == {"dashboard", "public"}


def test_every_file_of_the_image_is_sent_to_its_builder() -> None:
    sent = {line.removeprefix("!") for line in IGNORED if line.startswith("!")}
    copied: set[str] = set()
    for line in re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE):
        words = [word for word in line.split() if not word.startswith("--")]
        if "--from=build" not in line:
            copied |= set(words[:-1])
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert packages <= copied
    assert fnmatch.fnmatch(".env", IGNORED[[line[0] for line in IGNORED].index("*")])


def test_the_image_is_pinned_and_has_an_ordinary_user() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert all(check_compose.PINNED.fullmatch(base) for base in bases)
    assert len(set(bases)) == 1
    assert re.search(r"^USER thoughtful$", DOCKERFILE, re.MULTILINE)
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "gcc" not in DOCKERFILE
    assert "build-essential" not in DOCKERFILE
    assert "rm -rf /var/lib/apt/lists" in last


def test_the_commands_of_the_page_can_be_parsed() -> None:
    text = "\n".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/cluster.md"))
    blocks = re.findall(r"^ *```bash\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    start = re.compile(r"(\w+=\S+ )*thoughtful |docker compose exec \w+ thoughtful ")
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    ours = [line for line in lines if start.match(line)]
    assert len(ours) > 8
    for line in ours:
        words = shlex.split(line.split(" &")[0], comments=True)
        parse_arguments(words[words.index("thoughtful") :])


@pytest.mark.thorough
def test_it_works_as_processes_of_this_machine() -> None:
    # Not in pytest's own folder, which the user of the database could not read.
    with tempfile.TemporaryDirectory(prefix="thoughtful-compose-") as directory:
        folder = Path(directory)
        folder.chmod(0o755)
        check_compose.check(folder, deals=8_000)
