// Draws frames of a table and steps through them. Every position was computed in Python; here is no
// rule of a game.
//
// data: {
//   id: string that changes with the contents,
//   game: "klondike" or "spider",
//   frames: [{down, up, foundations, stock, waste}], or for Spider [{down, up, stock, gone}], the
//     first is shown first; a card of Spider is named as in "QS3", the third that counts as QS,
//   steps: [{name, sentence, moved, note}], one fewer than frames; few or none have a note,
//   marks: {card: number} of the cards that prove a dead end, {card: ""} of those they wait for,
//   start: sentence for the first frame,
// }

const SUITS = "CDSH";
const SUIT_WORDS = { C: "clubs", D: "diamonds", S: "spades", H: "hearts" };
const RANK_WORDS = {
  A: "ace", J: "jack", Q: "queen", K: "king", T: "ten", 2: "two", 3: "three", 4: "four",
  5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
};
const RANKS = "A23456789TJQK";
const PIPS = {
  C: "M12 2a5 5 0 0 1 3.6 8.4a5 5 0 1 1-2.6 6.9q.2 3 2.4 4.7H8.600q2.2-1.7 2.4-4.700a5 5 0 1 1-2.6-6.900A5 5 0 0 1 12 2z",
  D: "M12 1.500L20.5 12L12 22.500L3.5 12z",
  S: "M12 1.500C14.5 6 21.5 9.5 21.5 14.500a4.6 4.6 0 0 1-8.4 2.600q.2 3.2 2.3 4.900H8.600q2.1-1.7 2.3-4.900A4.6 4.6 0 0 1 2.5 14.500C2.5 9.5 9.5 6 12 1.500z",
  H: "M12 22C9 18 2 13.5 2 8a5.2 5.2 0 0 1 10-2.100A5.2 5.2 0 0 1 22 8c0 5.5-7 10-10 14z",
};
const PLAY = "M7 4v16l13-8z";
const PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z";

// Lengths in units: 752 are the width of Klondike's table, 1020 that of Spider's.
const CARD_HEIGHT = 112;
const COLUMN_STEP = 94;
const FOUNDATION_X = 672;
const FOUNDATION_STEP = 117;
const ROW_STEP_DOWN = 29;
const ROW_STEP_UP = 31;
const STRIP_STEP = 24;
const STRIP_GAP = 24;
const STRIP_Y = 24;
const TABLEAU_Y = 184;
const GONE_X = 940;
const GONE_STEP = 40;
const SPIDER_TABLEAU_Y = STRIP_Y + 4 * ROW_STEP_DOWN + CARD_HEIGHT + 46;

// How the table of a game is drawn:
//   width: in units,
//   fixtures: slots and labels that stay where they are,
//   placesOf: frame -> where each card lies, [name, {x, y, z, down, pile, words}],
//   heightOf: frame -> height in units,
//   relabel: felt, frame -> what the labels of a frame say,
//   ending: what is said of the last frame if it is won, else "".
const TABLES = {
  klondike: {
    width: 752,
    fixtures: klondikeFixtures,
    placesOf: klondikePlaces,
    heightOf: klondikeHeight,
    relabel: klondikeLabels,
    ending: (frame) =>
      SUITS.split("").every((suit) => frame.foundations[suit] === 13)
        ? " All four foundations are full."
        : "",
  },
  spider: {
    width: 1020,
    fixtures: spiderFixtures,
    placesOf: spiderPlaces,
    heightOf: spiderHeight,
    relabel: spiderLabels,
    ending: (frame) => (frame.gone.length === 8 ? " All eight runs are gone." : ""),
  },
};

const viewers = new WeakMap();

export default function ({ parentElement, data }) {
  let viewer = viewers.get(parentElement);
  if (!viewer) {
    viewer = makeViewer(parentElement);
    viewers.set(parentElement, viewer);
  }
  viewer.attach();
  viewer.load(data);
  return () => viewer.detach();
}

