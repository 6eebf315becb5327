// An empty table on which cards are put down. It knows no rules: what each place takes comes from
// the server. What lies there is kept in this browser until the table is cleared.
// data: {rules: slug}.

const SIGNS = { C: "♣", D: "♦", S: "♠", H: "♥" };
const SUIT_WORDS = { C: "clubs", D: "diamonds", S: "spades", H: "hearts" };
const SETTING_KEY = "thoughtful-setting";
const BAD_REQUEST = 400; // the status for cards that cannot lie so
const tables = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  let table = tables.get(parentElement);
  if (!table) tables.set(parentElement, (table = makeTable(parentElement)));
  table.load(data.rules, (text) => setTriggerValue("asked", text));
}

function makeTable(parent) {
  const one = (selector) => parent.querySelector(selector);
  let rules = null;
  let answer = () => undefined;
  let table = null;
  let chosen = null; // name of the place that takes the next card
  let typed = ""; // a rank that waits for its suit
  let last = Promise.resolve(); // what was asked for last; the next waits for it

  const cards = () => Object.fromEntries((table?.places ?? []).map((p) => [p.name, p.cards]));
  const place = () => table.places.find((each) => each.name === chosen);

  function load(slug, onAsked) {
    answer = onAsked;
    if (slug === rules) return;
    rules = slug;
    inTurn(async () => {
      const kept = remembered()[slug];
      // What an older version kept may be none that can be: then the table is empty.
      if (!kept || (await send(kept)) === BAD_REQUEST) await send({});
    });
  }

  // Cards come faster than answers; each waits until what lies there is known.
  const inTurn = (work) =>
    (last = last.then(work).catch((error) => {
      one(".status").textContent = error.message;
    }));

  function remembered() {
    try {
      return JSON.parse(window.localStorage.getItem(SETTING_KEY)) ?? {};
    } catch {
      return {};
    }
  }

  function remember(slug) {
    try {
      const { [slug]: _, ...others } = remembered();
      const kept = Object.values(cards()).some((each) => each.length) ? { [slug]: cards() } : {};
      window.localStorage.setItem(SETTING_KEY, JSON.stringify({ ...others, ...kept }));
    } catch {
      // A browser that keeps nothing shows the table all the same.
    }
  }

  // The status of the answer; what lies on the table is what the server says that lies there.
  async function send(wanted) {
    const slug = rules;
    const reply = await fetch("./api/board/setting", {
      method: "POST",
      body: JSON.stringify({ rules: slug, cards: wanted }),
    });
    const found = await reply.json().catch(() => ({}));
    if (slug !== rules) return reply.status; // another table has been asked for
    if (!reply.ok) {
      one(".status").textContent = found.detail || `The server answered with status ${reply.status}.`;
      return reply.status;
    }
    table = found;
    chosen ??= table.places[0].name;
    remember(slug);
    show();
    return reply.status;
  }

  const put = (card) =>
    inTurn(async () => {
      if (!place().takes.includes(card)) {
        one(".status").textContent = `${card} cannot be put there.`;
        return;
      }
      const kept = place().replaced ? [] : place().cards;
      await send({ ...cards(), [chosen]: [...kept, card] });
    });

  const facing = (card) => (one(".down").checked ? `<${card}>` : card);
  const words = (card) => card.replace("T", "10").replace(/[CDSH]/, (suit) => SIGNS[suit]);

  function show() {
    const { places, left, problem } = table;
    const root = parent.activeElement ?? document.activeElement;
    const held = root?.dataset?.key;
    one(".places").replaceChildren(
      ...places.map((each) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.key = button.dataset.place = each.name;
        button.setAttribute("aria-pressed", String(each.name === chosen));
        button.textContent = `${each.label}: ${each.cards.map(words).join(" ") || "–"}`;
        button.addEventListener("click", () => {
          chosen = each.name;
          show();
        });
        return button;
      }),
    );
    const takes = place().takes;
    one(".deck").replaceChildren(
      ...[..."CDSH"].flatMap((suit) =>
        [..."A23456789TJQK"].map((rank) => {
          const card = rank + suit;
          const button = document.createElement("button");
          button.type = "button";
          button.dataset.key = button.dataset.card = card;
          button.textContent = left.includes(card) ? words(card) : "·";
          button.setAttribute("aria-label", `${rank} of ${SUIT_WORDS[suit]}`);
          button.disabled = !takes.includes(facing(card));
          button.addEventListener("click", () => put(facing(card)));
          return button;
        }),
      ),
    );
    one('[data-do="unknown"]').disabled = !takes.includes("<??>");
    one('[data-do="back"]').disabled = place().cards.length === 0;
    one('[data-do="ask"]').disabled = problem !== null;
    one(".status").textContent = problem === null ? "All cards have their places." : `${problem}.`;
    if (held) parent.querySelector(`[data-key="${held}"]`)?.focus();
  }

  const actions = {
    unknown: () => put("<??>"),
    back: () => inTurn(() => send({ ...cards(), [chosen]: place().cards.slice(0, -1) })),
    clear: () => inTurn(() => send({})),
    ask: () => table.text !== null && answer(table.text),
  };

  const setting = one(".setting");
  setting.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button && table) actions[button.dataset.do]();
  });
  one(".down").addEventListener("change", () => table && show());
  setting.addEventListener("keydown", (event) => {
    if (!table || event.altKey || event.ctrlKey || event.metaKey) return;
    const key = event.key.toUpperCase();
    if (typed && SIGNS[key]) {
      put(facing(typed + key));
      typed = "";
    } else if (key === "?") actions.unknown();
    else if (key === "BACKSPACE") actions.back();
    else if (key === "D") {
      one(".down").checked = !one(".down").checked;
      show();
    } else if (key.length === 1 && "A23456789TJQK".includes(key)) typed = key;
    else return;
    event.preventDefault();
  });
  return { load };
}
