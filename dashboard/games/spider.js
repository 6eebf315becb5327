// The table of Spider: the rows of the stock lie above the columns that they will be dealt to, the
// next row lowest; completed runs at the right.

const COLUMNS = 10;
const ROWS = 5;
const RUNS = 8;
const RUN_X = 940;
const RUN_STEP = 40;
const NEXT_ROW_Y = STRIP_Y + (ROWS - 1) * ROW_STEP_DOWN;
const TABLEAU_Y = NEXT_ROW_Y + CARD_HEIGHT + 46;

const GAME = {
  width: 1020,

  fixtures() {
    const slots = { stock: put("slot", 0, NEXT_ROW_Y), completed: put("slot", RUN_X, STRIP_Y) };
    for (const [place, slot] of Object.entries(slots)) slot.dataset.place = place;
    return [
      put("label stock", 0, 0),
      put("label completed", RUN_X, 0),
      ...Object.values(slots),
      ...columnFixtures(COLUMNS, TABLEAU_Y),
    ];
  },

  places(piles) {
    const places = [];
    const left = rowsLeft(piles);
    for (let row = 1; row <= left; row += 1) {
      const z = ROWS - 1 - left + row;
      const y = STRIP_Y + z * ROW_STEP_DOWN;
      piles[`row${row}`].forEach((name, column) => {
        const words = `in row ${left - row + 1} to be dealt, to column ${column + 1}`;
        places.push([name, { x: column * COLUMN_STEP, y, z, down: true, pile: "stock", words }]);
      });
    }
    places.push(...columnPlaces(piles, COLUMNS, TABLEAU_Y));
    for (let run = 0; run < RUNS; run += 1) {
      const y = STRIP_Y + run * RUN_STEP;
      const words = "in a completed run";
      piles[`run${run + 1}`].forEach((name, i) => {
        const z = 14 * run + i;
        places.push([name, { x: RUN_X, y, z, down: false, pile: "completed", words }]);
      });
    }
    return places;
  },

  height(piles) {
    const runs = STRIP_Y + (RUNS - 1) * RUN_STEP + CARD_HEIGHT;
    return Math.max(TABLEAU_Y + columnsHeight(piles, COLUMNS), runs) + 4;
  },

  relabel(felt, piles) {
    const rows = rowsLeft(piles);
    const words = rows === 1 ? "1 row" : `${rows} rows`;
    felt.querySelector(".label.stock").textContent = rows
      ? `Stock (${words}), next row lowest`
      : "Stock (empty)";
    felt.querySelector(".label.completed").textContent = `Completed (${completed(piles)})`;
  },

  ending: (piles) => (completed(piles) === RUNS ? " All eight runs are completed." : ""),
};

function rowsLeft(piles) {
  let left = 0;
  while (left < ROWS && piles[`row${left + 1}`].length > 0) left += 1;
  return left;
}

function completed(piles) {
  let runs = 0;
  while (runs < RUNS && piles[`run${runs + 1}`].length > 0) runs += 1;
  return runs;
}

// The table for playing: stock and completed runs above the columns of a high box, beside those of a wide
// one. box: {width, height} in pixels, and whether the stock is for the left hand.
function tableIn(box) {
  const columns = COLUMNS * STEP - GAP;
  const { wide, unit, room } = fitted(box, {
    high: { width: columns, height: 640 },
    wide: { width: columns + 2 * (STEP + GAP), height: 480 },
  });
  const width = wide ? columns + 2 * (STEP + GAP) : columns;
  const at = wide
    ? { x: STEP + GAP, y: 0, room }
    : { x: 0, y: CARD_HEIGHT + 2 * GAP, room: room - CARD_HEIGHT - 2 * GAP };
  const mirrored = (x) => (box.left ? width - 80 - x : x);
  // The row that is dealt next lies on the others.
  const row = (number) =>
    wide ? { x: mirrored(width - 80), y: number * 24 } : { x: mirrored(width - 80 - number * 24), y: 0 };
  const run = (number) => (wide ? { x: mirrored(0), y: number * 32 } : { x: mirrored(number * 24), y: 0 });

  return {
    width,
    unit,

    fixtures: () => [
      put("slot stock", row(0).x, row(0).y),
      put("slot completed", run(0).x, run(0).y),
      ...emptyColumns(COLUMNS, at),
    ],

    places(piles) {
      const places = [];
      const left = rowsLeft(piles);
      for (let number = 1; number <= left; number += 1) {
        const own = { ...row(left - number), down: true, pile: "stock", words: "in the stock" };
        for (const [name, place] of pilePlaces(piles[`row${number}`], own))
          places.push([name, { ...place, z: place.z + 10 * (left - number) }]);
      }
      places.push(...pressedPlaces(piles, COLUMNS, at));
      for (let number = 0; number < RUNS; number += 1) {
        const own = { ...run(number), down: false, pile: "completed", words: "in a completed run" };
        for (const [name, place] of pilePlaces(piles[`run${number + 1}`], own))
          places.push([name, { ...place, z: place.z + 14 * number }]);
      }
      return places;
    },

    relabel(felt, piles) {
      const words = `Completed runs: ${completed(piles)} of ${RUNS}`;
      const slot = felt.querySelector(".slot.completed");
      slot.setAttribute("role", "img");
      slot.setAttribute("aria-label", words);
    },

    ending: GAME.ending,
  };
}
