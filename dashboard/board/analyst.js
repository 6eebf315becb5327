// Asks the server about positions, one at a time: the one on the table first, then the others of the
// line. An answer stays with its position as `answer`, a refusal as `refused`. The server gives each answer
// little time: where that did not suffice for the position on the table, it is asked once more for more.
// Once all of the line is known, it is asked which moves were made at a critical moment: the answer stays as
// `critical` with the position after the move.

// deal: what every question begins with, `rules`, `deal` and `hidden`; wanted: () ->
// positions, the most urgent first; onAnswer: position -> nothing.
function makeAnalyst(deal, wanted, onAnswer) {
  let busy = false;
  let stopped = false;
  const hurried = ({ answer, asked }) => answer.ending === "time" && asked < 2;
  const lacks = (position, at) => !position.refused && (!position.answer || (at === 0 && hurried(position)));
  const missing = () => (stopped ? undefined : wanted().find(lacks));
  const lacksMoment = ({ parent, critical, refused }) =>
    parent && critical === undefined && !refused && !deal.hidden;
  const missingMoment = () => (stopped ? undefined : wanted().find(lacksMoment));

  const question = (position) => ({ ...deal, moves: namesTo(position) });

  async function ask(position) {
    position.asked = (position.asked ?? 0) + 1;
    const fields = {};
    try {
      fields.answer = await askServer("analysis", { ...question(position), again: position.asked > 1 });
    } catch (error) {
      fields.refused = error.message;
    }
    if (stopped) return;
    onAnswer(Object.assign(position, fields));
  }

  async function askMoment(position) {
    let critical = false;
    try {
      ({ critical } = await askServer("moment", question(position)));
    } catch {
      // The same refusal stands beside the position already.
    }
    if (stopped) return;
    onAnswer(Object.assign(position, { critical }));
  }

  // Work until nothing of the line is missing.
  async function wake() {
    if (busy) return;
    busy = true;
    for (;;) {
      const next = missing();
      const moment = next ? undefined : missingMoment();
      if (next) await ask(next);
      else if (moment) await askMoment(moment);
      else break;
    }
    busy = false;
  }

  // What the server says of a position; null if it refused.
  async function answerTo(position) {
    if (!position.answer) {
      delete position.refused;
      await ask(position);
    }
    return position.answer ?? null;
  }

  const solve = (position) => askServer("solution", question(position));
  const regret = (position) => askServer("regret", question(position));
  const longer = (position, what) => askServer("longer", { ...question(position), ...what });
  // Ask of a position once more, as more is known of it.
  function again(position) {
    delete position.answer;
    position.asked = 0;
    return wake();
  }
  // Answers that are under way are of no use any more.
  const stop = () => {
    stopped = true;
  };

  return { wake, answerTo, solve, regret, longer, again, stop };
}
