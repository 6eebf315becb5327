"""Check of rulesets, solvers, dealings and makers: that each is what its name says."""

import dataclasses
import json

from sqlalchemy import select

from catalogue.schema import DealingRow, MakerRow, RulesetRow, SolverRow
from catalogue.verify.context import Context
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.games import get_game
from engine.rulesets import parse_ruleset
from solvers.registry import parse_solver


def check_names(context: Context) -> None:
    """Compare the options of rulesets and the parameters of solvers with their names."""
    _check_dealings(context)
    _check_makers(context)
    with context.cat.session() as session:
        rulesets = session.scalars(select(RulesetRow).order_by(RulesetRow.id)).all()
        solvers = session.scalars(select(SolverRow).order_by(SolverRow.id)).all()
    for ruleset in rulesets:
        context.checked["ruleset"] += 1
        where = f"ruleset {ruleset.slug}"
        try:
            rules = parse_ruleset(ruleset.slug)
        except BadInput as error:
            context.fault("ruleset", where, str(error))
            continue
        assert dataclasses.is_dataclass(rules)
        # Through JSON, as the database has it.
        options = json.loads(json.dumps(dataclasses.asdict(rules)))
        wanted = {"slug": rules.slug, "game": rules.game, "options": options}
        context.compare("ruleset", where, wanted, ruleset)
    for solver in solvers:
        context.checked["solver"] += 1
        where = f"solver {solver.name} v{solver.version}"
        values = ", ".join(f"{name}={value}" for name, value in solver.parameters.items())
        spelled = f"{solver.method}({values})" if values else solver.method
        if spelled != solver.name:
            context.fault("solver", where, f"its method and parameters are {spelled}")
        try:
            known = parse_solver(solver.name)
        except BadInput:
            continue  # of a package that is not installed, or of another version
        if not 1 <= solver.version <= known.method.version:
            # A newer program may have made its outcomes; only that one can verify them.
            context.fault(
                "solver", where, f"this program's {known.method.slug} is v{known.method.version}"
            )
        if solver.version == known.method.version and solver.grades != known.method.grades:
            context.fault(
                "solver", where, f"grades is {solver.grades}, should be {known.method.grades}"
            )


def _check_dealings(context: Context) -> None:
    with context.cat.session() as session:
        dealings = session.scalars(select(DealingRow).order_by(DealingRow.id)).all()
    for dealing in dealings:
        context.checked["dealing"] += 1
        where = f"dealing {dealing.id}, {dealing.dealer or 'imported deals'} of {dealing.game}"
        try:
            game = get_game(dealing.game)
            if dealing.dealer is not None:
                get_dealer(dealing.dealer).check_game(game)
        except BadInput as error:
            context.fault("dealing", where, str(error))


def _check_makers(context: Context) -> None:
    with context.cat.session() as session:
        makers = session.scalars(select(MakerRow).order_by(MakerRow.id)).all()
    for maker in makers:
        context.checked["maker"] += 1
        told = (maker.program, maker.python, maker.machine)
        # Of what was stored before makers were recorded, all is empty.
        if any(told) and not all(told):
            where = f"maker {maker.id} ({maker.machine})"
            context.fault("maker", where, "its program, its Python or its machine is not told")
