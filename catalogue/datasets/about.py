"""Sections of the dataset card in sentences: rules, validation, limits of use, origin."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.games import game_of, games
from engine.proof import PLAIN_SHARE
from engine.rulesets import parse_ruleset


def rules(provenance: Mapping[str, Any]) -> Iterator[str]:
    """The rules of each game, and what each ruleset adds to them."""
    slugs = list(provenance["rulesets"])
    for game in games():
        mine = [slug for slug in slugs if game_of(parse_ruleset(slug)).slug == game.slug]
        if mine:
            yield f"**{game.name}.** {game.rulesets.basics}".strip()
            yield ""
            yield from (
                f"- `{slug}`: {game.rulesets.describe(parse_ruleset(slug))}" for slug in mine
            )
            yield ""


def validation(counts: Mapping[str, Any], provenance: Mapping[str, Any]) -> Iterator[str]:
    """The checks of the data, how they were made, and by whom."""
    rows, samples = counts["rows"], counts["samples"]
    against = sum(each["contradictions"] for each in samples)
    yield (
        f"- Wins: each of the {rows['solutions']:,} solutions was replayed move by move before it "
        "was stored or written, by a compiled referee of the rules, and a share of "
        f"{PLAIN_SHARE:.1%}, drawn at random, again by one in plain Python that shares no code "
        "with it. A win that does not replay is never stored."
    )
    yield (
        f"- Proofs: {sum(each['unwinnable'] for each in samples):,} deals are called unwinnable, "
        "after a complete search or by a dead end with its witness. A complete search leaves no "
        "certificate: `thoughtful verify` has a share decided again by a solver that shares no "
        "search code with it."
    )
    yield (
        f"- Contradictions: {against:,} deals are won by one outcome and unwinnable by another. "
        "They count as winnable, both outcomes are kept, and they are not in `puzzles`."
    )
    yield (
        "- Dealers: tests hold those of other programs against deals that these programs made, and "
        "our own against frozen ones, so a name is the same cards for ever."
    )
    verified = provenance["verification"]
    yield "- The catalogue: " + (
        "no verification of it is recorded."
        if verified is None
        else f"last verified on {verified['date']}, with {verified['faults']:,} faults found."
    )
    yield (
        "- The files: `thoughtful dataset check` compares them with their checksums, and the "
        "counts above with the data."
    )


def limits(provenance: Mapping[str, Any]) -> Iterator[str]:
    """The limits of the data."""
    yield (
        "- Verdicts are of the game with all cards known. They are no chances of a person, who "
        "does not see the face-down cards."
    )
    yield (
        "- Undecided deals are not a random part: they are harder than others. Shares divide by "
        "all deals attempted, or are bounds."
    )
    yield (
        "- Deals come from the seeds of a dealer, in order. Shares hold for its shuffle, not for "
        "what players of some program met. Rules of the same name differ elsewhere: see above."
    )
    yield (
        "- Solutions are those that the solvers found, neither the shortest nor those of a person."
    )
    if provenance["difficulty"]:
        yield (
            "- Levels are estimates from games of programs of graded strength, with the deviation "
            "beside them. No person's game is among them."
        )
    else:
        yield "- No level of difficulty was fitted for these rulesets."
    yield "- CPU times are those of the machines that solved, and do not compare across machines."
    yield "- There is nothing about people in the data."


def origin(provenance: Mapping[str, Any]) -> Iterator[str]:
    """Who made the data, when, and whom to ask."""
    authors, contact = provenance["authors"], provenance["contact"]
    yield "- Authors: " + (", ".join(authors) if authors else "not named by who built it")
    yield f"- Contact: {contact or 'not named by who built it'}"
    yield f"- Outcomes: from {provenance['first_outcome']} to {provenance['last_outcome']}"
    yield f"- Program: Thoughtful {provenance['written_by']['thoughtful']}"


def year(provenance: Mapping[str, Any]) -> str:
    """The year of the newest outcome."""
    return str(provenance["last_outcome"])[:4]
