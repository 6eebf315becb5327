"""Steps of `exact-plain`: forced ones, those it tries, and why the others are not needed.

Words: as in `solvers.klondike.exact_plain.board`; a card is *bare* if it lies on top of a column;
the *hosts* of a card are those that it may be built on, which are *twins* of each other, and it is
their *guest*: two where colours alternate, four where any suit is built on any, and one where each
suit is built on itself; a *place* for a card is a bare host or, for a king where kings go there, an
empty column. A *step* is
what the search tries: a head moves to a place with all that lies on it (RUN), a card of a column
goes up (UP), a stock card is played after the turns and the redeal that it takes (TAKE), a card
comes back from its foundation (DOWN).

The *distance* of a position is the number of steps other than DOWN in a winning line that has
fewest of them. The rules below see to this: from each position entered from which a win is possible
a position at a smaller distance is entered too, perhaps by way of others. A search that enters
whatever its steps lead to, once each, therefore finds a win where there is one; for let p be at the
least distance of those entered: only a won position can be that.

All this holds where only kings go to empty columns, or no cards. Where no cards do, a king at the
bottom of a column is stuck like any other card there, and has no place. Where any card may go to an
empty column the search is *open*, see at the end; and also where any suit is built on any and parts
of runs may not move, or without MERGE.

**Hosts** (only where parts of runs may move). A loose card can move from one host to another, if
that is bare, and back. Such moves are no steps and count nothing; positions that they lead to from
each other are the same position, whatever the table (`_second_word`) or the rules below say of it.
Before a card goes up, what lies on it may move to its twin. That is also the only step that needs
such a move first: a guest that wants a place on a card where another lies takes that on the twin,
unless we ask which of the two lies where; and of bare twins any will do. Where parts of runs may
not move, every place is tried. (Where each suit is built on itself, there is but one.)

**Twins** (only where parts of runs may move, with MERGE). Let A and B be alike but that two twins,
each loose on a host, have changed places with all that lies on them. Both have the same distance.
For whatever is done in A can be done in B as well, with the two runs still exchanged: the same
cards are bare and go to the same places; a column whose cards move takes along what lies there; no
head moves onto a card of its own column, for the two runs are lower than all below them. This goes
on until one of the twins goes up. In A one host is then bare, in B the other, and by Hosts these
are the same position. So one entry of the table does for both, and a guest takes any bare host.
Without MERGE both are searched, so that the two ways can be compared.

**Safe.** Card c of rank r (ace 0), on top of a column and next on its foundation, is sent up at
once where both foundations of the other colour hold r − 1 cards at least and its twin's r − 2: the
condition of Blake and Gent's Solvitaire. Let W be the cards of its suit up to rank r, of the other
colour up to r − 1, of its twin's suit up to r − 2. All guests of cards of W are in W. Once c is up,
at most one card of W a suit is not up, and it is next on its foundation. Play a winning line after
sending c up, with these changes: no card of W comes down; where the line moves one that is not up
yet, alone or with others, it goes up instead, after what lies on it, which is in W too; later moves
of it are left out. This is possible. A card of W that is not up lies where the line has it, too,
and no other card lies on it. The others lie where the line has them; a place they take is free, for
only cards of W are missing; the card under each on its foundation is up if it was in the line;
columns are uncovered at least as far; a column is empty if it has only cards of W in the line; the
stock and the redeals are the same at any moment. It holds for whole runs also: less what is in W,
the run is still all that lies face up. Every card of W has gone up in the line as well, so the
changed line has no more steps: sending c up has made the distance smaller. Nothing in it depends on
the number of cards drawn or of redeals, nor on what may go to empty columns.

Where any suit is built on any, all other foundations must hold r − 1 cards: W are the cards of its
suit up to rank r and of the others up to r − 1. Where each suit is built on itself, every card that
can go up is safe: W are the cards of its suit up to rank r, and no card ever comes down.

At draw 1 a safe card of the stock is taken at once, too, where it is on top of the waste, or
wherever it is if redeals do not run out. The stock without it, turned as the line turns it but for
turns that only show that card, shows all the others when the line has them shown.

**Rise** (only with BACK). A loose card that can go up does so at once: brought DOWN again it is
back in its place, which counts nothing, so the distance is no greater.

**Ready** (only with BACK). A head alone or stock card that can go up is not laid on a host instead:
after it has gone up, a DOWN lays it there.

**Down** (only with BACK). Of the winning lines with fewest steps other than DOWN, take one with
fewest DOWNs. From a position where nothing rises it begins with DOWNs, y the last of them, and then
some other step b. If b is possible before y comes down, exchange the two, and also two neighbouring
DOWNs that are possible in the other order, where the first has the higher number. Such exchanges
come to an end, in a line where each DOWN, of y, is followed by
- a step that needs y: it lays a guest on y (where parts of runs may move: and could not lay it on
  y's twin), or sends y's twin up, whose guest moves to y;
- the DOWN of the card that y covered on its foundation; or
- a DOWN of a card with a higher number.
No others are tried after it. (The step that moves y itself is never needed, since y could have come
to that place, or stayed up; one that moves the column in which y lies was possible before.) What
was tried depends on y, so the table keeps y with the position. After b what can rise does.

A safe card is never brought down: by Safe, with it up again the distance would be smaller, but that
is the position before, which is on a shortest line.

**Order.** Where the columns are given in which some face-down cards, the ordered ones, turn up
(ORDER), a line that turns them up in another order is none, and a head that may not leave yet takes
no step. All of the above holds for such lines: the changed lines uncover the same columns in the
same order. Only a head uncovers a card, so neither Hosts, Rise nor Down changes that order, nor
exchanging Twins, which are loose; by Safe a card goes up when the line moves it, or c at once,
which if it is a head that may leave uncovers what the line uncovers first of the ordered cards. How
many of them have turned up, and therefore what may leave, can be told from the position. (Not in an
open search.)

**Open search.** Steps are all plays there are: any run that may move goes to each bare host and to
the first empty column (empty columns are alike), a stock card and one of a foundation too, the top
of a column goes up; safe cards still go up at once. A whole column that has no face-down card does
not move to an empty one. The table tells apart where each loose card lies. So whatever can be
reached is entered, but for what Safe leaves out.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from engine.kernels.decorators import search_kernel
from solvers.klondike.exact_plain.board import (
    ALTERNATING,
    ANY_SUIT,
    BACK,
    BUILDING,
    DOWN,
    DRAW,
    HEIGHT,
    LEFT,
    MERGE,
    OPEN,
    PARTIAL,
    PILE,
    PLACE,
    REDEALS,
    RUN,
    SIZE,
    STOCK,
    STUCK,
    TAKE,
    TO_FOUNDATION,
    UP,
    WASTE,
    bare_alike,
    bare_column,
    bring_down,
    filled_column,
    is_face_up,
    is_guest,
    may_leave,
    move_run,
    next_host,
    send_up,
    take,
    turned_up,
)


@search_kernel
def _step(kind, source, target, aside):
    """Pack a step as a number.

    kind, source, target: as of a move; a RUN is that of the source's head. aside: the column to
    which first goes what lies on the card that goes up (UP) or on the host (otherwise), or -1.
    """
    return kind | source << 2 | target << 7 | aside + 1 << 10


@search_kernel
def _part(source, cards, target):
    """Pack the move of the top `cards` cards of a column, of an open search, as a number."""
    return _step(RUN, source, target, -1) | cards << 13


@search_kernel
def card_brought_down(board, step):
    """Return the card that a DOWN step brings down, -1 for other steps."""
    if step & 3 != DOWN:
        return -1
    suit = step >> 2 & 31
    return 4 * board[HEIGHT + suit] - 4 + suit


@search_kernel
def _clear(board, column, aside):
    """Move the run of a column that fits on the top card of `aside` there."""
    host = board[PILE + 20 * aside + board[SIZE + aside] - 1]
    top = board[PILE + 20 * column + board[SIZE + column] - 1]
    move_run(board, column, (host >> 2) - (top >> 2), aside)


@search_kernel
def play(board, step):
    """Make the moves of a step."""
    kind = step & 3
    source = step >> 2 & 31
    target = step >> 7 & 7
    aside = (step >> 10 & 7) - 1
    cards = step >> 13
    if aside >= 0:
        _clear(board, source if kind == UP else target, aside)
    if kind == UP:
        send_up(board, source)
    elif kind == RUN:
        if cards == 0:
            cards = board[SIZE + source] - board[STUCK + source] + 1
        move_run(board, source, cards, target)
    elif kind == TAKE:
        take(board, source, target)
    else:
        bring_down(board, source, target)


@search_kernel
def is_safe(board, card):
    """Whether sending the card up is harmless, see Safe."""
    rank = card >> 2
    if board[BUILDING] == ALTERNATING:
        others, twins = rank - 1, rank - 2
    elif board[BUILDING] == ANY_SUIT:
        others = twins = rank - 1
    else:
        return True
    return (
        board[HEIGHT + (card & 3 ^ 1)] >= others
        and board[HEIGHT + (card & 3 ^ 3)] >= others
        and board[HEIGHT + (card & 3 ^ 2)] >= twins
    )


@search_kernel
def _may_go(board, card, column):
    """Whether a card may leave its column: it is loose, or a head that may."""
    return (board[PLACE + card] & 31) >= board[STUCK + column] or may_leave(board, column)


@search_kernel
def play_forced(board):
    """Make the moves that lose nothing, see Safe and Rise, until there are none."""
    rises = board[BACK] == 1 and board[OPEN] == 0
    again = True
    while again:
        again = False
        for suit in range(4):
            if board[HEIGHT + suit] == 13:
                continue
            card = 4 * board[HEIGHT + suit] + suit
            if is_face_up(board, card):
                column = board[PLACE + card] >> 5
                loose = (board[PLACE + card] & 31) >= board[STUCK + column]
                if not (loose or may_leave(board, column)):
                    continue
                if bare_column(board, card) >= 0:
                    if (loose and rises) or is_safe(board, card):
                        send_up(board, column)
                        again = True
                elif loose and rises and board[PARTIAL] == 1:
                    aside = bare_alike(board, card)
                    if aside >= 0:
                        _clear(board, column, aside)
                        send_up(board, column)
                        again = True
            elif board[DRAW] == 1 and board[PLACE + card] < 0 and is_safe(board, card):
                if board[REDEALS] == board[LEFT]:
                    index = 0
                    while board[STOCK + index] != card:
                        index += 1
                else:
                    index = board[WASTE] - 1
                if index >= 0 and board[STOCK + index] == card:
                    take(board, index, TO_FOUNDATION)
                    again = True


@search_kernel
def _add_places(board, card, kind, source, steps, end):
    """Add the steps that lay a card, with what lies on it, on a host or in an empty column."""
    if card >= 48:
        column = filled_column(board, card)
        if column >= 0:
            steps[end] = _step(kind, source, column, -1)
            end += 1
        return end
    if board[BUILDING] != ALTERNATING:
        # Any bare host will do, see Hosts.
        host = next_host(board, card, -1)
        while host >= 0:
            column = bare_column(board, host)
            if column >= 0:
                steps[end] = _step(kind, source, column, -1)
                return end + 1
            host = next_host(board, card, host)
        return end
    host = card + 4 ^ 1
    one = bare_column(board, host)
    two = bare_column(board, host ^ 2)
    if one >= 0:
        steps[end] = _step(kind, source, one, -1)
        end += 1
    if two >= 0 and (one < 0 or board[PARTIAL] == 0):
        steps[end] = _step(kind, source, two, -1)
        end += 1
    if board[PARTIAL] == 1 and board[MERGE] == 0 and (one < 0) != (two < 0):
        laden = host if one < 0 else host ^ 2
        if is_face_up(board, laden):
            steps[end] = _step(kind, source, board[PLACE + laden] >> 5, max(one, two))
            end += 1
    return end


@search_kernel
def _add_ups(board, steps, end):
    """Add the steps that send a card of a column up, from under another card if need be."""
    for suit in range(4):
        card = 4 * board[HEIGHT + suit] + suit
        if card >= 52 or not is_face_up(board, card):
            continue
        column = board[PLACE + card] >> 5
        if not _may_go(board, card, column):
            continue
        if bare_column(board, card) >= 0:
            steps[end] = _step(UP, column, 0, -1)
            end += 1
        elif board[PARTIAL] == 1:
            aside = bare_alike(board, card)
            if aside >= 0:
                steps[end] = _step(UP, column, 0, aside)
                end += 1
    return end


@search_kernel
def _add_runs(board, host, steps, end):
    """Add the steps that move a head with all that lies on it; if host >= 0, its guests only."""
    for column in range(7):
        stuck = board[STUCK + column]
        if stuck == 0 or not may_leave(board, column):
            continue
        card = board[PILE + 20 * column + stuck - 1]
        if host >= 0 and not is_guest(board, card, host):
            continue
        ready = board[HEIGHT + (card & 3)] == card >> 2 and stuck == board[SIZE + column]
        if not (ready and board[BACK] == 1):
            end = _add_places(board, card, RUN, column, steps, end)
    return end


@search_kernel
def _add_takes(board, host, steps, end):
    """Add the steps that play a card of the stock; if host >= 0, to lay its guests only."""
    shown = turned_up(board[WASTE], board[LEFT], board[DRAW])
    if board[REDEALS] > 0:
        shown |= turned_up(0, board[LEFT], board[DRAW])
    for index in range(board[LEFT]):
        card = board[STOCK + index]
        if shown >> index & 1 == 0 or (host >= 0 and not is_guest(board, card, host)):
            continue
        ready = board[HEIGHT + (card & 3)] == card >> 2
        if ready and host < 0:
            steps[end] = _step(TAKE, index, TO_FOUNDATION, -1)
            end += 1
        if not (ready and board[BACK] == 1):
            end = _add_places(board, card, TAKE, index, steps, end)
    return end


@search_kernel
def add_steps(board, down, steps, end):
    """Write the steps to try from index `end` on; return where they end.

    down: the card that the step before brought down from its foundation, or -1.
    """
    if board[OPEN] == 1:
        return _add_open_steps(board, steps, end)
    if down < 0:
        end = _add_ups(board, steps, end)
        end = _add_runs(board, -1, steps, end)
        end = _add_takes(board, -1, steps, end)
        if board[BACK] == 1:
            for suit in range(4):
                card = 4 * board[HEIGHT + suit] - 4 + suit
                if card >= 0 and not is_safe(board, card):
                    end = _add_places(board, card, DOWN, suit, steps, end)
        return end

    column = board[PLACE + down] >> 5
    # Where a twin has room too, its guests had a place before.
    needed = board[PARTIAL] == 0 or bare_alike(board, down) < 0
    if needed:
        if board[PARTIAL] == 1:
            end = _add_ups_of_twins(board, down, steps, end)
        begin = end
        end = _add_runs(board, down, steps, end)
        end = _add_takes(board, down, steps, end)
        if board[PARTIAL] == 0:
            end = _keep_onto(column, steps, begin, end)
    for suit in range(4):
        card = 4 * board[HEIGHT + suit] - 4 + suit
        if card < 0 or is_safe(board, card):
            continue
        begin = end
        end = _add_places(board, card, DOWN, suit, steps, end)
        if suit != down & 3 and card < down:
            if not (needed and is_guest(board, card, down)):
                end = begin
            elif board[PARTIAL] == 0:
                end = _keep_onto(column, steps, begin, end)
    return end


@search_kernel
def _add_ups_of_twins(board, down, steps, end):
    """Add the steps that send a twin of a card up, after what lies on it has moved to the card."""
    for twin in range(down & ~3, (down | 3) + 1):
        alike = board[BUILDING] == ANY_SUIT or twin == down ^ 2
        if (
            twin != down
            and alike
            and board[HEIGHT + (twin & 3)] == twin >> 2
            and is_face_up(board, twin)
            and _may_go(board, twin, board[PLACE + twin] >> 5)
        ):
            steps[end] = _step(UP, board[PLACE + twin] >> 5, 0, board[PLACE + down] >> 5)
            end += 1
    return end


@search_kernel
def _keep_onto(column, steps, begin, end):
    """Drop the steps from begin to end that do not go to a column; return the new end."""
    kept = begin
    for i in range(begin, end):
        if steps[i] >> 7 & 7 == column:
            steps[kept] = steps[i]
            kept += 1
    return kept


# --- the open search -----------------------------------------------------------------------------


@search_kernel
def _add_hosts(board, card, kind, source, steps, end):
    """Add the steps that lay a card of the stock or a foundation on each of its bare hosts."""
    host = next_host(board, card, -1)
    while host >= 0:
        column = bare_column(board, host)
        if column >= 0:
            steps[end] = _step(kind, source, column, -1)
            end += 1
        host = next_host(board, card, host)
    return end


@search_kernel
def _add_runs_onto_hosts(board, uncovers, steps, end):
    """Add the steps that move the cards of a column from some level on to a host.

    uncovers: whether those only that leave no face-up card behind, or the others only.
    """
    for column in range(7):
        first = max(board[STUCK + column] - 1, 0)
        last = board[SIZE + column] if board[PARTIAL] == 1 else min(first + 1, board[SIZE + column])
        for level in range(first, last):
            if (level == first) != uncovers:
                continue
            card = board[PILE + 20 * column + level]
            host = next_host(board, card, -1)
            while host >= 0:
                target = bare_column(board, host)
                if target >= 0:
                    steps[end] = _part(column, board[SIZE + column] - level, target)
                    end += 1
                host = next_host(board, card, host)
    return end


@search_kernel
def _add_runs_to_empty_column(board, uncovers, steps, end):
    """Add the steps that move the cards of a column from some level on to an empty column.

    A whole column without face-down cards does not move. uncovers: as above.
    """
    for column in range(7):
        first = max(board[STUCK + column] - 1, 0)
        last = board[SIZE + column] if board[PARTIAL] == 1 else min(first + 1, board[SIZE + column])
        for level in range(max(first, 1), last):
            target = filled_column(board, board[PILE + 20 * column + level])
            if target >= 0 and (level == first) == uncovers:
                steps[end] = _part(column, board[SIZE + column] - level, target)
                end += 1
    return end


@search_kernel
def _add_open_takes(board, to_column, steps, end):
    """Add the steps that play a card of the stock, to an empty column only or elsewhere only."""
    shown = turned_up(board[WASTE], board[LEFT], board[DRAW])
    if board[REDEALS] > 0:
        shown |= turned_up(0, board[LEFT], board[DRAW])
    for index in range(board[LEFT]):
        if shown >> index & 1 == 0:
            continue
        card = board[STOCK + index]
        if to_column:
            column = filled_column(board, card)
            if column >= 0:
                steps[end] = _step(TAKE, index, column, -1)
                end += 1
            continue
        if board[HEIGHT + (card & 3)] == card >> 2:
            steps[end] = _step(TAKE, index, TO_FOUNDATION, -1)
            end += 1
        end = _add_hosts(board, card, TAKE, index, steps, end)
    return end


@search_kernel
def _add_open_steps(board, steps, end):
    """Write every step of an open search, from index `end` on; return where they end."""
    for suit in range(4):
        card = 4 * board[HEIGHT + suit] + suit
        if card < 52 and bare_column(board, card) >= 0:
            steps[end] = _step(UP, board[PLACE + card] >> 5, 0, -1)
            end += 1
    end = _add_runs_onto_hosts(board, True, steps, end)
    end = _add_open_takes(board, False, steps, end)
    end = _add_runs_to_empty_column(board, True, steps, end)
    end = _add_open_takes(board, True, steps, end)
    end = _add_runs_onto_hosts(board, False, steps, end)
    end = _add_runs_to_empty_column(board, False, steps, end)
    if board[BACK] == 1:
        for suit in range(4):
            card = 4 * board[HEIGHT + suit] - 4 + suit
            if card >= 0 and not is_safe(board, card):
                end = _add_hosts(board, card, DOWN, suit, steps, end)
                column = filled_column(board, card)
                if column >= 0:
                    steps[end] = _step(DOWN, suit, column, -1)
                    end += 1
    return end
