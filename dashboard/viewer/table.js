// Draws the cards and steps through a game. Python has computed where every card lies; this file
// knows no rules of any game.
//
// data: {
//   id: string that changes with the contents,
//   piles: {pile: [names of its cards, bottom first]} at the start, the same piles in every position,
//   steps: [{name, sentence, moved: [names of cards], note, changes}]; few or none have a note, and
//     changes are [[pile, keep, cards]]: of the pile the lowest `keep` cards stay, these lie on them,
//   marks: {card: number} of the cards that prove a dead end, {card: ""} of those they wait for,
//   start: sentence for the first position,
// }
//
// The script of a game follows this file in the same module: it uses the names that are defined here
// and must define none of them again. It defines GAME:
//   width: of the table, in units; a card is 80 wide,
//   fixtures: () -> slots and labels that stay where they are,
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
const PLAY = "M7 4v16l13-8z";
const PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z";

// Lengths in units.
const CARD_HEIGHT = 112;
const COLUMN_STEP = 94;
const ROW_STEP_DOWN = 29;
const ROW_STEP_UP = 31;
const STRIP_Y = 24;

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

// The piles of every position, the first one's and those after each step; equal piles are shared.
function positionsOf({ piles, steps }) {
  const positions = [piles];
  for (const { changes } of steps) {
    const next = { ...positions[positions.length - 1] };
    for (const [pile, keep, cards] of changes) next[pile] = [...next[pile].slice(0, keep), ...cards];
    positions.push(next);
  }
  return positions;
}

function makeViewer(parent) {
  const one = (selector) => parent.querySelector(selector);
  const stage = one(".stage");
  const slider = one(".slider");
  const felt = document.createElement("div");
  felt.className = "felt";
  stage.append(felt);

  let data = { id: null, piles: {}, steps: [], marks: {}, start: "" };
  let positions = [];
  let at = 0;
  let timer = null;
  const cards = new Map();

  function load(fresh) {
    if (fresh.id === data.id) return;
    stop();
    data = fresh;
    positions = positionsOf(data);
    at = 0;
    felt.replaceChildren(...GAME.fixtures());
    cards.clear();
    // Every card lies somewhere from the first frame on.
    for (const [name] of GAME.places(positions[0])) {
      const card = drawCard(name, data.marks[name]);
      cards.set(name, card);
      felt.append(card);
    }
    felt.style.setProperty("--width", GAME.width);
    // Not Math.max(...list): a game may have more positions than a call takes arguments.
    const heights = positions.map(GAME.height);
    felt.style.setProperty("--height", heights.reduce((most, each) => Math.max(most, each), 0));
    // A game whose cards all lie face up has nothing to hide.
    one(".closed").hidden = !GAME.places(positions[0]).some(([, place]) => place.down);
    const replay = data.steps.length > 0;
    for (const part of parent.querySelectorAll(".replay")) part.hidden = !replay;
    stage.setAttribute(
      "aria-label",
      replay ? "Replay of the game; use the arrow keys, Home, End and Space" : "The cards of the deal",
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
    const piles = positions[at];
    const step = at > 0 ? data.steps[at - 1] : null;
    const moved = new Set(step ? step.moved : []);
    for (const [name, place] of GAME.places(piles)) {
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
    GAME.relabel(felt, piles);

    slider.value = at;
    one(".count").textContent = `${at} / ${data.steps.length}`;
    const sentence = one(".sentence");
    sentence.replaceChildren();
    if (step) {
      const number = document.createElement("span");
      number.className = "number";
      number.textContent = `Move ${at} (${step.name}): `;
      sentence.append(number, step.sentence);
      if (at === data.steps.length) sentence.append(GAME.ending(piles));
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
    // Announce single steps, not a whole playback.
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
    parts.push(name, put("slot", x, top));
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
