// A table on which the cards of a position are put down. It knows no rules: what lies where after a
// change, what each place takes and what is wrong come from the server. What lies there is kept in
// this browser until the table is cleared.
//
// data: {rules: slug}.
//
// The cards, and what the script of a game defines, are in `cards.js`, which precedes this file.

const SIGNS = { C: "♣", D: "♦", S: "♠", H: "♥" };
const SETTING_KEY = "thoughtful-table";
const BAD_REQUEST = 400; // the status for what is no card or place
const UNKNOWN = "??";
const settings = new WeakMap();

const sign = (card) => (card.includes(UNKNOWN) ? "?" : card.replace(/[<>]/g, "").replace("T", "10").replace(/[CDSH]/, (suit) => SIGNS[suit]));

function cardWords(card) {
  const name = card.replace(/[<>]/g, "");
  const words = name === UNKNOWN ? "card not seen" : `${RANK_WORDS[name[0]]} of ${SUIT_WORDS[name[1]]}`;
  return card.startsWith("<") ? `${words}, face down` : words;
}

// What lies on a place, for who does not see it; many unknown cards are one thing.
function pileWords({ label, cards, unknown }) {
  const named = cards.filter((card) => !card.includes(UNKNOWN)).map(cardWords);
  if (unknown) named.unshift(unknown === 1 ? "1 card not seen" : `${unknown} cards not seen`);
  return `${label}: ${named.join("; ") || "empty"}`;
}

export default function ({ parentElement, data, setTriggerValue }) {
  let setting = settings.get(parentElement);
  if (!setting) settings.set(parentElement, (setting = makeSetting(parentElement)));
  setting.load(data.rules, (text) => setTriggerValue("asked", text));
}

