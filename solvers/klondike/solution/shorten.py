"""Shortening of winning lines of standard moves.

Three changes are made to the line as a list of plays (`solvers.klondike.solution.plays`);
`docs/search/solutions.md` proves them sound:

* *reorder*: the cards of the stock are taken in the order with the fewest turns that the plays'
  needs allow, as far as `solvers.klondike.solution.stock_order` finds it;
* *merge*: two plays of one card become one, or none, where no play needs the first and is needed
  by the second, and the order of the stock can stay;
* *loosen*: a card of the stock is taken earlier than the line takes it, onto a bare card or into an
  empty column that nothing else needs while it lies there.

For rules with unlimited redeals and partial runs. No change adds a move from a foundation.
"""

# Kernels carry no annotations.
# mypy: allow-untyped-defs, allow-untyped-calls

from engine.cardset import popcount
from engine.kernels.decorators import inlined_kernel, search_kernel
from engine.kernels.filling import fill_part
from engine.klondike.flat import DRAW, SIZE, UNPLAYED, WASTE
from solvers.klondike.solution.plays import (
    FOUNDATION,
    START,
    TALON,
    begin_linking,
    card_of,
    hidden_cards,
    is_behind,
    link,
    link_stock,
    new_play,
    place_for,
    place_of,
    places_for,
    read_order,
    read_plays,
    source_of,
    target_of,
    uncovers,
    unlink,
    words_for,
    workspace_in,
    write_moves,
)
from solvers.klondike.solution.stock_order import improve

_NEVER = -1


@search_kernel
def shorten(start, moves, count, rounds, scratch):
    """Replace a winning line by a shorter one, if one is found.

    Args:
        start: int64[POSITION], the start of the line; its PLAYED is not used.
        moves: uint8[≥ count], a legal line that wins, in the bytes of `engine.klondike.moves`; out:
            the shortest line found.
        count: number of moves.
        rounds: how often the line is reordered and merged, at most MOST_ROUNDS; from the second
            time on it is loosened before.
        scratch: of `new_scratch`.

    Returns:
        The new number of moves, at most `count`.
    """
    work = workspace_in(scratch)
    length = read_plays(start, moves, count, work) if rounds > 0 else -1
    return shorten_plays(start, length, count, rounds, work, moves) if length >= 0 else count


@search_kernel
def shorten_plays(start, length, most, rounds, work, moves):
    """Write the shortest line found to `moves`, if it has fewer than `most`; see `shorten`.

    The plays of the line are in `work`, its stock numbered. Returns the number of moves, or `most`.
    """
    plays, order = work.plays, work.order
    size, waste, draw = start[UNPLAYED], start[WASTE], start[DRAW]
    hidden = hidden_cards(start)
    read_order(plays, length, work.number_of, order)
    for number in range(rounds):
        link_stock(hidden, length, work)
        if number > 0:
            length = _loosen(start, hidden, length, work)
        turns = improve(order, size, waste, draw, work.required, work.beam, work.shown)
        _arrange(length, size, work)
        length = _merge(hidden, length, work)
        if length + turns < most:
            most = write_moves(start, plays, length, work, moves)
    return most


@search_kernel
def _merge(hidden, length, work):
    """Merge plays of one card where the order of the stock stays; returns the new length.

    The list is that of `work.spare`; the new one grows in `work.plays`.
    """
    plays, spare = work.plays, work.spare
    words = words_for(length)
    begin_linking(words, work)
    at = end = taken = 0  # plays that are linked, that are in the new list, and taken for it
    while at < end or taken < length:
        at += 1
        if at > end:
            end = at
            taken += 1
            plays[at] = spare[taken]
        hidden = link(at, hidden, words, work)
        first = work.before[at]
        if first == START:
            continue
        early, late = _can_merge(first, at, words, work)
        if early | late:
            # Continue from the change.
            hidden = unlink(first, at, work)
            end = _replace(first, at, end, words, not early, work)
            at = first - 1
    return end


@inlined_kernel
def _can_merge(first, second, words, work):
    """Whether two plays of one card can be merged early and late; see `_comes_after`.

    They can if no play between them needs the first and is needed by the second, and the stock is
    taken in the same order afterwards.
    """
    plays, needs, behind = work.plays, work.needs, work.behind
    is_one_between = 0
    for which in range(3):
        between = needs[3 * second + which]
        is_one_between |= (between > first) & is_behind(first, between, words, behind)
    if is_one_between != 0:
        return False, False
    source = source_of(plays[first])
    if source == target_of(plays[second]) and uncovers(first, work):
        # Leaving a face-down card uncovers it, which staying on it does not.
        return False, False
    early, late = True, True
    # Whether a stock card was seen that stays, so that none may go before it, or that goes after.
    stays = goes = source == TALON
    for at in range(first + 1, second):
        if source_of(plays[at]) == TALON:
            goes_before = is_behind(at, second, words, behind) == 1
            goes_after = is_behind(first, at, words, behind) == 1
            early &= not (stays and goes_before)
            late &= not goes or goes_after
            stays |= not goes_before
            goes |= goes_after
    return early, late


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
def _replace(first, second, length, words, late, work):
    """Merge two plays in the list; returns its new length."""
    plays, behind, kept = work.plays, work.behind, work.marks
    play = new_play(card_of(plays[first]), source_of(plays[first]), target_of(plays[second]))
    after = 0  # the plays that come after
    end = first
    for at in range(first + 1, second):
        comes_after = _comes_after(at, first, second, late, words, behind)
        kept[after] = plays[at]
        plays[end] = plays[at]
        after += comes_after
        end += 1 - comes_after
    if source_of(play) != target_of(play):
        plays[end] = play
        end += 1
    for at in range(after):
        plays[end] = kept[at]
        end += 1
    for at in range(second + 1, length + 1):
        plays[end] = plays[at]
        end += 1
    return end - 1


@search_kernel
def _loosen(start, hidden, length, work):
    """Take stock cards after fewer others, onto bare places; returns the new length.

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
        link_stock(hidden, length, work)
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
    for option in range(places_for(card)):
        place = place_for(card, option)
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
    """Sort the plays so that the stock is taken in `work.order` and all else happens at once.

    Writes the new list to `work.spare`.
    """
    plays, needs, marks, order, spare = (
        work.plays,
        work.needs,
        work.marks,
        work.order,
        work.spare,
    )
    turn_of, ends = work.turn_of, work.last
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
