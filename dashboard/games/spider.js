// The table of Spider: the rows of the stock lie above the columns that they will be dealt to, the
// next row lowest; completed runs at the right.

const COLUMNS = 10;
const ROWS = 5;
const RUNS = 8;
const RUN_X = 940;
const RUN_STEP = 40;
const TABLEAU_Y = STRIP_Y + (ROWS - 1) * ROW_STEP_DOWN + CARD_HEIGHT + 46;

const GAME = {
  width: 1020,

  fixtures: () => [
    put("label stock", 0, 0),
    put("label completed", RUN_X, 0),
    put("slot", RUN_X, STRIP_Y),
    ...columnFixtures(COLUMNS, TABLEAU_Y),
  ],

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
