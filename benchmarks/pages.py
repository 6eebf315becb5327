"""How long visitors wait for the pages of a large catalogue, measured in a real browser.

    python benchmarks/pages.py --file million.db
    python benchmarks/pages.py --database postgresql

Fills a new catalogue with outcomes of `exact` and `dead-end` under two rulesets
(`measuring.large`), with features and levels of its first deals by the jobs that find them, given
to further deals as well, and serves the dashboard. Then it prints, in milliseconds:

- for each page the time from the request until its data are drawn, in a browser that was there,
  and for a page of Streamlit's that has a title and a button alone;
- for each kind of action (filter, turn of a page, move on the board) the time until what it changes
  is drawn and nothing is left to be drawn, and for the button of that other page;
- the same actions of several visitors at once, each in a browser session of its own, who look at a
  page for some seconds between two actions;
- errors: tracebacks on pages, answers of the server of 500 and above, exceptions in the browser.

Chromium, which draws for all visitors, runs on the same cores as the server, and its time is in all
figures. The file is kept, and used again, if `--file` names one.
"""

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.async_api import Browser, Page, async_playwright
from sqlalchemy import insert, select

from catalogue import store
from catalogue.blocks import EVERYTHING
from catalogue.difficulty import features
from catalogue.interrupts import ended_by_signals
from catalogue.schema import Base, FeaturesRow
from engine.dealing.dealers import Sample
from engine.rulesets import parse_ruleset
from measuring.databases import add_database_options, chosen_database, database_bytes
from measuring.large import DEALER, fill
from measuring.served import served

RULESETS = ("klondike-draw1", "klondike-draw3")
TRACED = 1000
PATIENCE_MS = 60_000
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")

# What nothing built on Streamlit can be faster than.
BARE = """import streamlit as st
st.title("Bare")
st.session_state.clicks = st.session_state.get("clicks", 0) + st.button("Click")
st.text(str(st.session_state.clicks))
"""

# Nothing is left to be drawn: no script of the page runs, nothing is faded.
SETTLED = """!document.querySelector('[data-stale=true], [data-testid=stSkeleton]') &&
  document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"""

# The first element that is drawn and suits a selector, in shadow trees too, where the board is.
# Playwright's own waiting looks only every 500 ms after the first 270; this looks at every frame.
FOUND = """const found = (selector, root = document) => {
  const here = [...root.querySelectorAll(selector)].find(each => each.getClientRects().length);
  if (here) return here;
  for (const each of root.querySelectorAll('*')) {
    const inside = each.shadowRoot && found(selector, each.shadowRoot);
    if (inside) return inside;
  }
  return null;
};"""

# A page, and a selector of what is there once it shows its data.
VIEWS = {
    "overview": ("/", ".sheet table"),
    "check": ("/check?text=thoughtful-1:{seed}&rules=klondike-draw3", ".card"),
    "deals": ("/deals?rules=klondike-draw3&status=winnable", ".sheet tbody tr"),
    "deal": ("/?deal=thoughtful-1:{seed}&rules=klondike-draw3", ".card"),
    "board": (
        "/?deal=thoughtful-1:{seed}&rules=klondike-draw3&view=board",
        "[data-testid=gauge][data-verdict]:not([data-verdict=''])",
    ),
    "find": ("/find?rules=klondike-draw1&level_from=4", "[data-testid=matching-deals]"),
    "difficulty": ("/difficulty?rules=klondike-draw3", "[data-testid=solvers]"),
    "bounds": ("/bounds?rules=klondike-draw3", "[data-testid=bounds-now]"),
    "atlas": ("/atlas", "[data-testid=building-and-spaces]"),
    "compare": ("/compare?rules=klondike-draw3", "[data-testid=won-and-not-won]"),
    "jobs": ("/jobs", "[data-testid=finished-jobs]"),
    "downloads": ("/downloads", "[data-testid=stSelectbox]"),
    "fairness": ("/fairness", "h1"),
    "verification": ("/verification", "h1"),
}


