// Puzzles: positions in which one play of many keeps the win. The server makes them and says whether a play
// is that one.

// play: what `play.js` shares.
function makePuzzles(play) {
  let following = null; // the next one: {rules, theme, found}

  // Without a key one that nobody has seen.
  async function begin(rules, theme, key = null) {
    await play.open(() => (key === null ? next(rules, theme) : make(rules, theme, key)), rules);
  }

  const newKey = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

  async function make(rules, theme, key) {
    const found = await askServer("puzzle_position", { rules, theme, key });
    return { ...found, puzzle: { ...found.puzzle, theme, key } };
  }

  // The next one is made while the visitor thinks about this one.
  function next(rules, theme) {
    const isWanted = following?.rules === rules && following.theme === theme;
    const found = isWanted ? following.found : make(rules, theme, newKey());
    following = null;
    return found;
  }

  function prepare(rules, theme) {
    const found = make(rules, theme, newKey());
    found.catch(() => undefined); // who wants it is told
    following = { rules, theme, found };
  }

  // Whether the play that was made in a puzzle keeps the win.
  async function assess(position) {
    let state;
    try {
      ({ state } = await askServer("puzzle_state", play.question(position)));
    } catch (error) {
      play.say(error.message, [["Try again", () => assess(position)]], "bad");
      return;
    }
    if (position !== play.current()) return;
    if (state === "open") {
      play.say("No card has been moved for good yet: go on.");
      return;
    }
    const game = play.game();
    const { rules } = game.ask;
    const { theme, plays: number, words } = game.puzzle;
    const next = ["Next puzzle", () => begin(rules, theme), "main"];
    const isRight = state === "solved";
    if (game.result === null) {
      // The first answer counts.
      play.stopClock();
      game.result = isRight ? "won" : "lost";
      play.keep();
    }
    if (isRight) play.say(`✓ Right: it is the only one of ${number} plays that keeps the win. ${words}`, [next]);
    else play.say("✗ That loses the win.", [["Try again", () => { play.quiet(); play.toStart(); }], ["Show it", showSolution], next], "bad");
  }

  // The way of the puzzle, on the table.
  function showSolution() {
    const game = play.game();
    play.watch(game.puzzle.solution, "The play that keeps the win.", {
      more: [["Next puzzle", () => begin(game.ask.rules, game.puzzle.theme)]],
    });
  }

  return { begin, prepare, assess };
}
