"""The pages of the dashboard with real data, and how a test knows that one has been drawn."""

from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import Page, expect

from browsing import settle, unfold


@dataclass(frozen=True, slots=True)
class Visit:
    """A page, and how it is reached.

    Attributes:
        name: in a test.
        link: its address on the server.
        sign: selects an element that is there once the page shows its data.
        unfolded: the label of what is unfolded first.
    """

    name: str
    link: str
    sign: str
    unfolded: str = ""

    def pay(self, page: Page, address: str) -> None:
        """Open the page and wait until it has been drawn."""
        page.goto(address + self.link)
        if self.unfolded:
            unfold(page, self.unfolded)
        expect(page.locator(self.sign).first).to_be_visible()
        settle(page)
        # What was drawn before is faded until it is replaced, which no one would read.
        expect(page.locator("[data-stale=true], [data-testid=stSkeleton]")).to_have_count(0)


# A start of which only the open cards are seen.
OPEN = ("4D", "9D", "TD", "QH", "5D", "AH", "AS")
HIDDEN = "\n".join(
    [
        "Talon: " + "?? " * 24,
        *("?? " * covered + name for covered, name in enumerate(OPEN)),
    ]
)

# One catalogue serves all: that of the fixture `filled`.
VISITS = (
    Visit("overview", "/", ".sheet table"),
    Visit("check", "/check", ".place"),
    Visit("check-spider", "/check?rules=spider-2", ".place"),
    Visit("check-paste", "/check", "[data-testid=stTextArea]", "Or paste it, choose a file"),
    Visit("play-with-hidden-cards", f"/check?text={quote(HIDDEN)}", "[data-mark='1']"),
    Visit("answer", "/check?text=thoughtful-1:3&rules=klondike-draw3", "[data-testid=sentence]"),
    Visit("deals", "/deals", ".sheet table"),
    Visit("deal", "/?deal=thoughtful-1:3", "[data-testid=sentence]"),
    Visit("board", "/?deal=thoughtful-1:3&view=board", "[data-testid=gauge][data-verdict]"),
    Visit(
        "hidden-board",
        "/?deal=thoughtful-1:3&view=board&cards=hidden",
        "[data-testid=gauge][data-verdict=hidden]",
    ),
    Visit("spider", "/?deal=thoughtful-1:3&rules=spider-4suits", "[data-testid=stage]"),
    Visit("find", "/find", "[data-testid=matching-deals]", "Further conditions"),
    Visit("difficulty", "/difficulty", "[data-testid=solvers]"),
    Visit("bounds", "/bounds", "[data-testid=recorded-bounds]"),
    Visit("atlas", "/atlas", "[data-testid=building-and-spaces]"),
    Visit("compare", "/compare", "[data-testid=won-and-not-won]"),
    Visit("jobs", "/jobs", "[data-testid=finished-jobs]"),
    Visit("downloads", "/downloads", "[data-testid=stSelectbox]"),
    Visit("fairness", "/fairness", "h1"),
    Visit("verification", "/verification", "h1"),
)
