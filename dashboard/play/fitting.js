// Fits a table into a box of the page. `tableIn` of a game's script uses these names.

const GAP = 8; // units between two columns
const STEP = 80 + GAP;
const STEP_DOWN = 18; // of cards in a column, where there is room
const STEP_UP = 46; // rank and suit of a covered card show, in large print, too

// The larger of two layouts: `high`, with stock and foundations above the columns, and `wide`, with them
// at the sides. box: {width, height} in pixels; needs: the units that each layout needs, {high, wide}.
// -> {wide, unit, room}: whether it is the wide one, pixels of a unit, units of the height.
function fitted(box, needs) {
  const unitOf = ({ width, height }) => Math.min(box.width / width, box.height / height);
  const wide = unitOf(needs.wide) > unitOf(needs.high);
  const unit = Math.max(unitOf(wide ? needs.wide : needs.high), 0.1);
  return { wide, unit, room: box.height / unit };
}

// Where the cards of columns lie, pressed together where a column would not fit into its room.
function pressedPlaces(piles, columns, { x: left, y: top, room }) {
  const places = [];
  for (let column = 0; column < columns; column += 1) {
    const x = left + column * STEP;
    const pile = `column ${column + 1}`;
    const down = piles[`down${column + 1}`];
    const up = piles[`up${column + 1}`];
    const natural = down.length * STEP_DOWN + Math.max(up.length - 1, 0) * STEP_UP;
    const press = Math.min(1, Math.max(room - CARD_HEIGHT, 0) / Math.max(natural, 1));
    down.forEach((name, i) => {
      const y = top + i * STEP_DOWN * press;
      places.push([name, { x, y, z: i, down: true, pile, words: `face down in ${pile}` }]);
    });
    up.forEach((name, i) => {
      const y = top + (down.length * STEP_DOWN + i * STEP_UP) * press;
      places.push([name, { x, y, z: 10 + i, down: false, pile, words: `face up in ${pile}` }]);
    });
  }
  return places;
}

function emptyColumns(columns, { x, y }) {
  return Array.from({ length: columns }, (_, column) => put("slot", x + column * STEP, y));
}

// A pile of which just the last card shows, such as the stock of Klondike.
function pilePlaces(names, { x, y, down, pile, words }) {
  return names.map((name, z) => [name, { x, y, z, down, pile, words }]);
}
