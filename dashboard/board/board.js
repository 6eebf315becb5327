// The analysis board: the table, its legal moves with their verdicts, the line with its branches and
// the graph of the game. It knows no rules: moves, verdicts and what changes come from the server.
//
// data: {
//   id: string that names deal and ruleset,
//   ask: {rules, deal}: what every question to the server begins with; deal is a name, or the cards as JSON,
//   piles: {pile: [names of its cards, bottom first]} at the start,
//   steps: the line to begin with, [{name, sentence, moved, changes}] as in `table.js`,
//   hidden: whether the board begins as a person sees it, without the face-down cards,
// }

// For each verdict its sign, and the words for a move and for a position.
const VERDICTS = {
  winnable: ["✓", "keeps the win", "Winnable from here"],
  unwinnable: ["✗", "loses it", "Lost: no win from here"],
  undecided: ["?", "not decided", "Not decided"],
};
const REGRETS = {
  stopped: "Nothing is lost yet: the game can still be won from here.",
  unwinnable: "Nothing to regret: no play wins from the start.",
  won: "Nothing to regret: the game is won.",
};
const LINK_PAUSE = 400; // milliseconds without a move before the address of the page follows

// A sentence about what was not found, with what ended the search.
const withoutWords = (sentence, { limit, reason }) =>
  limit ? `${sentence} within ${limit}.` : reason ? `${sentence}: ${reason}.` : `${sentence}.`;

const percent = (share) => `${Math.round(100 * share)} %`;

// What the player that does not see the hidden cards thinks of a move.
function adviceWords(advice) {
  if (!advice) return "– not considered";
  if (advice.chance === null) return "★ the bot's choice";
  if (advice.certain) return advice.chance === 1 ? "✓ certain to win" : "✗ certain to lose";
  return `${percent(advice.chance)} ± ${percent(advice.error)} won`;
}

const boards = new WeakMap();
// Where each board was left, by its id: the page draws it anew when it shows something else between.
const left = new Map();
// What keeps the boards on which something was done a moment ago: whoever leaves the page before the
// link has followed finds that again as well.
const unkept = new Set();
window.addEventListener("pagehide", () => unkept.forEach((keep) => keep()));

export default function ({ parentElement, data }) {
  let board = boards.get(parentElement);
  if (!board) {
    board = makeBoard(parentElement);
    boards.set(parentElement, board);
  }
  board.load(data);
}

