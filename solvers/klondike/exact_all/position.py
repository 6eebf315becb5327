"""Positions and steps of the exact search.

The proofs of everything that is left out stand in `docs/search.md`; the names in brackets below,
such as [arrangement], are its sections.

**Position.** A card is *up* (on its foundation), *locked* (in its column where it was dealt or,
in a mid-game start, where nothing can lie between it and the face-down cards), *loose* (face up
on another card, or in a column without locked cards) or in the stock. The topmost locked card of a
column is its *head*; heads and loose cards are *visible*. Which loose card lies where need not be
known [arrangement] where parts of runs may move, so these six integers are the whole position; of
whole runs `solvers.klondike.exact_all.arrangement` keeps more:

=======  ==========================================================================================
up       set of cards on the foundations (sets as in `engine.cardset`)
loose    set of loose cards
heads    set of heads
columns  how many locked cards each column has, 4 bits each
stock    bit i: card i of the stock is still in stock or waste; bits 24…28: the *edge*, e where the
         cards left of those before card e lie in the waste, or 0 where the waste offers nothing
         beyond a fresh pass [waste]; bits 29…33: redeals left, where they are limited
place    foundation heights and locked counts in mixed radix, below 2³¹: the table key without
         the stock
=======  ==========================================================================================

The last locked card of a column is loose as soon as it is the last one, if such a card may lie in
an empty column: all columns without locked cards are alike.

**Steps.** HEAD_UP, REVEAL (a head with all that lies on it moves to a parent or an empty column),
STOCK_UP, STOCK_DOWN (one card of the stock within reach, to foundation or tableau), DOWN
(foundation to tableau), LOOSE_UP, and where only whole runs move BASE (a base with its run moves
onto a card). A step is ``where << 9 | kind << 6 | bit of the card``; `where` tells the place, only
where runs move as a whole: the number of the card, or `TO_COLUMN`, see
`solvers.klondike.exact_all.arrangement`.

A DOWN only *brings* a card: what follows it must need the card [worrying back]. `brought` is the
bit of the card just brought, or -1.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from solvers.klondike.exact.position import COLUMN_WEIGHT as COLUMN_WEIGHT
from solvers.klondike.exact.position import HEIGHT_WEIGHT as HEIGHT_WEIGHT
from solvers.klondike.exact.position import Layout as Layout

HEAD_UP, REVEAL, STOCK_UP, STOCK_DOWN, DOWN, LOOSE_UP, BASE = range(7)

HEIGHTS = 14**4  # combinations of foundation heights, of which `place` is a multiple and a rest
COLUMNS = 40320  # combinations of locked counts
