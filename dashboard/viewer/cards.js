// Draws cards, slots and whole tables. This file knows no rules of any game.
//
// The script of a game stands in the same module as these: it uses the names that are defined here
// and must define none of them again. It defines GAME:
//   width: of the table, in units; a card is 80 wide,
//   fixtures: piles -> slots and labels that stay where they are,
//   places: piles -> where each card lies, [name, {x, y, z, down, pile, words}],
//   height: piles -> height in units,
//   relabel: felt, piles -> nothing; updates the labels,
//   ending: piles -> the sentence added at the last position if the game is won, else "".

const SUITS = "CDSH";
const SUIT_WORDS = { C: "clubs", D: "diamonds", S: "spades", H: "hearts" };
const RANK_WORDS = {
  A: "ace", J: "jack", Q: "queen", K: "king", T: "ten", 2: "two", 3: "three", 4: "four",
  5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
};
const PIPS = {
  C: "M12 2a5 5 0 0 1 3.6 8.4a5 5 0 1 1-2.6 6.9q.2 3 2.4 4.7H8.600q2.2-1.7 2.4-4.700a5 5 0 1 1-2.6-6.900A5 5 0 0 1 12 2z",
  D: "M12 1.500L20.5 12L12 22.500L3.5 12z",
  S: "M12 1.500C14.5 6 21.5 9.5 21.5 14.500a4.6 4.6 0 0 1-8.4 2.600q.2 3.2 2.3 4.900H8.600q2.1-1.7 2.3-4.900A4.6 4.6 0 0 1 2.5 14.500C2.5 9.5 9.5 6 12 1.500z",
  H: "M12 22C9 18 2 13.5 2 8a5.2 5.2 0 0 1 10-2.100A5.2 5.2 0 0 1 22 8c0 5.5-7 10-10 14z",
};
// Lengths in units.
const CARD_HEIGHT = 112;
const COLUMN_STEP = 94;
const ROW_STEP_DOWN = 29;
const ROW_STEP_UP = 31;
const STRIP_Y = 24;

// The table of a game in an element of the page: `lay` draws its cards, `show` moves them.
function makeFelt(stage) {
  const element = document.createElement("div");
  element.className = "felt";
  stage.append(element);
  const cards = new Map();

  // Every card lies somewhere from the first frame on. Marks are as `table.js` says of its data.
  function lay(piles, marks = {}) {
    element.replaceChildren(...GAME.fixtures(piles));
    element.style.setProperty("--width", GAME.width);
    cards.clear();
    for (const [name] of GAME.places(piles)) {
      const card = drawCard(name, marks[name]);
      cards.set(name, card);
      element.append(card);
    }
  }

  function show(piles, moved = new Set()) {
    for (const [name, place] of GAME.places(piles)) {
      const card = cards.get(name);
      card.style.setProperty("--x", place.x);
      card.style.setProperty("--y", place.y);
      card.style.zIndex = place.z + (moved.has(name) ? 200 : 0);
      card.dataset.pile = place.pile;
      card.classList.toggle("down", place.down);
      card.classList.toggle("moved", moved.has(name));
      const covered = name[0] === "?" || (place.down && element.classList.contains("hiding"));
      const words = covered ? "a card" : `${RANK_WORDS[name[0]]} of ${SUIT_WORDS[name[1]]}`;
      card.setAttribute("aria-label", `${words}, ${place.words}`);
    }
    GAME.relabel(element, piles);
  }

  return { element, cards, lay, show };
}

// The piles after a step: of each changed pile the lowest `keep` cards stay, `cards` lie on them.
function pilesAfter(piles, { changes }) {
  const next = { ...piles };
  for (const [pile, keep, cards] of changes) next[pile] = [...next[pile].slice(0, keep), ...cards];
  return next;
}

function put(kind, x, y) {
  const element = document.createElement("div");
  element.className = kind;
  element.style.setProperty("--x", x);
  element.style.setProperty("--y", y);
  return element;
}

function svg(tag, attributes, children = []) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function drawCard(name, mark) {
  const [rank, suit] = name; // what follows tells cards of one kind apart; `??1` is not known
  const card = put(`card${"DH".includes(suit) ? " red" : ""}`, 0, 0);
  card.dataset.card = rank + suit;
  card.setAttribute("role", "img");
  // "10" is squeezed so that it reads where the next card of the strip covers all but its edge.
  const text =
    rank === "T"
      ? svg("text", { class: "ink", x: 2, y: 27, textLength: 22, lengthAdjust: "spacingAndGlyphs" }, ["10"])
      : svg("text", { class: "ink", x: 6, y: 27 }, [rank]);
  if (rank === "?") card.classList.add("unknown");
  const pip = (place, x, y, size) =>
    svg("path", { class: `ink ${place}`, d: PIPS[suit] ?? "", transform: `translate(${x} ${y}) scale(${size / 24})` });
  const parts = [
    svg("rect", { class: "face", x: 0.6, y: 0.6, width: 78.8, height: 110.8, rx: 7 }),
    svg("path", { class: "hatch", d: "M28 108L76 60M8 108L76 40M4 92L66 30M4 72L46 30M52 108L76 84" }),
    svg("rect", { class: "back", x: 7, y: 7, width: 66, height: 98, rx: 4 }),
    text,
    pip("under", 5, 33, 18),
    pip("corner", 54, 7, 20),
    pip("middle", 27, 52, 40),
  ];
  if (mark === "") card.classList.add("wanted");
  if (mark) {
    card.classList.add("marked");
    card.dataset.mark = mark;
    parts.push(
      svg("g", { class: "mark" }, [
        svg("circle", { class: "badge", cx: 44, cy: 16, r: 12 }),
        svg("text", { class: "badge-text", x: 44, y: 22 }, [mark]),
      ]),
    );
  }
  card.append(svg("svg", { viewBox: "0 0 80 112", "aria-hidden": "true" }, parts));
  return card;
}

// The height of the highest of these columns.
function columnsHeight(piles, columns) {
  let most = CARD_HEIGHT;
  for (let column = 1; column <= columns; column += 1) {
    const down = piles[`down${column}`].length;
    const up = piles[`up${column}`].length;
    if (down + up === 0) continue;
    const own = down * ROW_STEP_DOWN + Math.max(up - 1, 0) * ROW_STEP_UP + CARD_HEIGHT;
    most = Math.max(most, own);
  }
  return most;
}

// Slots and numbers of columns.
function columnFixtures(columns, top) {
  const parts = [];
  for (let column = 0; column < columns; column += 1) {
    const x = column * COLUMN_STEP;
    const name = put("label middle", x, top - 24);
    name.textContent = column + 1;
    const slot = put("slot", x, top);
    slot.dataset.place = `column${column + 1}`;
    parts.push(name, slot);
  }
  return parts;
}

// The cards of columns, piles down1 and up1 to down and up of their number, from a height on.
function columnPlaces(piles, columns, top) {
  const places = [];
  for (let column = 0; column < columns; column += 1) {
    const x = column * COLUMN_STEP;
    const pile = `column ${column + 1}`;
    const down = piles[`down${column + 1}`];
    down.forEach((name, i) => {
      const y = top + i * ROW_STEP_DOWN;
      places.push([name, { x, y, z: i, down: true, pile, words: `face down in ${pile}` }]);
    });
    piles[`up${column + 1}`].forEach((name, i) => {
      const y = top + down.length * ROW_STEP_DOWN + i * ROW_STEP_UP;
      const z = 10 + i;
      places.push([name, { x, y, z, down: false, pile, words: `face up in ${pile}` }]);
    });
  }
  return places;
}