function makeSetting(parent) {
  const one = (selector) => parent.querySelector(selector);
  const felt = makeFelt(one(".stage"));
  let rules = null;
  let answer = () => undefined;
  let table = null;
  let chosen = null; // name of the place
  let at = null; // number of its card that is changed next; null for a further one
  let typed = ""; // a rank that waits for its suit
  let last = Promise.resolve(); // what was asked for last; the next waits for it

  const cards = () => Object.fromEntries(table.places.map((each) => [each.name, each.cards]));
  const place = () => table?.places.find((each) => each.name === chosen);

  function load(slug, onAsked) {
    answer = onAsked;
    if (slug === rules) return;
    rules = slug;
    chosen = at = null;
    inTurn(async () => {
      const kept = remembered()[slug];
      // What an older version kept may be none that can be: then the table is as at first.
      if (!kept || (await send({ cards: kept })) === BAD_REQUEST) await send({ cards: null });
    });
  }

  // Cards come faster than answers; each waits until what lies there is known, and is for the table
  // that was there when it was tapped.
  function inTurn(work) {
    const slug = rules;
    last = last.then(() => (slug === rules ? work() : undefined)).catch((error) => say(error.message));
  }

  function say(sentence) {
    one(".status").textContent = sentence;
  }

  function remembered() {
    try {
      return JSON.parse(window.localStorage.getItem(SETTING_KEY)) ?? {};
    } catch {
      return {};
    }
  }

  function remember(slug, kept) {
    try {
      const { [slug]: _, ...others } = remembered();
      window.localStorage.setItem(SETTING_KEY, JSON.stringify({ ...others, ...(kept && { [slug]: kept }) }));
    } catch {
      // A browser that keeps nothing shows the table all the same.
    }
  }

  // The status of the answer; what lies on the table is what the server says that lies there.
  async function send(asked) {
    const slug = rules;
    const reply = await fetch("./api/board/setting", {
      method: "POST",
      body: JSON.stringify({ rules: slug, ...asked }),
    });
    const found = await reply.json().catch(() => ({}));
    if (slug !== rules) return reply.status; // another table has been asked for
    if (!reply.ok) {
      say(found.detail || `The server answered with status ${reply.status}.`);
      return reply.status;
    }
    table = found;
    remember(slug, asked.cards === null && !asked.edit ? null : cards());
    show();
    return reply.status;
  }

  // A change of the place that is chosen now, made when all before it are.
  function edit(kind, card = null) {
    if (!chosen) return;
    const own = { kind, place: chosen, at, card };
    at = null;
    inTurn(async () => {
      const status = await send({ cards: cards(), edit: own });
      // A card that was not changed is still the one to change.
      if (status >= BAD_REQUEST && chosen === own.place && at === null) at = own.at;
    });
  }

  function choose(name, number = null) {
    chosen = name;
    at = number;
    show();
  }

  // --- what is shown ---------------------------------------------------------------------------------

  function show() {
    const root = parent.activeElement ?? document.activeElement;
    const held = root?.dataset?.key;
    felt.lay(table.piles);
    felt.show(table.piles);
    felt.element.style.setProperty("--height", GAME.height(table.piles));
    // The buttons of the places say what lies there.
    for (const card of felt.cards.values()) card.setAttribute("aria-hidden", "true");
    const lying = new Map(GAME.places(table.piles));
    felt.element.append(...table.places.map((each) => placeButton(each, lying)));
    const own = place();
    one(".help").hidden = Boolean(own);
    one(".chosen").hidden = !own;
    if (own) showChosen(own);
    one('[data-do="check"]').hidden = table.problem !== null;
    const problem = table.problem && table.problem[0].toUpperCase() + table.problem.slice(1);
    const isEmpty = table.places.every((each) => each.cards.every((card) => card.includes(UNKNOWN)));
    if (isEmpty) say("Tap a place, then its cards.");
    else say(problem ? `${problem}.` : "All cards have their places.");
    if (held) parent.querySelector(`[data-key="${held}"]`)?.focus({ preventScroll: true });
  }

  // A button over all cards of a place, or over its slot.
  function placeButton(each, lying) {
    const spots = each.drawn.map((name) => lying.get(name));
    if (spots.length === 0) {
      const { style } = felt.element.querySelector(`[data-place="${each.name}"]`);
      spots.push({ x: Number(style.getPropertyValue("--x")), y: Number(style.getPropertyValue("--y")) });
    }
    const [left, top] = [Math.min(...spots.map(({ x }) => x)), Math.min(...spots.map(({ y }) => y))];
    const button = document.createElement("button");
    button.type = "button";
    button.className = "place";
    button.dataset.key = button.dataset.at = each.name;
    button.setAttribute("aria-label", pileWords(each));
    button.setAttribute("aria-pressed", String(each.name === chosen));
    const box = { x: left, y: top, w: Math.max(...spots.map(({ x }) => x)) - left + 80, h: Math.max(...spots.map(({ y }) => y)) - top + CARD_HEIGHT };
    for (const [name, value] of Object.entries(box)) button.style.setProperty(`--${name}`, value);
    button.addEventListener("click", (event) => {
      choose(each.name, tapped(each, lying, event));
      uncover();
    });
    return button;
  }

  // On a small screen the cards to choose from would lie on the place that was just chosen.
  function uncover() {
    const own = felt.element.querySelector('[aria-pressed="true"]').getBoundingClientRect();
    const panel = one(".panel").getBoundingClientRect();
    if (own.bottom > panel.top && own.left < panel.right && own.right > panel.left) one(".stage").scrollIntoView();
  }

  // The number of the card that a tap on the chosen place hits; null for a first tap, and for keys.
  function tapped(each, lying, event) {
    if (each.name !== chosen || event.detail === 0) return null;
    const { left, top, width } = felt.element.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top].map((length) => (length * GAME.width) / width);
    const hit = (spot) => x >= spot.x && x <= spot.x + 80 && y >= spot.y && y <= spot.y + CARD_HEIGHT;
    let found = null;
    for (const [number, name] of each.drawn.entries()) {
      const spot = lying.get(name);
      if (hit(spot) && (found === null || spot.z > lying.get(each.drawn[found]).z)) found = number;
    }
    return found === at ? null : found;
  }

  function showChosen(own) {
    one(".name").textContent = own.label;
    one(".unseen").hidden = !own.unseen;
    one(".unseen-count").textContent = `${own.unknown} ${own.unseen}`;
    one('[data-do="fewer"]').setAttribute("aria-label", `Fewer ${own.unseen}`);
    one('[data-do="more"]').setAttribute("aria-label", `More ${own.unseen}`);
    one('[data-do="fewer"]').disabled = own.unknown < own.step;
    one('[data-do="take"]').disabled = own.cards.length === 0;
    if (at !== null) felt.cards.get(own.drawn[at])?.classList.add("chosen");
    one(".cards").replaceChildren(
      ...own.cards.map((card, number) => {
        const button = cardButton(card, `card-${number}`);
        button.setAttribute("aria-label", `Change ${cardWords(card)}`);
        button.setAttribute("aria-pressed", String(number === at));
        button.addEventListener("click", () => choose(chosen, number === at ? null : number));
        return button;
      }),
    );
    one(".deck").replaceChildren(...deckButtons(own));
  }

  // Every card of the game, suit by suit, with how many are left where there are several.
  function deckButtons(own) {
    const names = Object.keys(table.left);
    const takes = new Set(own.takes);
    const several = names.length < 52 || Math.max(...Object.values(table.left)) > 1;
    return [...SUITS].flatMap((suit) =>
      names.filter((name) => name[1] === suit).map((name) => {
        const button = cardButton(name, name);
        button.dataset.card = name;
        const left = table.left[name];
        button.setAttribute("aria-label", several ? `${cardWords(name)}, ${left} left` : cardWords(name));
        button.disabled = !takes.has(name);
        button.addEventListener("click", () => edit("put", name));
        return button;
      }),
    );
  }

  function cardButton(card, key) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.key = key;
    button.textContent = sign(card);
    button.classList.toggle("red", /[DH]/.test(card));
    return button;
  }

  // --- buttons and keys ------------------------------------------------------------------------------

  const actions = {
    more: () => edit("more"),
    fewer: () => edit("fewer"),
    take: () => edit("take"),
    check: () => {
      if (table.text === null) return;
      answer(table.text);
      document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 }); // where the answer will be
    },
    clear: () => {
      chosen = at = null;
      inTurn(() => send({ cards: null }));
    },
  };
  const keys = { "+": "more", "-": "fewer", BACKSPACE: "take", DELETE: "take" };

  const setting = one(".setting");
  setting.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button && table) actions[button.dataset.do]();
  });
  setting.addEventListener("keydown", (event) => {
    if (!place() || event.altKey || event.ctrlKey || event.metaKey) return;
    const key = event.key.toUpperCase();
    if (typed && SIGNS[key]) {
      edit("put", typed + key);
      typed = "";
    } else if (keys[key]) actions[keys[key]]();
    else if (key === "ESCAPE") choose(null);
    else if (key.length === 1 && "A23456789TJQK".includes(key)) typed = key;
    else return;
    event.preventDefault();
  });
  return { load };
}
