// The table of Klondike: waste and stock in a strip above the columns, foundations at the right.

const COLUMNS = 7;
const FOUNDATION_X = 672;
const FOUNDATION_STEP = 117;
const STRIP_STEP = 24;
const STRIP_GAP = 24;
const TABLEAU_Y = 184;

const GAME = {
  width: 752,

  fixtures() {
    const foundations = SUITS.split("").map((suit, index) => {
      const slot = put("slot", FOUNDATION_X, TABLEAU_Y + index * FOUNDATION_STEP);
      slot.dataset.foundation = slot.dataset.place = suit;
      slot.setAttribute("role", "img");
      slot.append(svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: PIPS[suit] })]));
      return slot;
    });
    const strip = ["waste", "stock"].map((place) => {
      const slot = put(`slot ${place}`, 0, STRIP_Y);
      slot.dataset.place = place;
      return slot;
    });
    return [
      put("label waste-label", 0, 0),
      put("label stock", 0, 0),
      ...strip,
      ...columnFixtures(COLUMNS, TABLEAU_Y),
      ...foundations,
    ];
  },

  places(piles) {
    const places = [];
    piles.waste.forEach((name, i) => {
      const words = i === piles.waste.length - 1 ? "on top of the waste" : "in the waste";
      places.push([
        name,
        { x: i * STRIP_STEP, y: STRIP_Y, z: i, down: false, pile: "waste", words },
      ]);
    });
    const start = stockStart(piles);
    piles.stock.forEach((name, i) => {
      const turn = piles.stock.length - 1 - i; // the next card is the last of the pile
      const words = `number ${turn + 1} of the stock`;
      places.push([
        name,
        { x: start + turn * STRIP_STEP, y: STRIP_Y, z: 30 + turn, down: true, pile: "stock", words },
      ]);
    });
    places.push(...columnPlaces(piles, COLUMNS, TABLEAU_Y));
    SUITS.split("").forEach((suit, index) => {
      const y = TABLEAU_Y + index * FOUNDATION_STEP;
      const words = "on its foundation";
      piles[`foundation${suit}`].forEach((name, z) => {
        places.push([name, { x: FOUNDATION_X, y, z, down: false, pile: "foundation", words }]);
      });
    });
    return places;
  },

  height(piles) {
    const foundations = 3 * FOUNDATION_STEP + CARD_HEIGHT;
    return TABLEAU_Y + Math.max(foundations, columnsHeight(piles, COLUMNS)) + 4;
  },

  relabel(felt, piles) {
    for (const suit of SUITS) {
      const slot = felt.querySelector(`[data-foundation="${suit}"]`);
      const height = piles[`foundation${suit}`].length;
      slot.dataset.height = height;
      slot.setAttribute("aria-label", `${SUIT_WORDS[suit]} foundation: ${height} of 13 cards`);
    }
    const waste = piles.waste.length;
    felt.querySelector(".waste-label").textContent = waste ? `Waste (${waste})` : "Waste";
    const x = stockStart(piles);
    for (const part of felt.querySelectorAll(".stock")) part.style.setProperty("--x", x);
    const stock = piles.stock.length;
    felt.querySelector(".label.stock").textContent = stock
      ? `Stock (${stock}), next card first`
      : "Stock (empty)";
  },

  ending: (piles) =>
    SUITS.split("").every((suit) => piles[`foundation${suit}`].length === 13)
      ? " All four foundations are full."
      : "",
};

// Where the strip of the stock begins: after the waste.
function stockStart(piles) {
  return Math.max(piles.waste.length - 1, 0) * STRIP_STEP + 80 + STRIP_GAP;
}

// The table for playing: stock and foundations above the columns of a high box, beside those of a wide one.
// box: {width, height} in pixels, and whether the stock is for the left hand.
function tableIn(box) {
  const columns = COLUMNS * STEP - GAP;
  const { wide, unit, room } = fitted(box, {
    high: { width: columns, height: 600 },
    wide: { width: columns + 2 * (STEP + GAP), height: 4 * (CARD_HEIGHT + GAP) - GAP },
  });
  const width = wide ? columns + 2 * (STEP + GAP) : columns;
  const at = wide
    ? { x: STEP + GAP, y: 0, room }
    : { x: 0, y: CARD_HEIGHT + 2 * GAP, room: room - CARD_HEIGHT - 2 * GAP };
  const mirrored = (x) => (box.left ? width - 80 - x : x);
  const foundation = (index) =>
    wide ? { x: mirrored(0), y: index * (CARD_HEIGHT + GAP) } : { x: mirrored(index * STEP), y: 0 };
  const stock = { x: mirrored(width - 80), y: 0 };
  // The last three cards of the waste show, the playable one whole.
  const waste = (fromTop) => {
    if (wide) return { x: stock.x, y: CARD_HEIGHT + 30 + (2 - fromTop) * 30 };
    return { x: box.left ? STEP + (2 - fromTop) * 22 : width - 80 - STEP - fromTop * 22, y: 0 };
  };

  return {
    width,
    unit,

    fixtures() {
      const foundations = SUITS.split("").map((suit, index) => {
        const { x, y } = foundation(index);
        const slot = put("slot", x, y);
        slot.dataset.foundation = suit;
        slot.setAttribute("role", "img");
        slot.append(svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: PIPS[suit] })]));
        return slot;
      });
      const pile = put("slot stock", stock.x, stock.y);
      const count = put("label count", stock.x, stock.y + CARD_HEIGHT - 34);
      return [pile, count, ...emptyColumns(COLUMNS, at), ...foundations];
    },

    places(piles) {
      const places = [];
      const top = piles.waste.length - 1;
      piles.waste.forEach((name, i) => {
        const { x, y } = waste(Math.min(top - i, 2));
        const words = i === top ? "on top of the waste" : "in the waste";
        places.push([name, { x, y, z: i, down: false, pile: "waste", words }]);
      });
      places.push(...pilePlaces(piles.stock, { ...stock, down: true, pile: "stock", words: "in the stock" }));
      places.push(...pressedPlaces(piles, COLUMNS, at));
      SUITS.split("").forEach((suit, index) => {
        const own = { ...foundation(index), down: false, pile: "foundation", words: "on its foundation" };
        places.push(...pilePlaces(piles[`foundation${suit}`], own));
      });
      return places;
    },

    relabel(felt, piles) {
      for (const suit of SUITS) {
        const slot = felt.querySelector(`[data-foundation="${suit}"]`);
        slot.setAttribute("aria-label", `${SUIT_WORDS[suit]} foundation: ${piles[`foundation${suit}`].length} of 13 cards`);
      }
      const { length } = piles.stock;
      felt.querySelector(".count").textContent = length === 0 ? "" : length;
      felt.querySelector(".slot.stock").textContent = length === 0 ? "↻" : "";
    },

    ending: GAME.ending,
  };
}