@dataclass
class Watch:
    """Times of each kind, and what went wrong."""

    spent: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def add(self, kind: str, began: float) -> None:
        self.spent.setdefault(kind, []).append(time.perf_counter() - began)

    def follow(self, page: Page) -> None:
        """Note what goes wrong on a page."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "response",
            lambda answer: (
                self.errors.append(f"{answer.status} {answer.url}")
                if answer.status >= 500
                else None
            ),
        )

    def show(self, title: str) -> None:
        print(f"\n{title}", flush=True)
        for kind, spent in sorted(self.spent.items()):
            _line(kind, spent)
        if self.spent:
            _line("all", [each for spent in self.spent.values() for each in spent])
        print(f"{len(self.errors)} errors {self.errors[:3] or ''}", flush=True)


def _line(kind: str, spent: list[float]) -> None:
    middle, high, most = np.quantile(1000 * np.asarray(spent), (0.5, 0.95, 1.0))
    print(f"{kind:34} n {len(spent):4} p50 {middle:7.0f}  p95 {high:7.0f}  max {most:7.0f}")


def main() -> int:
    """Fill a catalogue, serve it, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--deals", type=int, default=1_000_000, help="under each ruleset")
    parser.add_argument("--real", type=int, default=65_536, help="deals that are really solved")
    parser.add_argument("--actions", type=int, default=100, help="of one visitor")
    parser.add_argument("--paints", type=int, default=20, help="of each page")
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=90, help="of the visitors together")
    parser.add_argument("--think", type=float, default=10, help="mean seconds between two actions")
    add_database_options(parser)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory, ExitStack() as stack:
        url, present = stack.enter_context(chosen_database(asked, Path(directory)))
        if not present:
            began = time.perf_counter()
            _fill(url, asked.deals, asked.real)
            print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        with store.open_catalogue(url) as cat:
            print(
                f"{cat.engine.dialect.name}: {asked.deals:,} deals under each of "
                f"{' and '.join(RULESETS)}, {database_bytes(cat) / 2**20:,.0f} MiB",
                flush=True,
            )
        address = stack.enter_context(served("dashboard", THOUGHTFUL_DATABASE_URL=url))
        script = Path(directory) / "bare.py"
        script.write_text(BARE)
        command = "streamlit", "run", str(script)
        bare = stack.enter_context(served(*command, port_option="--server.port"))
        asyncio.run(_measure(address, bare, asked))
    return 0


# --- the catalogue -------------------------------------------------------------------------------


