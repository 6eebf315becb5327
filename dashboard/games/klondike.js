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
      slot.dataset.foundation = suit;
      slot.setAttribute("role", "img");
      slot.append(svg("svg", { viewBox: "0 0 24 24" }, [svg("path", { d: PIPS[suit] })]));
      return slot;
    });
    return [
      put("label waste-label", 0, 0),
      put("slot waste", 0, STRIP_Y),
      put("label stock", 0, 0),
      put("slot stock", 0, STRIP_Y),
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
