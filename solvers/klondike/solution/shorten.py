"""Shortening of winning lines of standard moves.

Three changes are made to the line as a list of plays (`solvers.klondike.solution.plays`);
"Solutions" in `docs/search.md` proves them sound:

* *merge*: two plays of one card become one, or none, where no play needs the first and is needed
  by the second;
* *loosen*: a card of the stock is taken earlier than the line takes it, onto a bare card that
  nothing else needs while it lies there;
* *reorder*: the cards of the stock are taken in the order with the fewest turns that the plays'
  needs allow, as far as `solvers.klondike.solution.stock_order` finds it.

For rules with unlimited redeals and partial runs. No change adds a move from a foundation.
"""

# Kernels carry no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cards import KING
from engine.cardset import popcount
from engine.filling import copy_into, fill, fill_part
from engine.kernels import inlined_kernel, search_kernel
from engine.klondike.flat import DRAW, SIZE, UNPLAYED, WASTE
from solvers.klondike.solution.plays import (
    BOTTOM,
    FOUNDATION,
    START,
    TALON,
    card_of,
    hidden_cards,
    is_behind,
    link_play,
    link_stock,
    new_play,
    note_behind,
    place_of,
    read_order,
    read_plays,
    source_of,
    target_of,
    unlink,
    words_for,
    workspace_in,
    write_moves,
)
from solvers.klondike.solution.stock_order import improve, turns_for, turns_within

# Width of the beam of reordering: a narrow one nearly always finds the best order at draw 1.
_WIDTH, _WIDTH_AT_DRAW_1 = 16, 2

_NEVER = -1


@search_kernel
def shorten(start, moves, count, scratch):
    """Replace a winning line by a shorter one, if one is found.

    Args:
        start: int64[POSITION], the start of the line; its PLAYED is not used.
        moves: uint8[≥ count], a legal line that wins, in the bytes of `engine.klondike.moves`; out:
            the shortest line found.
        count: number of moves.
        scratch: of `new_scratch`.

    Returns:
        The new number of moves, at most `count`.
    """
    work = workspace_in(scratch)
    plays, order = work.plays, work.order
    length = read_plays(start, moves, count, work)
    if length < 0:
        return count
    size, waste, draw = start[UNPLAYED], start[WASTE], start[DRAW]
    hidden = hidden_cards(start)
    read_order(plays, length, work.number_of, order)
    length = _merge(start, hidden, length, work, False)
    _arrange(length, size, work)
    link_stock(hidden, length, work, 1)
    length = _loosen(start, hidden, length, work)
    width = _WIDTH if draw > 1 else _WIDTH_AT_DRAW_1
    improve(order, size, waste, draw, work.required, width, work.beam, work.free)
    _arrange(length, size, work)
    length = _merge(start, hidden, length, work, True)
    if length + turns_for(order, size, waste, draw) < count:
        return write_moves(start, plays, length, work, moves)
    return count


@search_kernel
def _merge(start, hidden, length, work, by_turns):
    """Merge plays of one card where that shortens the line; returns the new length.

    With `by_turns` the list must take the stock in `work.order`, and does so afterwards; a merger
    counts the turns it adds or saves. Without, `work.order` is left possible: no stock card waits
    for more than before. The list is linked afterwards.
    """
    plays, last, order, trial = work.plays, work.last, work.order, work.trial
    size, waste, draw = start[UNPLAYED], start[WASTE], start[DRAW]
    turns = turns_for(order, size, waste, draw) if by_turns else 0
    words = words_for(length)
    fill_part(work.behind, 0, words, 0)
    # Plays are linked when they are looked at, since a merger changes all that follow.
    left = unlink(hidden, 1, work)
    linked = 0
    _note_takers(1, length, work)
    fill(last, _NEVER)
    at = 0
    while at < length:
        at += 1
        if linked < at:
            left = _link(at, left, words, work)
            linked = at
        second = at
        card = card_of(plays[second])
        first = last[card]
        last[card] = second
        if first == _NEVER or not _can_merge(first, second, words, hidden, work):
            continue
        late = True
        if by_turns:
            saved = 2 if source_of(plays[first]) == target_of(plays[second]) else 1
            late, fewest = _cheaper(first, second, words, start, work, turns)
            if fewest >= turns + saved:
                continue
            turns = fewest
            copy_into(order, trial)
        else:
            more = work.takes[second] & ~work.takes[first]
            if more != 0:
                if source_of(plays[first]) == TALON or _one_waits_longer(
                    first, more, size, words, linked, work
                ):
                    continue
                while linked < length:
                    linked += 1
                    left = _link(linked, left, words, work)
                if _one_waits_longer(first, more, size, words, linked, work):
                    continue
        length = _replace(first, second, length, words, late, work)
        # Continue from the change.
        left = unlink(hidden, first, work)
        linked = first - 1
        _note_takers(first, second, work)
        fill(last, _NEVER)
        for other in range(1, first):
            last[card_of(plays[other])] = other
        at = first - 1
    return length


