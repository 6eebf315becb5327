"""Definition of the games: cards, deals, dealers, rulesets, positions, moves and referees.

Files of a game's folder, of which the contract (`engine.game`) asks for the first nine:

- ``__init__``: `GAME`, everything that the contract asks for;
- ``rules``: the options as a frozen dataclass, slugs, `RULESETS`;
- ``deal``: the zones, the class of deals on `FlatDeal`, `is_deal_json`;
- ``moves``: the class of moves, its text and bytes, `NOTATION`;
- ``referee``: the class of positions, which alone says what is legal: legal moves, why not, play,
  JSON, observation;
- ``actions``: what moves do, and which can be taken back;
- ``dealing``: `DEALINGS`, which dealers deal it, and how; a dealer of this game alone stands here;
- ``formats``, ``notations``: `CODECS` and `NOTATIONS`, as other programs write deals and moves;
- ``checker``: the compiled referee of packed solutions, written once more from the rules; optional;
- ``table_text``, ``seen``: positions as a person types or sees them; optional;
- state machines, compiled, that its solvers play on.

A game is registered by a line in `engine.games`, or by an entry point (`engine.plug_ins`) of its
package; ``tests/plugins/black_hole`` is one that has all of this. With it come a folder of
`solvers`, and a renderer in Python and in JavaScript (`dashboard.viewer.renderer`). The suite in
``tests/conformance`` tests a game as soon as it is registered; one with kernels adds a line to
``tests/conformance/kernels.py``, so that they are compared with the referee.
"""
