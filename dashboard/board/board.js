// The analysis board: the table, its legal moves with their verdicts, the line with its branches and
// the graph of the game. It knows no rules: moves, verdicts and what changes come from the server.
//
// data: {
//   id: string that names deal and ruleset,
//   ask: {rules, deal or position}: what every question to the server begins with,
//   piles: {pile: [names of its cards, bottom first]} at the start,
//   steps: the line to begin with, [{name, sentence, moved, changes}] as in `table.js`,
// }

const VERDICTS = {
  win: ["✓", "keeps the win"],
  loss: ["✗", "loses it"],
  unknown: ["?", "unknown"],
};
const GAUGE = {
  win: ["✓", "Winnable from here"],
  loss: ["✗", "Lost: no win from here"],
  unknown: ["?", "Not decided"],
};
const LINK_PAUSE = 400; // milliseconds without a move before the address of the page follows

const boards = new WeakMap();

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
  let tree = null;
  let current = null;
  let shown = null; // the position that was shown last
  let analyst = null;
  let errand = 0; // an answer that was asked for before this number changed comes too late
  let linkTimer = null;

  const moves = () => current.told?.moves ?? [];
  const hands = makeHands(table, () => ({ piles: current.piles, moves: moves() }), play, announceChoice);

  function load(fresh) {
    if (fresh.id === data.id) return;
    data = fresh;
    tree = makeTree(data.piles);
    const own = tree;
    const wanted = () => (tree === own ? [current, ...own.line()] : []);
    analyst = makeAnalyst(data.ask, wanted, (position) => {
      if (tree === own) onTold(position);
    });
    table.lay(data.piles);
    go(data.steps.reduce((at, step) => tree.play(at, step), tree.root));
  }

  // --- going about -----------------------------------------------------------------------------------

  function go(position) {
    errand += 1;
    delete position.refused; // whoever comes back asks again
    current = position;
    tree.choose(position);
    show();
    analyst.wake();
    clearTimeout(linkTimer);
    linkTimer = setTimeout(followLink, LINK_PAUSE);
  }

  function play(move) {
    go(tree.play(current, move));
  }

  function onTold(position) {
    if (position.told) position.piles = position.told.piles;
    if (position === current) show();
    else showGraph();
  }

  async function winFromHere() {
    const mine = ++errand;
    const from = current;
    one('[data-do="win"]').disabled = true;
    try {
      const found = await analyst.solve(from);
      if (mine !== errand) return;
      if (found.verdict !== "win") {
        complain(found.verdict === "loss" ? "No win is possible from here." : "No win was found from here.");
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

  // --- what is shown ---------------------------------------------------------------------------------

  function show() {
    const { move, told, piles, depth } = current;
    const line = tree.line();
    table.show(piles, new Set(move ? move.moved : []));
    table.element.style.setProperty("--height", GAME.height(piles));
    one(".count").textContent = `${depth} / ${line.length - 1}`;
    const sentence = move ? `Move ${depth} (${move.name}): ${move.sentence}` : "The starting position.";
    one(".sentence").textContent = sentence + (told ? ` ${positionWords(told)}` : "");
    complain(current.refused ?? "");
    showGauge(told);
    showChoices(told);
    one('[data-do="first"]').disabled = one('[data-do="back"]').disabled = depth === 0;
    one('[data-do="last"]').disabled = one('[data-do="forward"]').disabled = current.next === null;
    showLine(line);
    showGraph();
    hands.refresh(shown !== current);
    shown = current;
  }

  const positionWords = (told) => (told.won ? `Won.${GAME.ending(told.piles)}` : `${GAUGE[told.verdict][1]}.`);

  function showGauge(told) {
    const gauge = one(".gauge");
    const verdict = told?.verdict ?? "";
    gauge.dataset.verdict = verdict;
    gauge.textContent = told
      ? `${GAUGE[verdict][0]} ${told.won ? "Won" : GAUGE[verdict][1]}`
      : current.refused
        ? "? No answer for this position"
        : "… asking the server";
  }

  function tallyWords({ legal, winning }) {
    if (legal === 0) return "No move is legal";
    if (winning === null) return legal === 1 ? "1 legal move" : `${legal} legal moves`;
    return `${winning} of ${legal} ${legal === 1 ? "move" : "moves"} ${winning === 1 ? "keeps" : "keep"} the win`;
  }

  function showChoices(told) {
    const list = one(".choices");
    const focused = list.contains(parent.activeElement ?? document.activeElement);
    one(".tally").textContent = told && !told.won ? tallyWords(told) : "";
    list.replaceChildren(...(told?.moves ?? []).map(choice));
    // Whoever plays with the keyboard stays at the moves.
    if (focused) (list.querySelector("button") ?? one(".stage")).focus();
  }

  function choice(move, at) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const [sign, words] = VERDICTS[move.verdict];
    button.type = "button";
    button.dataset.move = move.name;
    button.dataset.verdict = move.verdict;
    const mark = document.createElement("span");
    mark.className = "verdict";
    mark.textContent = `${sign} ${words}`;
    button.append(mark, ` ${at < 9 ? `${at + 1}. ` : ""}${move.sentence}`);
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
      if (data.ask[name]) address.searchParams.set(name, data.ask[name]);
    address.searchParams.set("view", "board");
    const names = namesTo(current);
    if (names.length > 0) address.searchParams.set("line", names.join(" "));
    else address.searchParams.delete("line");
    return address.href;
  }

  // Reloading opens the same position; going back leaves the board, not a move.
  function followLink() {
    if (!parent.isConnected && !parent.host?.isConnected) return;
    window.history.replaceState(window.history.state, "", link());
  }

  async function text() {
    const told = await analyst.tell(current);
    const names = namesTo(current).join(" ");
    const position = told ? `\nPosition: ${JSON.stringify(told.position)}` : "";
    const deal = data.ask.deal ?? JSON.stringify(data.ask.position);
    return `Deal: ${deal}\nRules: ${data.ask.rules}\nMoves: ${names}${position}`;
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
    turn: () => hands.stockMove() && play(hands.stockMove()),
    link: () => copy(link()),
    text: async () => copy(await text()),
    cancel: hands.cancel,
  };
  const keys = {
    ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", Escape: "cancel",
    w: "win", t: "turn",
  };

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("textarea")) return;
    const listed = /^[1-9]$/.test(event.key) ? moves()[Number(event.key) - 1] : undefined;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!listed && !action) return;
    event.preventDefault();
    if (listed) play(listed);
    else actions[action]();
  }

  const board = one(".board");
  board.addEventListener("keydown", onKey);
  board.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button) actions[button.dataset.do]();
  });

  return { load };
}