@inlined_kernel
def _link(at, left, words, work):
    """Link a play, sets of plays included; as `link_play`."""
    left = link_play(at, left, work)
    note_behind(at, words, work)
    return left


@inlined_kernel
def _can_merge(first, second, words, hidden, work):
    """Whether no play between two plays of one card needs the first and is needed by the second."""
    plays, needs, behind = work.plays, work.needs, work.behind
    for which in range(3):
        between = needs[3 * second + which]
        if between > first and is_behind(first, between, words, behind):
            return False
    source = source_of(plays[first])
    if source == target_of(plays[second]) and (hidden >> source) & 1:
        # Leaving a face-down card uncovers it, which staying on it does not.
        moved = False
        for at in range(1, first):
            moved |= card_of(plays[at]) == card_of(plays[first])
        return moved
    return True


@inlined_kernel
def _one_waits_longer(first, more, size, words, linked, work):
    """Whether a stock card that waits for play `first` does not wait for all of `more` yet.

    Of cards that are taken after play `linked` nothing is known.
    """
    required, taker, behind = work.required, work.taker, work.behind
    waits = 0
    for number in range(size):
        at = taker[number]
        waits |= (
            (at <= linked) & is_behind(first, at, words, behind) & (more & ~required[number] != 0)
        )
    return waits


@inlined_kernel
def _note_takers(begin, end, work):
    """Note which of the plays from `begin` to `end` take which stock card."""
    for at in range(begin, end + 1):
        card, source = card_of(work.plays[at]), source_of(work.plays[at])
        work.taker[work.number_of[card] if source == TALON else 24] = at


@inlined_kernel
def _cheaper(first, second, words, start, work, turns):
    """Whether two plays are better merged late, and the turns of the line then.

    Merging early is not tried where late takes no more than `turns`. The order of the stock is left
    in `work.trial`.
    """
    size, waste, draw = start[UNPLAYED], start[WASTE], start[DRAW]
    begin, end = _takes_between(first, second, size, work.taker)
    if not _reorder(first, second, words, True, begin, end, work):
        return True, turns
    now = turns_within(work.order, begin, end, size, waste, draw)
    late = turns - now + turns_within(work.trial, begin, end, size, waste, draw)
    if late <= turns:
        return True, late
    if not _reorder(first, second, words, False, begin, end, work):
        return False, turns
    early = turns - now + turns_within(work.trial, begin, end, size, waste, draw)
    if early < late:
        return False, early
    _reorder(first, second, words, True, begin, end, work)
    return True, late


@inlined_kernel
def _comes_after(at, first, second, late, words, behind):
    """1 if a play between two plays comes after the one that they are merged to.

    With `late` the merged play takes the place of the second, and plays that need the first come
    after it. Otherwise it takes the place of the first, and plays that the second needs come before
    it.
    """
    if late:
        return is_behind(first, at, words, behind)
    return 1 - is_behind(at, second, words, behind)


@inlined_kernel
def _takes_between(first, second, size, taker):
    """How many stock cards are taken before each of two plays."""
    begin = end = 0
    for number in range(size):
        begin += taker[number] < first
        end += taker[number] < second
    return begin, end


@inlined_kernel
def _reorder(first, second, words, late, begin, end, work):
    """Write to `work.trial` the order in which the stock is taken once two plays are merged.

    `work.order` must be that of the list, and its cards from `begin` to before `end` be taken
    between the two. Returns whether the two orders differ.
    """
    taker, behind, order, trial = work.taker, work.behind, work.order, work.trial
    copy_into(trial, order)
    taken = begin
    differs = 0
    for after in range(2):
        for at in range(begin, end):
            play = taker[order[at]]
            if play != first and after == _comes_after(play, first, second, late, words, behind):
                differs |= trial[taken] ^ order[at]
                trial[taken] = order[at]
                taken += 1
        if after == 0 and begin < end and taker[order[begin]] == first:
            differs |= trial[taken] ^ order[begin]
            trial[taken] = order[begin]
            taken += 1
    return differs != 0


@inlined_kernel
def _replace(first, second, length, words, late, work):
    """Merge two plays in the list; returns its new length."""
    plays, spare, behind = work.plays, work.spare, work.behind
    play = new_play(card_of(plays[first]), source_of(plays[first]), target_of(plays[second]))
    kept = 0  # the plays that come after
    end = first
    for at in range(first + 1, second):
        after = _comes_after(at, first, second, late, words, behind)
        spare[kept] = plays[at]
        plays[end] = plays[at]
        kept += after
        end += 1 - after
    if source_of(play) != target_of(play):
        plays[end] = play
        end += 1
    for at in range(kept):
        plays[end] = spare[at]
        end += 1
    for at in range(second + 1, length + 1):
        plays[end] = plays[at]
        end += 1
    return end - 1