function makeBoard(parent) {
  const one = (selector) => parent.querySelector(selector);
  const table = makeFelt(one(".stage"));
  let data = { id: null };
  let hidden = false; // whether it is played as a person sees it
  let tree = null;
  let current = null;
  let fresh = null; // the position that a move has just led to, until its answer is there
  let shown = null; // the position that was shown last
  let notice = ""; // what is said until the board shows another position
  let unfound = null; // what was asked for at this position and not found, "solution" or "regret"
  let analyst = null;
  let errand = 0; // an answer that was asked for before this number changed comes too late
  let linkTimer = null;

  // A won game is over, although cards could still come back from the foundations.
  const moves = () => (current.answer && !current.answer.won ? current.answer.moves : []);
  const view = () => ({ piles: current.piles, moves: moves(), known: Boolean(current.answer ?? current.refused) });
  const longer = makeLonger(one('[data-do="longer"]'), (...asked) => analyst.longer(...asked), searched, complain);
  const hands = makeHands(table, view, play, announceChoice);

  function load(given) {
    if (given.id === data.id) return;
    data = given;
    const line = data.steps.map(({ name }) => name).join(" ");
    const before = left.get(data.id);
    tree = before?.tree ?? grown();
    current = data.steps.reduce((at, step) => tree.play(at, step), tree.root);
    if (before?.line === line) ({ current, hidden } = before);
    else hidden = data.hidden;
    left.set(data.id, { line, tree, current, hidden });
    table.lay(data.piles);
    see();
  }

  // What was played here on another day, if it can be read.
  function grown() {
    const own = makeTree(data.piles);
    try {
      own.grow(remembered(data.id));
      return own;
    } catch {
      return makeTree(data.piles);
    }
  }

  // Begin to ask, with all cards or as a person sees them; what was answered before is of no use.
  function see() {
    analyst?.stop();
    analyst = makeAnalyst({ ...data.ask, hidden }, () => [current, ...tree.line()], onAnswer);
    for (const position of [tree.root, ...tree.positions()])
      for (const name of ["answer", "refused", "asked", "critical"]) delete position[name];
    table.element.classList.toggle("hiding", hidden);
    one(".board").classList.toggle("blind", hidden);
    one('[data-set="hidden"]').checked = hidden;
    go(current);
  }

  // --- going about -----------------------------------------------------------------------------------

  function go(position) {
    errand += 1;
    notice = "";
    unfound = null;
    if (position !== current) longer.cancel();
    delete position.refused; // whoever comes back asks again
    current = position;
    tree.choose(position);
    Object.assign(left.get(data.id), { current, hidden });
    show();
    analyst.wake();
    clearTimeout(linkTimer);
    linkTimer = setTimeout(followLink, LINK_PAUSE);
    unkept.add(keep);
  }

  function play(move) {
    go(tree.play(current, move));
    fresh = current;
    settle();
  }

  function onAnswer(position) {
    if (position.answer?.piles) position.piles = position.answer.piles;
    if (position === current) show();
    else showGraph();
    settle();
  }

  // After a move, not after a step through the line: otherwise no step back would stay back.
  function settle() {
    if (fresh !== current || !current.answer) return;
    fresh = null;
    if (one('[data-set="autoplay"]').checked) playSafe();
  }

  function playSafe() {
    const safe = current.answer?.safe ?? [];
    if (safe.length > 0) go(safe.reduce((at, move) => tree.play(at, move), current));
  }

  async function winFromHere() {
    if (hidden) return;
    const mine = ++errand;
    const from = current;
    one('[data-do="win"]').disabled = true;
    try {
      const found = await analyst.solve(from);
      if (mine !== errand) return;
      if (found.verdict !== "winnable") {
        complain(found.verdict === "unwinnable" ? "No win is possible from here." : withoutWords("No win was found", found));
      } else if (found.moves.length === 0 && !current.answer?.won) {
        complain(withoutWords("That it can be won is known, but its moves are not stored, and were not found", found));
        miss("solution");
      } else if (found.moves.length > 0) {
        const positions = [from];
        for (const move of found.moves) positions.push(tree.play(positions.at(-1), move));
        go(positions[1]);
      }
    } catch (error) {
      if (mine === errand) complain(error.message);
    } finally {
      one('[data-do="win"]').disabled = false;
    }
  }

  // The move that lost the game, to which the board goes back.
  async function whereLost() {
    if (current.depth === 0) return;
    const mine = ++errand;
    const end = current;
    complain("Looking for the move that lost the game …");
    try {
      const answer = await analyst.answerTo(end);
      const found = await analyst.regret(end);
      if (mine === errand) tellRegret(end, found);
    } catch (error) {
      if (mine === errand) complain(error.message);
    }
  }

  function tellRegret(end, found) {
    const { kind, step } = found;
    if (kind === "undecided") {
      const known = step ? `After move ${step} the game could still be won. ` : "";
      complain(known + withoutWords("Where the game was lost was not found", found));
      if (found.limit) miss("regret");
      return;
    }
    if (kind !== "move") {
      complain(REGRETS[kind]);
      return;
    }
    let losing = end;
    while (losing.depth > step + 1) losing = losing.parent;
    go(losing.parent);
    complain(
      `Move ${step + 1} (${losing.move.name}) lost the game: ${losing.move.sentence} ` +
        `Before it, here, the game could be won${hidden ? "; show all cards to see how" : ""}.`,
    );
  }

  function miss(about) {
    unfound = about;
    longer.offer(about, current);
  }

  // What a longer search found of the position on the table.
  function searched(about, position, found) {
    if (about === "regret") tellRegret(position, found);
    else if (found.limit) {
      Object.assign(position.answer, { limit: found.limit });
      show();
    } else {
      analyst.again(position);
      show(); // that the server is asked, in place of what is no longer true
    }
  }

  // --- what is shown ---------------------------------------------------------------------------------

  function show() {
    const { move, answer, piles, depth } = current;
    const line = tree.line();
    table.show(piles, new Set(move ? move.moved : []));
    table.element.style.setProperty("--height", GAME.height(piles));
    one(".count").textContent = `${depth} / ${line.length - 1}`;
    const sentence = move ? `Move ${depth} (${move.name}): ${move.sentence}` : "The starting position.";
    one(".sentence").textContent = sentence + (answer ? ` ${positionWords(answer)}` : "");
    showNotice();
    showGauge(answer);
    showChoices(answer);
    one('[data-do="first"]').disabled = one('[data-do="back"]').disabled = depth === 0;
    one('[data-do="last"]').disabled = one('[data-do="forward"]').disabled = current.next === null;
    one('[data-do="safe"]').disabled = !answer?.safe.length;
    one('[data-do="regret"]').disabled = depth === 0 || Boolean(answer?.won);
    showLine(line);
    showGraph();
    hands.refresh(shown !== current);
    shown = current;
  }

  function positionWords(answer) {
    if (answer.won) return `Won.${GAME.ending(current.piles)}`;
    return answer.hidden ? "" : `${verdictWords(answer)}.`;
  }

  function verdictWords({ verdict, limit, reason }) {
    const words = VERDICTS[verdict][2];
    if (verdict !== "undecided") return words;
    return limit ? `${words}: no win found within ${limit}` : `${words}: ${reason}`;
  }

  function showGauge(answer) {
    const gauge = one(".gauge");
    gauge.dataset.verdict = answer ? (answer.verdict ?? "hidden") : "";
    gauge.textContent = answer
      ? gaugeWords(answer)
      : current.refused
        ? "? No answer for this position"
        : "… asking the server";
    longer.offer(unfound ?? (answer?.verdict === "undecided" && answer.limit ? "solution" : null), current);
    one(".player").textContent = answer?.player ? `Advice by ${answer.player}` : "";
  }

  function gaugeWords(answer) {
    if (answer.won) return "✓ Won";
    if (!answer.hidden) return `${VERDICTS[answer.verdict][0]} ${verdictWords(answer)}`;
    if (!answer.player) return "? No bot advises under this ruleset";
    const best = answer.moves[0]?.advice;
    return best ? `Best move: ${adviceWords(best)}` : "✗ The bot sees no play that helps";
  }

  function tallyWords({ legal, winning }) {
    if (legal === 0) return "No move is legal";
    if (winning === null) return legal === 1 ? "1 legal move" : `${legal} legal moves`;
    return `${winning} of ${legal} ${legal === 1 ? "move" : "moves"} ${winning === 1 ? "keeps" : "keep"} the win`;
  }

  // Of moves to the same position but for the order of cells or columns one is listed.
  const listed = () => moves().filter((move) => !move.same_as);

  function showChoices(answer) {
    const list = one(".choices");
    const focused = list.contains(parent.activeElement ?? document.activeElement);
    one(".tally").textContent = answer && !answer.won ? tallyWords(answer) : "";
    list.replaceChildren(...listed().map(choice));
    // Whoever plays with the keyboard stays at the moves.
    if (focused) (list.querySelector("button") ?? one(".stage")).focus();
  }

  function choice(move, at) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.move = move.name;
    if (move.verdict) button.dataset.verdict = move.verdict;
    const mark = document.createElement("span");
    mark.className = "verdict";
    mark.textContent = hidden ? adviceWords(move.advice) : VERDICTS[move.verdict].slice(0, 2).join(" ");
    button.append(mark, ` ${at < 9 ? `${at + 1}. ` : ""}${hidden ? move.foreseen : move.sentence}`);
    const then = move.advice?.moves.slice(1) ?? [];
    if (then.length > 0) button.title = `The bot would go on with ${then.join(" ")}`;
    button.addEventListener("click", () => play(move));
    item.append(button);
    return item;
  }

  function showLine(line) {
    const parts = line.slice(1).flatMap((position) => {
      const branches = position.parent.children.filter((other) => other !== position);
      return [step(position, `${position.depth}. ${position.move.name}`, "step"), ...branches.map(branch)];
    });
    one(".line").replaceChildren(...parts);
  }

  const branch = (position) => step(position, `or ${position.move.name}`, "branch");

  function step(position, text, kind) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind;
    button.textContent = text;
    button.title = position.move.sentence;
    const words = kind === "branch" ? "branch at move" : "move";
    button.setAttribute("aria-label", `${words} ${position.depth}: ${position.move.sentence}`);
    if (position === current) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => go(position));
    return button;
  }

  function showGraph() {
    drawGraph(one(".graph svg"), one(".critical-list"), tree.line(), current, go);
  }

  function complain(sentence) {
    notice = sentence;
    showNotice();
  }

  function showNotice() {
    const sentence = current.refused ?? notice;
    one(".alert").textContent = sentence;
    one(".alert").hidden = sentence === "";
  }

  function announceChoice(name, targets) {
    const card = `${RANK_WORDS[name[0]]} of ${SUIT_WORDS[name[1]]}`;
    const places = targets === 1 ? "1 place" : `${targets} places`;
    one(".sentence").textContent = `${card}: ${places} to go.`;
  }

  // --- sharing ---------------------------------------------------------------------------------------

  // The address that opens this board at this position.
  function link() {
    const address = new URL(window.location.href);
    for (const name of ["deal", "rules"])
      if (typeof data.ask[name] === "string") address.searchParams.set(name, data.ask[name]);
    address.searchParams.set("view", "board");
    const names = namesTo(current);
    if (names.length > 0) address.searchParams.set("line", names.join(" "));
    else address.searchParams.delete("line");
    if (hidden) address.searchParams.set("cards", "hidden");
    else address.searchParams.delete("cards");
    return address.href;
  }

  // Reloading opens the same position; going back leaves the board, not a move.
  function followLink() {
    keep();
    if (!parent.isConnected && !parent.host?.isConnected) return;
    window.history.replaceState(window.history.state, "", link());
  }

  // Of a move what a board needs to show it again.
  const keepable = ([before, { name, sentence, moved, changes }]) => [before, { name, sentence, moved, changes }];

  function keep() {
    unkept.delete(keep);
    remember(data.id, tree.record().map(keepable));
  }

  // Only the line to this position stays.
  function forget() {
    for (let at = current; at; at = at.parent) at.children = at.children.filter((child) => child === at.next);
    current.children = [];
    current.next = null;
    go(current);
    keep();
  }

  async function text() {
    const answer = await analyst.answerTo(current);
    const names = namesTo(current).join(" ");
    const position = answer ? `\nPosition: ${JSON.stringify(answer.position)}` : "";
    const { deal } = data.ask;
    return `Deal: ${typeof deal === "string" ? deal : JSON.stringify(deal)}\nRules: ${data.ask.rules}\nMoves: ${names}${position}`;
  }

  // The text is shown as well: a page that is not served by HTTPS may not write to the clipboard.
  async function copy(content) {
    const box = one(".copied");
    box.value = content;
    box.hidden = false;
    box.select();
    await navigator.clipboard?.writeText(content).catch(() => undefined);
  }

  // --- buttons and keys ------------------------------------------------------------------------------

  const actions = {
    first: () => go(tree.root),
    back: () => current.parent && go(current.parent),
    forward: () => current.next && go(current.next),
    last: () => go(tree.line().at(-1)),
    win: winFromHere,
    longer: longer.press,
    safe: playSafe,
    regret: whereLost,
    forget,
    turn: () => hands.stockMove() && play(hands.stockMove()),
    link: () => copy(link()),
    text: async () => copy(await text()),
    cancel: hands.cancel,
  };
  const keys = {
    ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", Escape: "cancel",
    w: "win", s: "safe", r: "regret", t: "turn",
  };

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("textarea")) return;
    const chosen = /^[1-9]$/.test(event.key) ? listed()[Number(event.key) - 1] : undefined;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!chosen && !action) return;
    event.preventDefault();
    if (chosen) play(chosen);
    else actions[action]();
  }

  const board = one(".board");
  board.addEventListener("keydown", onKey);
  board.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) actions[button.dataset.do]();
  });

  board.addEventListener("change", (event) => {
    if (!event.target.matches('[data-set="hidden"]')) return;
    hidden = event.target.checked;
    see();
  });

  return { load };
}
