// The table of a patience game, for all layouts. Before this file stands LAYOUT, {columns, wide, groups, won}:
// each group is a list of slots {pile, label, words}, which may have `suit` and `of` of a foundation, `down` and
// `count`. Rulesets of a game differ in their cells: slots without a pile are left out.

const LABEL = 24; // units above a slot
const LINE = CARD_HEIGHT + LABEL + 10;
const SHOWN = 3; // cards of the waste
const FAN = 6; // units between these: the last one covers no other slot

// The slots that there are, {...slot, x, row} in a grid of `wide` places.
function slotsOf(piles) {
  const slots = [];
  let [x, row] = [0, 0];
  for (const group of LAYOUT.groups) {
    const own = group.filter(({ pile }) => piles[pile]);
    // A group that does not fit beside the one before it begins a row.
    if (x > 0 && x + own.length > LAYOUT.wide) [x, row] = [0, row + 1];
    for (const slot of own) {
      if (x >= LAYOUT.wide) [x, row] = [0, row + 1];
      slots.push({ ...slot, x, row });
      x += 1;
    }
  }
  return slots;
}

const rowsOf = (slots) => (slots.at(-1)?.row ?? -1) + 1;

// Where all cards lie when a game is won: in the hole, on the foundations, on the first pile.
function isFull(piles) {
  const { hole, foundation, pile } = LAYOUT.won;
  if (hole) return piles.hole.length === hole;
  if (pile) return piles.pile1.length === pile;
  return foundation > 0 && slotsOf(piles).every((slot) => !slot.suit || piles[slot.pile].length === foundation);
}

const ending = (piles) => (isFull(piles) ? " The game is won." : "");

function slotFixture({ pile, suit }, { x, y }) {
  const slot = put(`slot${pile === "stock" ? " stock" : ""}`, x, y);
  slot.dataset.slot = slot.dataset.place = pile;
  if (suit) {
    slot.setAttribute("role", "img");
    slot.append(svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: PIPS[suit] })]));
  }
  return slot;
}

// The cards of a slot; of the waste the last ones show, side by side.
function slotPlaces(piles, { pile, words, down }, { x, y, fan }) {
  const names = piles[pile];
  const kind = pile.replace(/\d+$/, "");
  return names.map((name, z) => {
    const shift = kind === "waste" ? Math.max(z - Math.max(names.length - SHOWN, 0), 0) : 0;
    return [name, { x: x + shift * fan, y, z, down: Boolean(down), pile: kind, words }];
  });
}

function relabelSlots(felt, piles) {
  for (const slot of slotsOf(piles)) {
    const { length } = piles[slot.pile];
    const label = felt.querySelector(`[data-label="${slot.pile}"]`);
    if (label && slot.count) label.textContent = `${slot.label} (${length})`;
    if (!slot.suit) continue;
    const own = felt.querySelector(`[data-slot="${slot.pile}"]`);
    own.setAttribute("aria-label", `${SUIT_WORDS[slot.suit]} foundation: ${length} of ${slot.of} cards`);
  }
}

const slotAt = ({ x, row }) => ({ x: x * COLUMN_STEP, y: STRIP_Y + row * LINE, fan: FAN });
const tableauY = (slots) => STRIP_Y + rowsOf(slots) * LINE + LABEL;

const GAME = {
  width: (LAYOUT.wide - 1) * COLUMN_STEP + 80,

  fixtures(piles) {
    const slots = slotsOf(piles);
    const parts = slots.flatMap((slot) => {
      const { x, y } = slotAt(slot);
      const label = put("label", x, y - LABEL);
      label.dataset.label = slot.pile;
      label.textContent = slot.label;
      return [label, slotFixture(slot, { x, y })];
    });
    return [...parts, ...columnFixtures(LAYOUT.columns, tableauY(slots))];
  },

  places(piles) {
    const slots = slotsOf(piles);
    return [
      ...slots.flatMap((slot) => slotPlaces(piles, slot, slotAt(slot))),
      ...columnPlaces(piles, LAYOUT.columns, tableauY(slots)),
    ];
  },

  height(piles) {
    const top = tableauY(slotsOf(piles));
    return (LAYOUT.columns ? top + columnsHeight(piles, LAYOUT.columns) : top - LABEL) + 4;
  },

  relabel: relabelSlots,
  ending,
};

// The table for playing: the slots above the columns of a high box, beside those of a wide one.
// box: {width, height} in pixels, and whether the stock is for the left hand; piles: of the game.
function tableIn(box, piles) {
  const { columns, wide: across } = LAYOUT;
  const slots = slotsOf(piles);
  const rows = rowsOf(slots);
  const line = CARD_HEIGHT + GAP;
  const deep = 3; // slots below each other at the side
  const beside = columns ? Math.ceil(slots.length / deep) : across;
  const high = { width: across * STEP - GAP, height: rows * line + (columns ? 4 * STEP_UP + CARD_HEIGHT : 0) };
  const low = { width: (columns + beside) * STEP, height: (columns ? deep : rows) * line };
  // Slots at the side of an upright box would look like columns.
  const isUpright = columns > 0 && box.height > box.width;
  const { wide, unit, room } = fitted(box, { high, wide: isUpright ? high : low });
  const aside = wide && columns > 0;
  const width = (aside ? columns + beside : across) * STEP - GAP;
  const at = aside
    ? { x: box.left ? beside * STEP : 0, y: 0, room }
    : { x: 0, y: rows * line + GAP, room: room - rows * line - GAP };
  // The stock is at the hand; where there is none, cells are on the left, as players know them.
  const isKept = box.left || (piles.cell1 && !piles.stock);
  const mirrored = (x) => (isKept ? x : width - 80 - x);
  const spots = new Map(
    slots.map(({ pile, x, row }, index) => [
      pile,
      aside
        ? { x: mirrored(Math.floor(index / deep) * STEP), y: (index % deep) * line, fan: 0 }
        : { x: mirrored(x * STEP), y: row * line, fan: GAP / 2 },
    ]),
  );

  return {
    width,
    unit,

    fixtures: () => [
      ...slots.map((slot) => slotFixture(slot, spots.get(slot.pile))),
      ...emptyColumns(columns, at),
    ],

    places: (now) => [
      ...slots.flatMap((slot) => slotPlaces(now, slot, spots.get(slot.pile))),
      ...pressedPlaces(now, columns, at),
    ],

    relabel: relabelSlots,
    ending,
  };
}