function makeViewer(parent) {
  const one = (selector) => parent.querySelector(selector);
  const stage = one(".stage");
  const slider = one(".slider");
  const felt = document.createElement("div");
  felt.className = "felt";
  stage.append(felt);

  let data = { id: null, game: "klondike", frames: [], steps: [], marks: {}, start: "" };
  let table = TABLES.klondike;
  let at = 0;
  let timer = null;
  const cards = new Map();

  function load(fresh) {
    if (fresh.id === data.id) return;
    stop();
    data = fresh;
    table = TABLES[data.game];
    at = 0;
    felt.replaceChildren(...table.fixtures());
    cards.clear();
    // Every card lies somewhere from the first frame on.
    for (const [name] of table.placesOf(data.frames[0])) {
      const card = drawCard(name, data.marks[name]);
      cards.set(name, card);
      felt.append(card);
    }
    felt.style.setProperty("--width", table.width);
    // Not Math.max(...list): a game may have more frames than a call takes arguments.
    const heights = data.frames.map(table.heightOf);
    felt.style.setProperty("--height", heights.reduce((most, each) => Math.max(most, each), 0));
    const replay = data.steps.length > 0;
    for (const part of parent.querySelectorAll(".replay")) part.hidden = !replay;
    stage.setAttribute(
      "aria-label",
      replay ? "Replay of the game; arrow keys, Home, End and space" : "The cards of the deal",
    );
    // A note at the end needs no way there: the button for the last position leads to it.
    one(".jump").hidden = !(noted() > 0 && noted() < data.steps.length);
    one(".sentence").classList.toggle("with-note", noted() > 0);
    slider.max = data.steps.length;
    one(".list").replaceChildren(...data.steps.map(listItem));
    show(0);
  }

  // The number of the first move with a note, 0 if none has one.
  function noted() {
    return data.steps.findIndex((step) => step.note) + 1;
  }

  function listItem(step, index) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = step.name;
    const words = step.note ? `${step.sentence} ${step.note}` : step.sentence;
    button.title = words;
    button.classList.toggle("noted", Boolean(step.note));
    button.setAttribute("aria-label", `Move ${index + 1}: ${words}`);
    button.addEventListener("click", () => go(index + 1));
    item.append(button);
    return item;
  }

  function show(index) {
    at = index;
    const frame = data.frames[at];
    const step = at > 0 ? data.steps[at - 1] : null;
    const moved = new Set(step ? step.moved : []);
    for (const [name, place] of table.placesOf(frame)) {
      const card = cards.get(name);
      card.style.setProperty("--x", place.x);
      card.style.setProperty("--y", place.y);
      card.style.zIndex = place.z + (moved.has(name) ? 200 : 0);
      card.dataset.pile = place.pile;
      card.classList.toggle("down", place.down);
      card.classList.toggle("moved", moved.has(name));
      card.setAttribute(
        "aria-label",
        `${RANK_WORDS[name[0]]} of ${SUIT_WORDS[name[1]]}, ${place.words}`,
      );
    }
    table.relabel(felt, frame);

    slider.value = at;
    one(".count").textContent = `${at} / ${data.steps.length}`;
    const sentence = one(".sentence");
    sentence.replaceChildren();
    if (step) {
      const number = document.createElement("span");
      number.className = "number";
      number.textContent = `Move ${at} (${step.name}): `;
      sentence.append(number, step.sentence);
      if (at === data.steps.length) sentence.append(table.ending(frame));
      if (step.note) {
        const note = document.createElement("span");
        note.className = "note";
        note.dataset.testid = "note";
        note.textContent = step.note;
        sentence.append(" ", note);
      }
    } else {
      sentence.append(data.start);
    }
    for (const [index, button] of one(".list").querySelectorAll("button").entries()) {
      if (index + 1 === at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    one('[data-do="first"]').disabled = one('[data-do="back"]').disabled = at === 0;
    one('[data-do="last"]').disabled = one('[data-do="forward"]').disabled =
      at === data.steps.length;
  }

  function go(index) {
    stop();
    show(Math.min(Math.max(index, 0), data.steps.length));
  }

  function stop() {
    if (timer !== null) clearInterval(timer);
    timer = null;
    felt.style.removeProperty("--pace");
    label("Play", PLAY);
    // Read out single steps, not a whole film.
    one(".sentence").setAttribute("aria-live", "polite");
  }

  function play() {
    if (data.steps.length === 0) return;
    if (at === data.steps.length) show(0);
    const pause = 1000 / Number(one(".speed").value);
    felt.style.setProperty("--pace", `${Math.min(220, pause * 0.7)}ms`);
    one(".sentence").setAttribute("aria-live", "off");
    label("Pause", PAUSE);
    timer = setInterval(() => {
      show(at + 1);
      if (at === data.steps.length) stop();
    }, pause);
  }

  function label(text, path) {
    const button = one(".play");
    button.setAttribute("aria-label", text);
    button.querySelector("path").setAttribute("d", path);
  }

  const actions = {
    first: () => go(0),
    back: () => go(at - 1),
    play: () => (timer === null ? play() : stop()),
    forward: () => go(at + 1),
    last: () => go(data.steps.length),
    noted: () => go(noted()),
  };
  const keys = {
    ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play",
  };

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
    if (data.steps.length === 0) return;
    const target = event.composedPath()[0];
    const inside = parent.contains(target);
    // With nothing in focus, the two arrows step; the other keys stay the page's own.
    if (!inside && !(target === document.body && event.key.startsWith("Arrow"))) return;
    if (inside && target.matches("select, input[type=checkbox], summary")) return;
    if (inside && target.matches("input") && event.key !== " ") return;
    if (inside && target.matches("button") && event.key === " ") return;
    event.preventDefault();
    actions[keys[event.key]]();
  }

  const onClick = (event) => {
    const button = event.target.closest("[data-do]");
    if (button) actions[button.dataset.do]();
  };
  const onSlide = () => go(Number(slider.value));
  const onSpeed = () => {
    if (timer !== null) {
      stop();
      play();
    }
  };
  const onHide = () => felt.classList.toggle("hiding", one(".hide").checked);
  const listeners = [
    [document, "keydown", onKey],
    [one(".buttons"), "click", onClick],
    [one(".jump"), "click", onClick],
    [slider, "input", onSlide],
    [one(".speed"), "change", onSpeed],
    [one(".hide"), "change", onHide],
  ];
  let attached = false;

  function attach() {
    if (attached) return;
    attached = true;
    for (const [element, kind, act] of listeners) element.addEventListener(kind, act);
  }

  function detach() {
    if (!attached) return;
    attached = false;
    stop();
    for (const [element, kind, act] of listeners) element.removeEventListener(kind, act);
  }

  return { load, attach, detach };
}

