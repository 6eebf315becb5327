// Steps through a game. Python has computed where every card lies; this file knows no rules of any
// game.
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
// The cards, and what the script of a game defines, are in `cards.js`, which precedes this file.

const PLAY = "M7 4v16l13-8z";
const PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z";

const viewers = new WeakMap();

export default function replay({ parentElement, data }) {
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
  for (const step of steps) positions.push(pilesAfter(positions[positions.length - 1], step));
  return positions;
}

function makeViewer(parent) {
  const one = (selector) => parent.querySelector(selector);
  const stage = one(".stage");
  const slider = one(".slider");
  const table = makeFelt(stage);
  const felt = table.element;

  let data = { id: null, piles: {}, steps: [], marks: {}, start: "" };
  let positions = [];
  let at = 0;
  let timer = null;

  function load(fresh) {
    if (fresh.id === data.id) return;
    stop();
    data = fresh;
    positions = positionsOf(data);
    at = 0;
    table.lay(positions[0], data.marks);
    // Not Math.max(...list): a game may have more positions than a call takes arguments.
    const heights = positions.map(GAME.height);
    felt.style.setProperty("--height", heights.reduce((most, each) => Math.max(most, each), 0));
    // A game whose cards all lie face up, or are not known, has nothing to hide.
    one(".closed").hidden = !GAME.places(positions[0]).some(([name, place]) => place.down && name[0] !== "?");
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
    table.show(piles, new Set(step ? step.moved : []));

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
  const onHide = () => {
    felt.classList.toggle("hiding", one(".hide").checked);
    show(at);
  };
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
