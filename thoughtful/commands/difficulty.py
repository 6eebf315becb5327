"""`difficulty fit|grade|show`: how hard winnable deals are."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import p_value, per_cent
from thoughtful.commands.find import plain_deal
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.jobs import run_to_end

if TYPE_CHECKING:
    from catalogue.difficulty.grading import DifficultyModel
    from catalogue.difficulty.reading import GradedDeal
    from catalogue.store import Catalogue

_Sample = Annotated[
    str,
    typer.Argument(
        metavar="SAMPLE", autocompletion=completing.deals, help="The deals: dealer:first-last"
    ),
]


@examples(
    "thoughtful difficulty fit pysolfc:1-130 -r klondike-draw1 -p random -p greedy",
)
def fit(
    sample: _Sample,
    rules: options.Rules = DEFAULT_RULESET,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            "-p",
            metavar="PLAYER",
            autocompletion=completing.players,
            help="A player of the deals; repeat the option for several (default: the game's "
            "players of graded strength)",
        ),
    ] = None,
    play: Annotated[
        bool,
        typer.Option(
            help="Have the players play, and compute the features, before the model is fitted"
        ),
    ] = True,
    workers: options.Workers = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the model to this file too, in the form in which the package ships models",
        ),
    ] = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Fit how hard the winnable deals of a ruleset are.

    A first job has an exact solver and players of graded strength play the sample; a second one
    computes the features of its winnable deals, such as how often a win can be lost. Then a Rasch
    model, with one difficulty for each deal and one ability for each player, is fitted to all games
    of players on the sample, validated on deals and players that had no part in the fit, and
    stored. Every deal with features gets its difficulty and its level from 1 to 10; that of deals
    which nobody has played is predicted from the features. An interrupted command resumes when it
    is run again.

    Where no solver tells which plays keep a win, as in Spider, trials are the features: the games
    of ten that each of some quick players wins. Then deals are those that the best of its players
    wins with a small budget, or exact search where all cards are seen. For Spider players must be
    named.
    """
    from catalogue import store
    from catalogue.difficulty.fitting import fit_difficulty
    from catalogue.difficulty.playing import check_fit, chosen_players, submit_games
    from catalogue.difficulty.shipped import model_as_json
    from catalogue.streams import opened_output
    from engine.dealing.dealers import parse_sample
    from engine.rulesets import parse_ruleset
    from solvers.choice import Ability, capable

    ruleset, wanted = parse_ruleset(rules), parse_sample(sample)
    players = chosen_players(ruleset, player)
    check_fit(wanted, players)
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        if play:
            run_to_end(catalogue, [submit_games(catalogue, ruleset, wanted, players)], workers)
            if capable(ruleset, Ability.FORGIVE) is not None:
                _trace(catalogue, ruleset, wanted, workers)
        console.remark("fitting and validating")
        found = fit_difficulty(catalogue, ruleset, wanted, players)
    if output is not None:
        with opened_output(output) as target:
            target.write(model_as_json(found, ruleset))
    _tell(found, ruleset.slug, json)


@examples(
    "thoughtful difficulty grade thoughtful-1:42-43",
)
def grade(
    sample: _Sample,
    rules: options.Rules = DEFAULT_RULESET,
    workers: options.Workers = None,
    database: options.Database = None,
) -> None:
    """Compute the features of the winnable deals of a sample, and predict their levels.

    No player plays the deals: if a model has been fitted for the ruleset, levels are predicted from
    the features, and from games that are stored already. The deals must be known to be winnable, as
    after `thoughtful job submit SAMPLE`.
    """
    from catalogue import store
    from catalogue.difficulty.playing import advice_of_fit, old_features
    from catalogue.difficulty.reading import DealConditions, find, model
    from catalogue.difficulty.shipped import store_shipped
    from engine.dealing.dealers import parse_sample
    from engine.rulesets import parse_ruleset
    from solvers.features import tracer

    ruleset, wanted = parse_ruleset(rules), parse_sample(sample)
    tracer(ruleset)
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        known = model(catalogue, ruleset.slug)
        if known is not None and known.is_old:
            raise BadInput(
                f"the levels under {ruleset.slug} rest on "
                f"{old_features(known.features_version, ruleset)}"
            )
        _trace(catalogue, ruleset, wanted, workers)
        store_shipped(catalogue, ruleset)
        graded = find(catalogue, DealConditions(ruleset.slug), 0).graded
        if not graded:
            console.remark(
                f"no deal is known to be winnable under {ruleset.slug}: solve the sample, with "
                f"`thoughtful job submit {sample} --rules {ruleset.slug}` and `thoughtful runner`"
            )
        elif known is None:
            console.remark(
                f"the features are stored, but there are no levels yet: {advice_of_fit(ruleset)}"
            )