@search_kernel
def _loosen(start, hidden, length, work):
    """Take stock cards after fewer others, onto other cards or straight up; returns the new length.

    The list must take the stock in `work.order`, and what `link_stock` computes be known of it.
    That is known afterwards, too, and the order still possible.
    """
    plays, bare = work.plays, work.marks
    _bare_at_start(start, bare)
    at = 0
    while at < length:
        if at > 0:
            _follow(plays[at], at, bare)
        at += 1
        if source_of(plays[at]) != TALON:
            continue
        host = _best_host(at, length, work)
        if host == _NEVER:
            continue
        giver = bare[host]
        card, target = card_of(plays[at]), target_of(plays[at])
        gap = at  # the place in the list that becomes free
        if target == FOUNDATION:
            # Up from there when it would have gone up from the waste.
            plays[at] = new_play(card, host, FOUNDATION)
            length += 1
            at += 1
            gap = length
        else:
            leaves = _leaves_at(at, length, plays)
            if leaves <= length:
                plays[leaves] = new_play(card, host, target_of(plays[leaves]))
        for other in range(gap, giver + 1, -1):
            plays[other] = plays[other - 1]
        plays[giver + 1] = new_play(card, TALON, host)
        link_stock(hidden, length, work, giver + 1)
        _bare_at_start(start, bare)
        for other in range(1, at):
            _follow(plays[other], other, bare)
    return length


@inlined_kernel
def _best_host(at, length, work):
    """The place for a stock card, taken by play `at`, that lets it wait for the fewest others.

    Places that are bare from before `at`, by `work.marks`, and not used up until the card leaves
    the place where play `at` puts it. _NEVER where the card would not wait for fewer.
    """
    plays, bare = work.plays, work.marks
    card = card_of(plays[at])
    waits_for = work.required[work.number_of[card]]
    host = _NEVER
    fewest = popcount(waits_for)
    if fewest == 0:
        return host
    for option in range(7 if card >> 2 == KING else 2):
        place = 4 * (card >> 2) + 4 + (1 - (card & 1)) + 2 * option  # a parent
        if card >> 2 == KING:
            place = BOTTOM + option
        since = bare[place]
        if since == _NEVER:
            continue
        waits = work.takes[since]
        if (
            waits & ~waits_for == 0
            and popcount(waits) < fewest
            and _stays_bare(place, at, length, plays)
        ):
            fewest = popcount(waits)
            host = place
    return host


@inlined_kernel
def _leaves_at(at, length, plays):
    """The play that takes a card away from where play `at` puts it; length + 1 if none does."""
    card = card_of(plays[at])
    leaves = at + 1
    while leaves <= length and card_of(plays[leaves]) != card:
        leaves += 1
    return leaves


@inlined_kernel
def _stays_bare(place, at, length, plays):
    """Whether a bare place is not used up from play `at` until the card placed by it leaves."""
    card, goes_up = card_of(plays[at]), target_of(plays[at]) == FOUNDATION
    for other in range(at, length + 1):
        play = plays[other]
        if target_of(play) == place or (card_of(play) == place and target_of(play) == FOUNDATION):
            return False
        if goes_up or (other > at and card_of(play) == card):
            break
    return True


@inlined_kernel
def _bare_at_start(start, bare):
    """Write for each place START where it is bare at the start, else _NEVER."""
    fill_part(bare, 0, FOUNDATION, _NEVER)
    for column in range(7):
        bare[place_of(start, column, start[SIZE + column])] = START


@inlined_kernel
def _follow(play, at, bare):
    """Note which places a play makes bare, and that others no longer are."""
    card, source, target = card_of(play), source_of(play), target_of(play)
    if source < FOUNDATION:
        bare[source] = at
    if target < FOUNDATION:
        bare[target] = _NEVER
        if source >= FOUNDATION:
            bare[card] = at
    else:
        bare[card] = _NEVER


@search_kernel
def _arrange(length, size, work):
    """Sort the plays so that the stock is taken in `work.order` and all else happens at once."""
    plays, needs, marks, order, spare = (
        work.plays,
        work.needs,
        work.marks,
        work.order,
        work.spare,
    )
    turn_of, ends = work.trial, work.last
    for at in range(size):
        turn_of[order[at]] = at + 1
    fill_part(ends, 0, size + 1, 0)
    marks[START] = 0
    for at in range(1, length + 1):
        own = turn_of[work.number_of[card_of(plays[at])]]
        when = max(
            own if source_of(plays[at]) == TALON else 0,
            marks[needs[3 * at]],
            marks[needs[3 * at + 1]],
            marks[needs[3 * at + 2]],
        )
        marks[at] = when
        ends[when] += 1
    begin = 1
    for when in range(size + 1):
        begin, ends[when] = begin + ends[when], begin
    for at in range(1, length + 1):
        spare[ends[marks[at]]] = plays[at]
        ends[marks[at]] += 1
    for at in range(1, length + 1):
        plays[at] = spare[at]
