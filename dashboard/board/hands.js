// Playing on the table itself: a card is dragged, or chosen and then told where to go, by mouse, pen or
// finger. Which moves there are comes from the server; where a move may be dropped is where the
// game's own layout puts its first card.

const DRAG_PIXELS = 6;
const DROP_MARGIN = 14; // units around a target that still count as it

// table: as `makeFelt` makes it; view: () -> {piles, moves, known}, known once the server has told the
// moves; onPlay: move -> nothing; onChoose: name of a card, number of its targets -> nothing; quick: ->
// whether a tap plays a card that has one place to go.
function makeHands(table, view, onPlay, onChoose, quick = () => false) {
  const felt = table.element;
  let held = null; // a pointer that is down: {id, name, x, y, dragged, carried}
  let chosen = null; // the name of a card
  let early = null; // a tap that came before the moves were known: the arguments of `tap`

  const pileOf = (name) => table.cards.get(name)?.dataset.pile;
  const targeted = (move) => move.target !== null && pileOf(move.moved[0]) !== "stock";
  const holding = (card) => Object.entries(view().piles).find(([, names]) => names.includes(card))[0];
  const movesOf = (name) =>
    view().moves.filter((move) => move.moved[0] === name && targeted(move));
  // The places to which a card can go. Free cells are one: it does not matter which is taken.
  const goalsOf = (name) =>
    new Set(movesOf(name).filter((move) => !move.same_as).map(({ target }) => target));
  // Turning, dealing or redealing: the stock itself is clicked.
  const stockMove = () =>
    view().moves.find((move) => move.moved.length === 0 || pileOf(move.moved[0]) === "stock");

  // The pile that a card is put on. Its last cards may move on with those put there, as a run does that
  // is completed: then this pile is where they were, and not the target.
  function goalOf({ moved, target }) {
    const met = holding(moved.at(-1));
    return met === holding(moved[0]) ? target : met;
  }

  // Where the first card of a move comes to lie, before anything that follows from it.
  function landing(move) {
    const { piles } = view();
    const goal = goalOf(move);
    const carried = move.moved.filter((name) => !piles[goal].includes(name));
    const laid = Object.fromEntries(
      Object.entries(piles).map(([pile, names]) => [
        pile,
        names.filter((name) => !carried.includes(name)),
      ]),
    );
    laid[goal] = [...laid[goal], ...carried];
    const places = GAME.places(laid);
    const own = places.find(([name]) => name === carried[0])[1];
    const below = places.filter(([, at]) => at.pile === own.pile && at.x === own.x).map(([, at]) => at.y);
    return { x: own.x, y: own.y, top: Math.min(own.y, ...below) };
  }

  function units(event) {
    const box = felt.getBoundingClientRect();
    const unit = box.width / GAME.width;
    return { x: (event.clientX - box.left) / unit, y: (event.clientY - box.top) / unit, unit };
  }

  // The move of a card whose target is at a point of the table.
  function moveAt(name, { x, y }) {
    return movesOf(name).find((move) => {
      const at = landing(move);
      return (
        x > at.x - DROP_MARGIN &&
        x < at.x + 80 + DROP_MARGIN &&
        y > at.top - DROP_MARGIN &&
        y < at.y + CARD_HEIGHT + 2 * DROP_MARGIN
      );
    });
  }

  function light(name) {
    for (const target of felt.querySelectorAll(".drop")) target.remove();
    for (const card of felt.querySelectorAll(".chosen")) card.classList.remove("chosen");
    if (name === null) return;
    table.cards.get(name).classList.add("chosen");
    for (const move of movesOf(name)) {
      const { x, y } = landing(move);
      const target = put("drop", x, y);
      target.dataset.move = move.name;
      felt.append(target);
    }
  }

  function choose(name) {
    chosen = name;
    light(name);
    if (name !== null) onChoose(name, goalsOf(name).size);
  }

  // Mark what can be picked up. On another position whatever was chosen or held is let go; a late
  // answer about the same one takes nothing out of the hand.
  function refresh(another) {
    if (another) {
      letGo();
      choose(null);
      early = null;
    }
    for (const [name, card] of table.cards) {
      card.classList.toggle("free", movesOf(name).length > 0);
      card.classList.toggle("turns", card.dataset.pile === "stock" && Boolean(stockMove()));
    }
    if (early && view().known) {
      const waited = early;
      early = null;
      tap(...waited);
    }
  }

  function letGo() {
    if (!held) return;
    for (const name of held.carried) {
      const card = table.cards.get(name);
      card.style.removeProperty("translate");
      card.classList.remove("held");
    }
    held = null;
  }

  function play(move) {
    letGo();
    choose(null);
    onPlay(move);
  }

  function onDown(event) {
    if (event.button !== 0 || held) return;
    const card = event.target.closest(".card");
    const name = [...table.cards].find(([, other]) => other === card)?.[0] ?? null;
    held = { id: event.pointerId, name, slot: event.target.closest(".slot"), carried: [] };
    Object.assign(held, { x: event.clientX, y: event.clientY, dragged: false });
  }

  function onMove(event) {
    if (!held || event.pointerId !== held.id) return;
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.dragged) {
      if (Math.hypot(dx, dy) < DRAG_PIXELS || held.name === null) return;
      const moves = movesOf(held.name);
      if (moves.length === 0) return;
      felt.setPointerCapture(event.pointerId);
      held.dragged = true;
      held.carried = moves[0].moved.filter((name) => pileOf(name) === pileOf(held.name));
      choose(held.name);
      for (const name of held.carried) table.cards.get(name).classList.add("held");
    }
    for (const name of held.carried) table.cards.get(name).style.translate = `${dx}px ${dy}px`;
  }

  function onUp(event) {
    if (!held || event.pointerId !== held.id) return;
    const { name, slot, dragged } = held;
    const at = units(event);
    if (dragged) {
      // The middle of the card decides as well as the finger: whichever is over a target.
      const box = table.cards.get(name).getBoundingClientRect();
      const middle = units({ clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 });
      const move = moveAt(name, at) ?? moveAt(name, middle);
      letGo();
      if (move) play(move);
      else choose(null);
      return;
    }
    held = null;
    tap(name, slot, at);
  }

  function tap(name, slot, at) {
    if (!view().known) {
      early = [name, slot, at];
      return;
    }
    const move = chosen !== null && chosen !== name ? moveAt(chosen, at) : undefined;
    if (move) play(move);
    // The second of two taps: the moves come best first.
    else if (name !== null && chosen === name) play(movesOf(name)[0]);
    else if (name !== null && quick() && goalsOf(name).size === 1 && pileOf(name) !== "foundation")
      play(movesOf(name)[0]);
    else if (name !== null && movesOf(name).length > 0) choose(name);
    else if ((name !== null ? pileOf(name) === "stock" : slot?.matches(".stock")) && stockMove())
      play(stockMove());
    else {
      choose(null);
      if (name !== null) onChoose(name, 0);
    }
  }

  function onCancel() {
    letGo();
    choose(null);
    early = null;
  }

  felt.addEventListener("pointerdown", onDown);
  felt.addEventListener("pointermove", onMove);
  felt.addEventListener("pointerup", onUp);
  felt.addEventListener("pointercancel", onCancel);
  // Chromium would drag the picture of a card away instead.
  felt.addEventListener("dragstart", (event) => event.preventDefault());

  return { refresh, cancel: onCancel, stockMove };
}