@examples(
    "thoughtful difficulty show",
    "thoughtful difficulty show thoughtful-1:42 --json",
)
def show(
    deal: Annotated[
        str | None,
        typer.Argument(
            metavar="DEAL", autocompletion=completing.deals, help="A deal, such as thoughtful-1:42"
        ),
    ] = None,
    rules: options.Rules = DEFAULT_RULESET,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Show the model of a ruleset's difficulty with its validation, or how hard a deal is."""
    from catalogue.difficulty import reading
    from catalogue.difficulty.playing import advice_of_fit
    from catalogue.store import open_catalogue
    from engine.dealing.dealers import parse_deal_id
    from engine.rulesets import parse_ruleset
    from solvers.features import tracer

    ruleset = parse_ruleset(rules)
    with open_catalogue(database) as catalogue:
        if deal is None:
            found = reading.model(catalogue, ruleset.slug)
            if found is None:
                console.remark(
                    f"no difficulty has been fitted under {ruleset.slug}: {advice_of_fit(ruleset)}"
                )
                return
            _tell(found, ruleset.slug, json, reading.levels(catalogue, ruleset.slug))
            return
        dealer, seed = parse_deal_id(deal)
        known = reading.graded(catalogue, ruleset.game, dealer.slug, seed)
    mine = [each for each in known if each.ruleset == ruleset.slug]
    if json:
        for each in mine:
            console.emit(plain_deal(each))
    elif not mine:
        tracer(ruleset)
        console.remark(
            f"no features of {deal} under {ruleset.slug} are stored: if it is winnable, "
            f"`thoughtful difficulty grade {dealer.slug}:{seed}-{seed} --rules {ruleset.slug}` "
            "computes them"
        )
    else:
        _print_deal(mine[0])


def _trace(catalogue: "Catalogue", ruleset: Any, sample: Any, workers: int | None) -> None:
    from catalogue.difficulty.features import submit

    run_to_end(catalogue, [submit(catalogue, ruleset, sample)], workers)


def _print_deal(deal: "GradedDeal") -> None:
    from catalogue.difficulty.playing import old_features
    from engine.rulesets import parse_ruleset
    from engine.text.numbers import games_won

    if deal.level is not None and deal.difficulty is not None and deal.deviation is not None:
        rests = f"{deal.games} games and its features" if deal.games else "its features alone"
        print(
            f"{deal.deal} under {deal.ruleset}: level {deal.level} ({deal.name}); within one "
            f"standard error {deal.level_low} to {deal.level_high}\n"
            f"difficulty {deal.difficulty:+.2f} ± {deal.deviation:.2f} logits, resting on {rests}"
        )
    else:
        print(f"{deal.deal} under {deal.ruleset}: no level, for no difficulty has been fitted")
    print(
        f"solution of {deal.length} moves; {deal.choices} positions in which a play loses the win, "
        f"{deal.critical} of them critical"
        + ("" if deal.first_critical is None else f", the first at move {deal.first_critical + 1}")
    )
    print(f"{per_cent(deal.winning_share, 1)}% of the plays along it keep the win")
    if deal.luck_most is not None:
        won = games_won(deal.luck, deal.luck_error, deal.luck_most)
        print(f"play at random wins {won}")
    if deal.is_old:
        print(f"all this is by {old_features(deal.version, parse_ruleset(deal.ruleset))}")
    if deal.needs:
        print(f"it cannot be won without {', '.join(deal.needs)}")


def _tell(
    model: "DifficultyModel", ruleset: str, json: bool, levels: list[int] | None = None
) -> None:
    from catalogue.difficulty.grading import LEVELS, columns_of
    from catalogue.difficulty.playing import old_features
    from engine.rulesets import parse_ruleset

    if json:
        columns = columns_of(model)
        console.emit({"ruleset": ruleset, **columns, "graded": levels})
        return
    if model.is_old:
        old = old_features(model.features_version, parse_ruleset(ruleset))
        console.remark(f"these levels rest on {old}")
    print(
        f"difficulty under {ruleset}: {model.fitted:,} winnable deals of {model.sample}, "
        f"{sum(player.played for player in model.players):,} games of {len(model.players)} "
        "players\n"
    )
    console.print_markdown(
        ("player", "ability", "error", "games", "won %"),
        [
            (
                f"{each.name} v{each.version}",
                f"{each.ability:+.2f}",
                f"{each.error:.2f}",
                f"{each.played:,}",
                per_cent(each.won / each.played, 1),
            )
            for each in model.players
        ],
        numbers=(1, 2, 3, 4),
    )
    print(
        f"\nspread of deals about the prediction from features: {model.rasch.spread:.2f} logits; "
        f"features explain {per_cent(model.validation['explained'], 0)}% of the variance\n"
    )
    console.print_markdown(
        ("level", "name", "difficulty from", "deals"),
        [
            (
                str(number),
                name,
                "" if number == 1 else f"{model.limits[number - 2]:+.2f}",
                "" if levels is None else f"{levels[number - 1]:,}",
            )
            for number, name in enumerate(LEVELS, start=1)
        ],
        numbers=(0, 2, 3),
    )
    _tell_validation(model.validation)


def _tell_validation(found: dict[str, Any]) -> None:
    level = f"{100 * found['level']:.0f} %"
    if "auc" not in found:
        print("\nno player can be held out: the others have not both won and lost on a half")
    else:
        areas = found["auc"]
        print(
            f"\nheld-out players on held-out deals, {areas['games']:,} games ({level} intervals, "
            "bootstrapped over deals), and how much better the prediction is\n"
        )
        console.print_markdown(
            ("deals ranked by", "AUC", "interval", "better by", "interval"),
            [
                (
                    name,
                    f"{each['auc']:.3f}",
                    f"{each['low']:.3f} to {each['high']:.3f}",
                    f"{each['behind']['gain']:+.3f}" if "behind" in each else "",
                    f"{each['behind']['low']:+.3f} to {each['behind']['high']:+.3f}"
                    if "behind" in each
                    else "",
                )
                for name, each in areas.items()
                if name != "games"
            ],
            numbers=(1, 3),
        )
        for kind, of_kind in found["calibration"].items():
            print(
                f"\ncalibration of {kind} chances: chi-squared {of_kind['statistic']:.1f} with "
                f"{of_kind['degrees']} degrees of freedom, {p_value(of_kind['p'])}\n"
            )
            console.print_markdown(
                ("games", "expected %", "won %", "error"),
                [
                    (
                        f"{each['games']:,}",
                        per_cent(each["expected"], 1),
                        per_cent(each["won"], 1),
                        f"{100 * each['error']:.1f}",
                    )
                    for each in of_kind["bins"]
                ],
                numbers=(0, 1, 2, 3),
            )
    # Without halves that can be fitted there is none.
    same = found.get("stability")
    if same:
        print(
            "\nfitted to one half and to the other: rank correlation of the predicted difficulties "
            f"{same['predicted']:.3f}, of the played ones {same['played']:.3f}, of the levels "
            f"{same['levels']:.3f}; {per_cent(same['same_level'], 1)}% have the same level, "
            f"{per_cent(same['within_one'], 1)}% within one"
        )
