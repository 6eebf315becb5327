// Hints: whether the game can still be won, which card, the move and why; and where it was lost. Each is
// told only when it is asked for.

// play: what `play.js` shares.
function makeHints(play) {
  const { table, say, quiet } = play;
  let rung = 0; // of the ladder, at this position: 0 until a hint is asked for
  const rungs = ["Hint", "Which card?"];
  const longer = makeLonger(
    button("", () => longer.press()),
    (position, what) => askServer("longer", { ...position.asked, ...what }),
    searched,
    (sentence) => say(sentence),
  );

  // The question is kept, since it may end, or be cancelled, when another game is on the table.
  function offerLonger(about, position) {
    position.asked = play.question(position);
    longer.offer(about, position);
  }

  // What the server says of the position; it is asked once.
  async function advice() {
    const from = play.current();
    const isWanted = play.beginErrand();
    if (!from.hint) {
      say("Looking …");
      try {
        const found = await askServer("hint", play.question(from));
        if (found.final) from.hint = found;
        if (!isWanted()) return null;
        quiet();
        return found;
      } catch (error) {
        if (isWanted()) say(error.message, [], "bad");
        return null;
      }
    }
    return from.hint;
  }

  async function check() {
    if (play.isBusy()) return;
    const found = await advice();
    if (!found) return;
    const game = play.game();
    if (game.result === null) game.checks += 1;
    quiet();
    rung = 0;
    tellVerdict(found);
  }

  function tellVerdict(found) {
    if (found.verdict === "winnable") say("✓ It can still be won.", [[rungs[rung], hint]]);
    else if (found.verdict === "unwinnable" && play.current().depth === 0)
      say(`✗ This ${play.game().name ? "deal" : "position"} cannot be won.`, [["Another deal", play.another, "main"]], "bad");
    else if (found.verdict === "unwinnable")
      say("✗ It cannot be won any more.", [["Where was it lost?", whereLost], ["End the game", () => play.over("lost")]], "bad");
    else {
      const words = found.limit ? `? Not decided within ${found.limit}.` : `? Not decided: ${found.reason}.`;
      const actions = found.move ? [[rungs[rung], hint]] : [];
      if (found.limit) {
        offerLonger("solution", play.current());
        actions.push(["", longer.button]);
      }
      say(words, actions);
    }
  }

  // The ladder: whether it can be won, which card, the move and why.
  async function hint() {
    if (play.isBusy()) return;
    const position = play.current();
    const found = await advice();
    if (!found) return;
    const game = play.game();
    if (game.result === null && !position.hinted) game.hints += 1;
    position.hinted = true;
    rung = found.move ? Math.min(rung + 1, 3) : 1;
    if (rung === 1) return tellVerdict(found);
    const { move, why, length } = found;
    const cards = move.moved;
    if (rung === 2) {
      // A card of the stock that is turned is not named before it is seen.
      const isHidden = cards.length === 0 || table.cards.get(cards[0]).dataset.pile === "stock";
      say(`Look at the ${isHidden ? "stock" : play.cardWords(cards[0])}.`, [["Show the move", hint]]);
    } else {
      const sentence = game.open ? move.sentence : move.foreseen;
      say(`${sentence} ${why}${length ? ` A win takes ${counted(length, "more move")}.` : ""}`, [["Play it", () => play.play(move), "main"]]);
    }
    play.light(cards.length > 0 ? cards : (position.piles.stock ?? []).slice(-1));
    play.keep();
  }

  async function whereLost() {
    const isWanted = play.beginErrand();
    const end = play.current();
    say("Looking for the move that lost the game …");
    try {
      const found = await askServer("regret", play.question(end));
      if (isWanted()) tellLoss(end, found);
    } catch (error) {
      if (isWanted()) say(error.message, [], "bad");
    }
  }

  function tellLoss(end, { kind, step, limit }) {
    if (kind === "undecided") {
      const known = step ? `After move ${step} the game could still be won. ` : "";
      offerLonger(limit && "regret", end);
      say(known + (limit ? `Where it was lost was not found within ${limit}.` : "It is not known where it was lost."), limit ? [["", longer.button]] : [], "bad");
      return;
    }
    if (kind === "unwinnable") {
      say("It could not be won from the start, whatever you play.");
      return;
    }
    if (kind !== "move") {
      say("Nothing is lost: the game can still be won from here.");
      return;
    }
    let losing = end;
    while (losing.depth > step + 1) losing = losing.parent;
    say(`Move ${step + 1} lost it: ${losing.move.sentence}`, [["Go back before it", () => play.retry(losing.parent), "main"]], "bad");
  }

  function searched(about, position, found) {
    if (about === "regret") play.noteLoss(position, found);
    if (position !== play.current()) return;
    if (about === "regret") {
      tellLoss(position, found);
      return;
    }
    delete position.hint;
    if (found.limit) tellVerdict(found);
    else
      advice().then((known) => known && tellVerdict(known));
  }

  // Another position is shown: the ladder begins anew.
  function leave() {
    rung = 0;
    longer.cancel();
  }

  return { check, hint, leave };
}
