"""Check across rulesets: what is won under stricter rules is not unwinnable under laxer ones."""

from catalogue.reading.alarms import cross_alarms
from catalogue.verify.context import Context


def check_rulesets(context: Context) -> None:
    """Report deals won under a ruleset and proved unwinnable under one that allows more."""
    found = cross_alarms(context.cat)
    for alarm in found.alarms:
        context.fault("alarm", alarm.deal, str(alarm))
    context.checked["rulesets"] += found.compared
