"""Inference: outcomes that follow from those under other rulesets, and are not solved.

A deal that is won under a ruleset is won under the laxer ones that it implies, and one that is
unwinnable is so under the stricter ones that imply it (`engine.game.Rulesets.implies`).
"""