def _fill(url: str, deals: int, real: int) -> None:
    store.init(url)
    traced = Sample(DEALER, 0, min(TRACED, deals))
    with store.open_catalogue(url) as cat:
        for ruleset in RULESETS:
            fill(cat, ruleset, deals, EVERYTHING, real)
            features.submit(cat, parse_ruleset(ruleset), traced)
    _command(url, "runner")
    fitted = Sample(DEALER, 0, min(150, deals))
    for ruleset in RULESETS:
        players = ["-p", "random", "-p", "greedy"]
        _command(url, "difficulty", "fit", str(fitted), "-r", ruleset, *players)
    # The same features for deals that have their outcomes by chance: how fast they are read is
    # asked.
    rows = Base.metadata.tables[FeaturesRow.__tablename__]
    with store.open_catalogue(url) as cat, cat.begin() as session:
        for at in range(1, min(100, deals // traced.count)):
            moved = [
                column + at * traced.count if column.name == "seed" else column
                for column in rows.columns
            ]
            chosen = select(*moved).where(rows.c.seed < traced.count)
            session.execute(insert(rows).from_select(list(rows.columns), chosen))


def _command(url: str, *words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "thoughtful", *words],
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
        check=True,
        stdout=subprocess.DEVNULL,
    )


# --- visitors ------------------------------------------------------------------------------------


async def _measure(address: str, bare: str, asked: argparse.Namespace) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        rng = random.Random(1)
        await _paints(browser, address, bare, asked.paints, rng)
        alone = Watch()
        visitors = [await _visitor(browser, address, alone, rng, kind) for kind in KINDS]
        visitors.append(await _visitor(browser, bare, alone, rng, OnBare))
        for visitor in visitors:  # the first of each kind is not counted
            await visitor()
        alone.spent.clear()
        for turn in range(asked.actions):
            await visitors[turn % len(visitors)]()
        alone.show(f"actions of one visitor, {asked.actions} in all")
        await browser.close()

        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        crowd = Watch()
        kinds = list(KINDS)
        many = [
            await _visitor(browser, address, crowd, rng, kinds[at % len(kinds)])
            for at in range(asked.visitors)
        ]
        for visitor in many:
            await visitor()
        crowd.spent.clear()
        until = time.monotonic() + asked.seconds

        async def visit(visitor: Callable[[], Awaitable[None]]) -> None:
            while True:
                await asyncio.sleep(rng.uniform(0, 2 * asked.think))
                if time.monotonic() > until:
                    return
                await visitor()

        await asyncio.gather(*map(visit, many))
        crowd.show(
            f"actions of {asked.visitors} visitors at once, {asked.think:g} s apart on average"
        )
        await browser.close()


async def _paints(
    browser: Browser, address: str, bare: str, paints: int, rng: random.Random
) -> None:
    watch = Watch()
    context = await browser.new_context()
    page = await context.new_page()
    watch.follow(page)
    views = {
        "(a bare page)": (bare, "h1"),
        **{name: (address + link, sign) for name, (link, sign) in VIEWS.items()},
    }
    for name, (link, sign) in views.items():
        for turn in range(paints + 1):
            to = link.format(seed=rng.randrange(60_000))
            began = time.perf_counter()
            await page.goto(to, wait_until="commit")
            await _until(page, "sign => found(sign)", sign)
            if turn > 0:
                watch.add(name, began)
            await page.wait_for_function(f"() => {SETTLED}", timeout=PATIENCE_MS)
            if await page.locator("[data-testid=stException]").count():
                watch.errors.append(f"a traceback on {to}")
    watch.show("first paint with data")
    await context.close()


async def _until(page: Page, condition: str, given: object) -> None:
    """Wait until a condition holds of what is given; it is looked at before every frame."""
    await page.wait_for_function(
        f"given => {{ {FOUND} return ({condition})(given); }}",
        arg=given,
        timeout=PATIENCE_MS,
        polling="raf",
    )


async def _changed(page: Page, shown: str, before: str) -> None:
    """Wait until what is shown differs, and nothing is left to be drawn."""
    await page.wait_for_function(
        f"""([shown, before]) => {{
            const now = [...document.querySelectorAll(shown)].map(e => e.innerText).join('|');
            return now !== before && now !== '' && {SETTLED};
        }}""",
        arg=[shown, before],
        timeout=PATIENCE_MS,
        polling="raf",
    )


async def _texts(page: Page, shown: str) -> str:
    texts: str = await page.evaluate(
        "shown => [...document.querySelectorAll(shown)].map(e => e.innerText).join('|')", shown
    )
    return texts


class Visitor:
    """One browser session on one page, and the actions that are repeated there."""

    def __init__(self, page: Page, address: str, watch: Watch, rng: random.Random) -> None:
        self.page, self.address, self.watch, self.rng, self.turn = page, address, watch, rng, 0

    async def open(self, link: str, sign: str) -> None:
        await self.page.goto(self.address + link)
        await self.page.locator(sign).first.wait_for(timeout=PATIENCE_MS)
        await self.page.wait_for_function(f"() => {SETTLED}", timeout=PATIENCE_MS)

    async def timed(self, kind: str, shown: str, act: Callable[[], Awaitable[None]]) -> None:
        """Act, and note how long it takes until what is shown has changed."""
        before = await _texts(self.page, shown)
        began = time.perf_counter()
        await act()
        await _changed(self.page, shown, before)
        self.watch.add(kind, began)
        if await self.page.locator("[data-testid=stException]").count():
            self.watch.errors.append(f"a traceback on {self.page.url}")

    async def choose(self, kind: str, label: str, option: str, shown: str) -> None:
        """Choose an option of an open list, timed from the click on it."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        await box.click()
        await box.fill(option)  # of a long list only what is in view is there
        wanted = self.page.get_by_role("option", name=option, exact=True).first
        await wanted.wait_for()
        await self.timed(kind, shown, wanted.click)

    async def fill(self, kind: str, label: str, value: str, shown: str) -> None:
        await self.page.get_by_role("spinbutton", name=re.compile(label)).fill(value)
        await self.timed(kind, shown, lambda: self.page.keyboard.press("Enter"))


class OnDeals(Visitor):
    rows = "[data-testid=deals] tbody td:first-child"
    statuses = ("winnable", "unwinnable")
    sorts = ("search nodes", "solution length", "seed")

    async def start(self) -> None:
        await self.open("/deals?rules=klondike-draw3", self.rows)

    async def act(self) -> None:
        self.turn += 1
        if self.turn % 3 == 0:
            status = self.statuses[self.turn // 3 % 2]
            await self.choose("deals: filter by status", "Status", status, self.rows)
        elif self.turn % 3 == 1:
            number = self.page.get_by_role("button", name=re.compile("^Page [23]$"))
            at = number.nth(self.turn // 3 % 2)
            await self.timed("deals: turn a page", self.rows, at.click)
        else:
            order = ("largest first", "smallest first")[self.turn // 3 % 2]
            await self.choose("deals: order", "Order", order, self.rows)


class OnFind(Visitor):
    rows = "[data-testid=matching-deals] tbody td:first-child"

    async def start(self) -> None:
        await self.open("/find?rules=klondike-draw1&moves_from=1", self.rows)

    async def act(self) -> None:
        self.turn += 1
        level = str((2, 5)[self.turn % 2])
        await self.fill("find: filter by level", "Level from", level, self.rows)


class OnBounds(Visitor):
    said = ".st-key-forecast"

    async def start(self) -> None:
        await self.open("/bounds?rules=klondike-draw3", self.said)

    async def act(self) -> None:
        self.turn += 1
        width = ("0.05", "0.07")[self.turn % 2]
        await self.fill("bounds: another width", "Width wanted", width, self.said)


class OnCompare(Visitor):
    rows = "[data-testid^=deals] tbody td:first-child"

    async def start(self) -> None:
        await self.open("/compare?rules=klondike-draw3", "[data-testid=won-and-not-won]")

    async def act(self) -> None:
        self.turn += 1
        cells = ("first not won, second won", "first not won, second not won")
        await self.choose("compare: a cell", "Cell", cells[self.turn % 2], self.rows)


class OnBoard(Visitor):
    count = "[data-testid=count]"
    answered = "[data-testid=gauge][data-verdict]:not([data-verdict=''])"

    async def start(self) -> None:
        seed = self.rng.randrange(60_000)
        link = f"/?deal={DEALER}:{seed}&rules=klondike-draw3&view=board"
        await self.open(link, self.answered)

    async def act(self) -> None:
        self.turn += 1
        moves = self.page.locator("[data-testid=choices] button")
        found = await moves.count()
        if not found or self.turn % 25 == 0:
            await self.start()
            found = await moves.count()
        at = int((await self.page.locator(self.count).inner_text()).partition(" ")[0])
        began = time.perf_counter()
        await moves.nth(self.rng.randrange(found)).click()
        await _until(
            self.page,
            "([count, start, answered]) => "
            "found(count).innerText.startsWith(start) && found(answered)",
            [self.count, f"{at + 1} /", self.answered],
        )
        self.watch.add("board: a move with its verdicts", began)


class OnBare(Visitor):
    text = "[data-testid=stText]"

    async def start(self) -> None:
        await self.open("/", self.text)

    async def act(self) -> None:
        click = self.page.get_by_role("button", name="Click").click
        await self.timed("(a bare page: a click)", self.text, click)


Kind = OnDeals | OnFind | OnBounds | OnCompare | OnBoard | OnBare
KINDS: tuple[type[Kind], ...] = (
    OnDeals,
    OnBoard,
    OnFind,
    OnBounds,
    OnCompare,
)


async def _visitor(
    browser: Browser,
    address: str,
    watch: Watch,
    rng: random.Random,
    kind: type[Kind],
) -> Callable[[], Awaitable[None]]:
    """A visitor who has opened a page; each call is an action there."""
    context = await browser.new_context()
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    watch.follow(page)
    visitor = kind(page, address, watch, rng)
    await visitor.start()
    return visitor.act


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main())
