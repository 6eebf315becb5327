// The table of Black Hole: nine piles, the hole below them in the middle, and eight piles more.

const PILES = 17;
const FIRST_ROW = 9;
const PILE_HEIGHT = CARD_HEIGHT + 2 * ROW_STEP_UP;
const HOLE = { x: 4 * COLUMN_STEP, y: STRIP_Y + PILE_HEIGHT + 46 };
const SECOND_Y = HOLE.y + CARD_HEIGHT + 46;

// Where a pile lies, 0 to 16; the second row stands between the piles of the first.
const spot = (pile) =>
  pile < FIRST_ROW
    ? { x: pile * COLUMN_STEP, y: STRIP_Y }
    : { x: (pile - FIRST_ROW + 0.5) * COLUMN_STEP, y: SECOND_Y };

const GAME = {
  width: (FIRST_ROW - 1) * COLUMN_STEP + 80,

  fixtures() {
    const parts = [put("label hole", HOLE.x - 20, HOLE.y - 24), put("slot", HOLE.x, HOLE.y)];
    for (let pile = 0; pile < PILES; pile += 1) {
      const { x, y } = spot(pile);
      const number = put("label middle", x, y - 24);
      number.textContent = pile + 1;
      parts.push(number, put("slot", x, y));
    }
    return parts;
  },

  places(piles) {
    const places = piles.hole.map((name, z) => {
      return [name, { ...HOLE, z, down: false, pile: "hole", words: "in the black hole" }];
    });
    for (let pile = 0; pile < PILES; pile += 1) {
      const { x, y } = spot(pile);
      piles[`pile${pile + 1}`].forEach((name, z) => {
        const words = `on pile ${pile + 1}`;
        const at = { x, y: y + z * ROW_STEP_UP, z, down: false };
        places.push([name, { ...at, pile: `pile ${pile + 1}`, words }]);
      });
    }
    return places;
  },

  height: () => SECOND_Y + PILE_HEIGHT + 4,

  relabel(felt, piles) {
    felt.querySelector(".label.hole").textContent = `Black hole (${piles.hole.length})`;
  },

  ending: (piles) => (piles.hole.length === 52 ? " All cards are in the hole." : ""),
};