function klondikeFixtures() {
  const parts = [
    put("label waste-label", 0, 0),
    put("slot waste", 0, STRIP_Y),
    put("label stock", 0, 0),
    put("slot stock", 0, STRIP_Y),
  ];
  for (let column = 0; column < 7; column += 1) {
    const name = put("label middle", column * COLUMN_STEP, TABLEAU_Y - 24);
    name.textContent = column + 1;
    parts.push(name, put("slot", column * COLUMN_STEP, TABLEAU_Y));
  }
  SUITS.split("").forEach((suit, index) => {
    const slot = put("slot", FOUNDATION_X, TABLEAU_Y + index * FOUNDATION_STEP);
    slot.dataset.foundation = suit;
    slot.setAttribute("role", "img");
    slot.append(svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: PIPS[suit] })]));
    parts.push(slot);
  });
  return parts;
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
  const [rank, suit] = name; // what follows tells cards of one kind apart
  const card = put(`card${"DH".includes(suit) ? " red" : ""}`, 0, 0);
  card.dataset.card = rank + suit;
  card.setAttribute("role", "img");
  // "10" is squeezed so that it reads where the next card of the strip covers all but its edge.
  const text =
    rank === "T"
      ? svg("text", { class: "ink", x: 2, y: 27, textLength: 22, lengthAdjust: "spacingAndGlyphs" }, ["10"])
      : svg("text", { class: "ink", x: 6, y: 27 }, [rank]);
  const pip = (x, y, size) =>
    svg("path", { class: "ink", d: PIPS[suit], transform: `translate(${x} ${y}) scale(${size / 24})` });
  const parts = [
    svg("rect", { class: "face", x: 0.6, y: 0.6, width: 78.8, height: 110.8, rx: 7 }),
    svg("path", { class: "hatch", d: "M28 108L76 60M8 108L76 40M4 92L66 30M4 72L46 30M52 108L76 84" }),
    svg("rect", { class: "back", x: 7, y: 7, width: 66, height: 98, rx: 4 }),
    text,
    pip(5, 33, 18),
    pip(54, 7, 20),
    pip(27, 52, 40),
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

function stockStart(frame) {
  return Math.max(frame.waste.length - 1, 0) * STRIP_STEP + 80 + STRIP_GAP;
}

function columnHeight(down, up) {
  if (down + up === 0) return CARD_HEIGHT;
  return down * ROW_STEP_DOWN + Math.max(up - 1, 0) * ROW_STEP_UP + CARD_HEIGHT;
}

function klondikeHeight(frame) {
  const columns = frame.down.map((down, k) => columnHeight(down.length, frame.up[k].length));
  return TABLEAU_Y + Math.max(3 * FOUNDATION_STEP + CARD_HEIGHT, ...columns) + 4;
}

function klondikeLabels(felt, frame) {
  for (const suit of SUITS) {
    const slot = felt.querySelector(`[data-foundation="${suit}"]`);
    const height = frame.foundations[suit];
    slot.dataset.height = height;
    slot.setAttribute("aria-label", `${SUIT_WORDS[suit]} foundation: ${height} of 13 cards`);
  }
  const waste = frame.waste.length;
  felt.querySelector(".waste-label").textContent = waste ? `Waste (${waste})` : "Waste";
  const stockX = stockStart(frame);
  for (const part of felt.querySelectorAll(".stock")) part.style.setProperty("--x", stockX);
  felt.querySelector(".label.stock").textContent = frame.stock.length
    ? `Stock (${frame.stock.length}), next card first`
    : "Stock (empty)";
}

function klondikePlaces(frame) {
  const places = [];
  frame.waste.forEach((name, i) => {
    const words = i === frame.waste.length - 1 ? "on top of the waste" : "in the waste";
    places.push([name, { x: i * STRIP_STEP, y: STRIP_Y, z: i, down: false, pile: "waste", words }]);
  });
  const start = stockStart(frame);
  frame.stock.forEach((name, i) => {
    const words = `number ${i + 1} of the stock`;
    places.push([
      name,
      { x: start + i * STRIP_STEP, y: STRIP_Y, z: 30 + i, down: true, pile: "stock", words },
    ]);
  });
  places.push(...columnPlaces(frame, TABLEAU_Y));
  SUITS.split("").forEach((suit, index) => {
    for (let rank = 0; rank < frame.foundations[suit]; rank += 1) {
      const y = TABLEAU_Y + index * FOUNDATION_STEP;
      places.push([
        RANKS[rank] + suit,
        { x: FOUNDATION_X, y, z: rank, down: false, pile: "foundation", words: "on its foundation" },
      ]);
    }
  });
  return places;
}

// The cards of the columns, which begin at a height y.
function columnPlaces(frame, top) {
  const places = [];
  frame.down.forEach((down, column) => {
    const x = column * COLUMN_STEP;
    const pile = `column ${column + 1}`;
    down.forEach((name, i) => {
      const y = top + i * ROW_STEP_DOWN;
      places.push([name, { x, y, z: i, down: true, pile, words: `face down in ${pile}` }]);
    });
    frame.up[column].forEach((name, i) => {
      const y = top + down.length * ROW_STEP_DOWN + i * ROW_STEP_UP;
      const z = 10 + i;
      places.push([name, { x, y, z, down: false, pile, words: `face up in ${pile}` }]);
    });
  });
  return places;
}

function spiderFixtures() {
  const parts = [put("label stock", 0, 0), put("label gone", GONE_X, 0), put("slot", GONE_X, STRIP_Y)];
  for (let column = 0; column < 10; column += 1) {
    const x = column * COLUMN_STEP;
    const name = put("label middle", x, SPIDER_TABLEAU_Y - 24);
    name.textContent = column + 1;
    parts.push(name, put("slot", x, SPIDER_TABLEAU_Y));
  }
  return parts;
}

// The rows to come lie above the columns that they will be dealt to, the next one lowest.
function spiderPlaces(frame) {
  const places = [];
  frame.stock.forEach((row, number) => {
    const level = 4 - number;
    const y = STRIP_Y + level * ROW_STEP_DOWN;
    row.forEach((name, column) => {
      const words = `in row ${number + 1} to be dealt, to column ${column + 1}`;
      places.push([
        name,
        { x: column * COLUMN_STEP, y, z: level, down: true, pile: "stock", words },
      ]);
    });
  });
  places.push(...columnPlaces(frame, SPIDER_TABLEAU_Y));
  frame.gone.forEach((run, number) => {
    const y = STRIP_Y + number * GONE_STEP;
    run.forEach((name, i) => {
      const z = 14 * number + i;
      places.push([name, { x: GONE_X, y, z, down: false, pile: "gone", words: "in a run that is gone" }]);
    });
  });
  return places;
}

function spiderHeight(frame) {
  const columns = frame.down.map((down, k) => columnHeight(down.length, frame.up[k].length));
  const gone = STRIP_Y + 7 * GONE_STEP + CARD_HEIGHT;
  return Math.max(SPIDER_TABLEAU_Y + Math.max(...columns), gone) + 4;
}

function spiderLabels(felt, frame) {
  const rows = frame.stock.length;
  const words = rows === 1 ? "1 row" : `${rows} rows`;
  felt.querySelector(".label.stock").textContent = rows
    ? `Stock (${words}), the next row lowest`
    : "Stock (empty)";
  felt.querySelector(".label.gone").textContent = `Gone (${frame.gone.length})`;
}
