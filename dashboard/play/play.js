// The table on which people play. It knows no rules: legal moves, hints and what a move changes come from
// the server. Nothing is told that was not asked for: the face-down cards are hidden, moves have no
// verdicts.
//
// data: {
//   id: changes with what is to be opened,
//   games: [{rules, title, game, levels, dealer: {slug, title, first, last}}] that can be chosen, each with the slug of its
//     game, whether levels of its deals are known, and whose numbers these have,
//   open: null, or what the link asks for: the same of its rules and {kind} with {deal, name} of a "deal", {date} of
//     a "daily" or {theme, key} of a "puzzle"; of "new" any deal is wanted,
//   bands: which levels are easy, medium and hard, in words,
//   sheet: null, or the sheet that is shown first: "daily" or "puzzles",
//   rules: null, or the rules that are chosen there,
//   puzzles: {rules: {theme: words}} of those of which there are puzzles,
//   today: the date of today at the server,
// }
//
// Before this file stands `SCRIPTS`, for each family of games a function of a layout that makes what its script
// defines, {GAME, tableIn}.

let GAME = null; // the layout of the game that is played, which `cards.js` and `hands.js` use

const WATCH_PAUSE = 1200; // milliseconds between the moves of a line that plays by itself
const KEEP_PAUSE = 400; // milliseconds without a move before the game is kept
const LOWEST = 700; // units, at least, of the height of a table on which all cards are seen
const PASSES_MOST = 2; // through the stock without any other change
const FINISH_PAUSE = 90; // milliseconds between two moves that are made by themselves

const plays = new WeakMap();

export default function ({ parentElement, data }) {
  let play = plays.get(parentElement);
  if (!play) {
    play = makePlay(parentElement);
    plays.set(parentElement, play);
  }
  play.attach();
  play.load(data);
  return () => play.detach();
}

function makePlay(parent) {
  const one = (selector) => parent.querySelector(selector);
  const root = one(".play");
  const stage = one(".stage");
  const table = makeFelt(stage);
  let data = { id: null };
  let settings = playSettings();
  let game = null; // as `games.js` keeps it
  let tree = null;
  let current = null;
  let shown = null;
  let errand = 0; // an answer that was asked for before this number changed comes too late
  let finishing = false;
  let looked = null; // for mistakes: {key, found}
  let watching = false; // whether the table shows another line than the game
  let covered = false; // whether the address is that of the sheet which was opened first
  let fresh = null; // the position after the last move of the player
  let early = null; // a key that came before the moves were known
  let keepTimer = null;
  let forgotten = null; // a game that is kept again only if it is played on
  let since = null; // when the clock was started last

  const cardWords = (name) =>
    table.cards.get(name)?.classList.contains("down") && !game.open
      ? "A face-down card"
      : `${RANK_WORDS[name[0]]} of ${SUIT_WORDS[name[1]]}`;
  const moves = () => [...(current?.answer?.moves ?? []), ...(current?.answer?.groups ?? [])];
  // Nothing is played on a line that is only watched.
  const view = () => ({ piles: current.piles, moves: watching ? [] : moves(), known: Boolean(current.answer ?? current.refused) });
  const hands = makeHands(table, view, play, announce, () => settings.quick);
  const question = (position) => ({ ...game.ask, moves: namesTo(position) });
  const sheet = makeSheet(one(".sheet"));
  // An errand: whether its answer comes in time.
  const beginErrand = () => {
    const mine = ++errand;
    return () => mine === errand;
  };
  const shared = {
    table,
    game: () => game,
    current: () => current,
    isBusy: () => finishing,
    ...{ question, beginErrand, say, quiet, light, cardWords, keep, play, over, retry, noteLoss, stopClock, watch },
    toStart: () => go(tree.root),
    another: () => deal(game.ask.rules, settings.band),
    open: (ask, rules) => open(ask, { ...offered(rules), kind: "puzzle" }),
  };
  const hints = makeHints(shared);
  const puzzles = makePuzzles(shared);

  // --- games -----------------------------------------------------------------------------------------

  function load(given) {
    if (given.id === data.id) return;
    data = given;
    const { open } = data;
    covered = data.sheet !== null;
    const kept = openGame(({ ask, kind }) =>
      open
        ? kind === "deal" && ask.rules === open.rules && (open.kind === "new" || JSON.stringify(ask.deal) === JSON.stringify(open.deal))
        : kind !== "puzzle",
    );
    if (open?.kind === "daily") daily(open.date, open.rules, open);
    else if (open?.kind === "puzzle") puzzles.begin(open.rules, open.theme, open.key);
    else if (kept) resume(kept);
    else if (open?.kind === "new") deal(open.rules, settings.band);
    else if (open) begin(open);
    else deal(offered(settings.rules).rules, settings.band);
    if (data.sheet) sheets[data.sheet](null, data.rules);
  }

  // What is known of rules: of those that are offered, else of those that are on the table.
  function offered(rules) {
    const known = [...data.games, data.open, game && { ...game, rules: game.ask.rules, levels: game.level !== null }];
    return known.find((each) => each?.rules === rules) ?? data.games[0];
  }

  // A new deal of that kind, as hard as is wanted.
  async function deal(rules, wanted) {
    const { title, game: of, levels } = offered(rules);
    const band = levels ? wanted : "any";
    remember(rules, band);
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    await open(() => askServer("deal", { rules, band, key }), { title, game: of, kind: "deal" });
  }

  // The rules of the next new game, if they are offered.
  function remember(rules, band) {
    if (!data.games.some((each) => each.rules === rules)) return;
    settings = { ...settings, rules, band };
    keepSettings(settings);
  }

  // The deal of a number, whether it can be won or not.
  function numbered(rules, number) {
    const { title, game: of, levels, dealer } = offered(rules);
    remember(rules, levels ? settings.band : "any");
    const name = `${dealer.slug}:${number}`;
    begin({ rules, title, game: of, deal: name, name });
  }

  // The deal of a day; a game of it that was begun goes on.
  async function daily(date, rules, ruleset = offered(rules)) {
    const kept = openGame((each) => each.kind === "daily" && each.date === date && each.ask.rules === rules);
    if (kept) return resume(kept);
    return open(() => askServer("daily", { rules, date }), { ...ruleset, kind: "daily", date });
  }

  async function open(ask, what) {
    const mine = ++errand;
    say(what.kind === "puzzle" ? "Making a puzzle … That can take a minute." : "Dealing … The first deal on a new machine takes a minute or two.");
    try {
      const found = await ask();
      if (mine === errand) begin({ ...what, name: found.deal, sure: true, ...found });
    } catch (error) {
      if (mine === errand) say(error.message, [["Try again", () => open(ask, what)]], "bad");
    }
  }

  // sure: whether the deal is known to be winnable.
  function begin({ rules, title, game: of, deal: cards, name = null, kind = "deal", date = null, level = null, level_name = null, sure = false, puzzle: riddle = null }) {
    const now = Date.now();
    start(
      {
        id: newId(),
        game: of,
        title,
        ask: { rules, deal: cards },
        ...{ name, kind, date, level, level_name, sure, begun: now, seen: now, seconds: 0, moves: 0, undone: 0, hints: 0, checks: 0 },
        ...{ open: riddle !== null, mistakes: null, result: null, tree: [], line: [], puzzle: riddle },
      },
      null,
    );
  }

  const newId = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(1))[0]}`;

  const resume = (kept) => start(kept, kept.tree);

  // The first position comes from the server; what was played in it is grown again.
  async function start(next, played) {
    const mine = ++errand;
    keep();
    try {
      const answer = await askServer("table", { ...next.ask, moves: [] });
      if (mine !== errand) return;
      stopClock(); // of the game before
      game = next;
      tree = makeTree(answer.piles);
      tree.root.answer = answer;
      tree.grow(played ?? []);
      current = tree.root;
      for (const name of next.line) {
        const found = current.children.find(({ move }) => move.name === name);
        if (!found) break;
        current = found;
      }
      finishing = false;
      root.classList.toggle("left", settings.left);
      showTitle();
      layOut();
      showAddress();
      quiet();
      if (game.puzzle) puzzles.prepare(game.ask.rules, game.puzzle.theme);
      go(current);
      if (game.name !== null && game.level === null && offered(game.ask.rules).levels) grade(game);
      if (tree.root.children.length > 0) startClock();
    } catch (error) {
      if (mine === errand) say(error.message, [["Try again", () => start(next, played)]], "bad");
    }
  }

  // Ask for the level of a deal that was not chosen by it. The game goes on without one if that fails.
  async function grade(graded) {
    const found = await askServer("level", { ...graded.ask, moves: [] }).catch(() => null);
    if (found === null) return;
    Object.assign(graded, found, { sure: graded.sure || found.sure });
    if (graded !== game) return;
    keep();
    showTitle();
    if (current.depth === 0) one(".sentence").textContent = opening();
  }

  const showTitle = () => {
    one(".title").textContent = titleOf(game);
  };

  const titleOf = ({ title, kind, date, level_name, name }) =>
    [title, kind === "daily" ? `daily, ${date}` : kind === "puzzle" ? "puzzle" : name ? `deal ${numberOf(name)}` : null, level_name?.toLowerCase()]
      .filter(Boolean)
      .join(" · ");

  const numberOf = (name) => name.split(":").at(-1);

  function again() {
    const { ask: asked, ...own } = game;
    begin({ ...own, rules: asked.rules, deal: asked.deal });
  }

  // --- the table ---------------------------------------------------------------------------------------

  function layOut() {
    if (!game) return;
    const { script, layout } = tree.root.answer.drawing;
    const own = SCRIPTS[script](layout);
    const box = { width: stage.clientWidth, height: stage.clientHeight, left: settings.left };
    // Who sees all cards sees those of the stock, too.
    if (own.tableIn && !game.open) GAME = own.tableIn(box, current.piles);
    else GAME = { ...own.GAME };
    table.element.classList.toggle("large", settings.large && !game.open);
    table.element.classList.toggle("hiding", !game.open);
    table.lay(current.piles);
    shown = null;
    show();
  }

  // Where all cards are seen, columns may grow until they need a smaller table.
  function fit() {
    if (game.open || !GAME.unit) {
      const height = Math.max(LOWEST, GAME.height(current.piles));
      GAME.unit = Math.min(stage.clientWidth / GAME.width, stage.clientHeight / height);
    }
    table.element.style.setProperty("--unit", `${GAME.unit}px`);
  }

  function show() {
    fit();
    table.show(current.piles, new Set(current.move ? current.move.moved : []));
    light([]);
    one('[data-do="undo"]').disabled = current.depth === 0 || finishing;
    showClock();
    showChoices();
    hands.refresh(shown !== current);
    shown = current;
  }

  // Of moves to the same position but for the order of cells or columns one is listed.
  const listed = () => view().moves.filter((move) => !move.same_as);

  function showChoices() {
    const list = one(".choices");
    const focused = list.contains(parent.activeElement ?? document.activeElement);
    list.replaceChildren(
      ...listed().map((move, at) =>
        el("li", {}, button(`${at < 9 ? `${at + 1}. ` : ""}${game.open ? move.sentence : move.foreseen}`, () => play(move))),
      ),
    );
    if (focused) (list.querySelector("button") ?? stage).focus();
  }

  function announce(name, targets) {
    const words = targets === 0 ? "no place to go" : `${counted(targets, "place")} to go`;
    one(".sentence").textContent = `${cardWords(name)}: ${words}.`;
  }

  // --- playing -------------------------------------------------------------------------------------------

  function go(position) {
    errand += 1;
    hints.leave();
    early = null;
    watching = false;
    current = position;
    delete position.refused;
    tree.choose(position);
    const { move, depth } = position;
    if (game.result === null) game.moves = depth;
    one(".sentence").textContent = move ? `Move ${depth}: ${move.whole ?? move.sentence}` : opening();
    show();
    ask(position);
    clearTimeout(keepTimer);
    keepTimer = setTimeout(keep, KEEP_PAUSE);
  }

  const opening = () =>
    game.puzzle
      ? `Only one of ${game.puzzle.plays} plays keeps the win: which card?`
      : `${game.title}.${game.sure ? " This deal can be won." : ""}`;

  function play(move) {
    if (finishing) return;
    forgotten = null;
    quiet();
    startClock();
    fresh = move.steps ? playGroup(move.steps, move.sentence) : tree.play(current, move);
    go(fresh);
    if (game.puzzle) puzzles.assess(current);
  }

  // The position after moves that are taken back together, all but the first of them `within` what one sentence
  // says; with `also` they belong to the move before, too.
  function playGroup(steps, sentence, also = false) {
    let position = current;
    steps.forEach((step, at) => {
      position = tree.play(position, { ...step, within: also || at > 0, whole: at + 1 === steps.length ? sentence : null });
    });
    return position;
  }

  // Safe cards follow the move of the player, who has asked for that.
  function playSafe(steps) {
    fresh = null;
    const { whole, sentence } = current.move;
    go(playGroup(steps, `${whole ?? sentence} Then ${counted(steps.length, "card")} went up.`, true));
  }

  async function ask(position) {
    if (!position.answer) {
      try {
        position.answer = await askServer("table", question(position));
      } catch (error) {
        position.refused = error.message;
      }
    }
    if (position !== current) return;
    if (position.refused) {
      say(position.refused, [["Try again", () => go(position)]], "bad");
      return;
    }
    position.piles = position.answer.piles;
    show();
    if (early) {
      const waited = early;
      early = null;
      press(waited);
      if (position !== current) return;
    }
    const { won, moves: legal, safe, finish } = position.answer;
    if (won && !game.puzzle) over("won");
    else if (game.result !== null || game.puzzle) return;
    else if (settings.safe && fresh === position && safe.length > 0 && finish.length === 0) playSafe(safe);
    else if (finish.length > 0) say("The rest goes to the foundations by itself.", [["Finish", autoFinish, "main"]]);
    else if (legal.length === 0) say("There is no legal move left.", [["Undo", undo], ["End the game", () => over("lost")]], "bad");
    else if (position.move?.moved.length === 0 && timesBefore(position) >= PASSES_MOST)
      say("Two passes through the stock have changed nothing.", [["Check", hints.check], ["Hint", hints.hint], ["End the game", () => over("lost")]], "bad");
  }

  // How often the same cards have lain like this before, on the way to a position.
  function timesBefore(position) {
    const own = JSON.stringify(position.piles);
    let times = 0;
    for (let at = position.parent; at; at = at.parent) times += JSON.stringify(at.piles) === own ? 1 : 0;
    return times;
  }

  async function autoFinish() {
    forgotten = null;
    quiet();
    finishing = true;
    const mine = errand;
    for (const move of current.answer.finish) {
      current = tree.play(current, move);
      tree.choose(current);
      show();
      await new Promise((done) => setTimeout(done, FINISH_PAUSE));
      if (mine !== errand) break;
    }
    finishing = false;
    if (mine === errand) go(current);
  }

  function undo() {
    if (finishing || current.depth === 0) return;
    quiet();
    if (game.result === null) game.undone += 1;
    let before = current;
    while (before.move.within) before = before.parent;
    go(before.parent);
  }

  function redo() {
    if (finishing || !current.next) return;
    let after = current.next;
    while (after.next?.move.within) after = after.next;
    go(after);
  }

  // --- clock and keeping -----------------------------------------------------------------------------------

  function startClock() {
    if (since === null && game.result === null) since = Date.now();
  }

  function stopClock() {
    if (since !== null) game.seconds += (Date.now() - since) / 1000;
    since = null;
  }

  const seconds = () => game.seconds + (since === null ? 0 : (Date.now() - since) / 1000);

  function showClock() {
    if (game) one(".clock").textContent = `${clock(seconds())} · ${counted(game.moves, "move")}`;
  }

  const keepable = ([before, { name, sentence, foreseen, moved, changes, within, whole }]) => [
    before,
    { name, sentence, foreseen, moved, changes, ...(within ? { within } : {}), ...(whole ? { whole } : {}) },
  ];

  function keep() {
    clearTimeout(keepTimer);
    if (!game || game === forgotten || !tree || (tree.root.children.length === 0 && game.result === null)) return;
    game.seconds = seconds();
    if (since !== null) since = Date.now();
    Object.assign(game, { seen: Date.now(), tree: tree.record().map(keepable), line: namesTo(current) });
    keepGame(game);
  }

  // Reloading opens the same game.
  function showAddress() {
    if (covered || (!parent.isConnected && !parent.host?.isConnected)) return;
    const query = queryOf(game);
    if (!query) return; // a position is as the link gave it
    const [page, title] = { daily: ["daily", "Deal of the day"], puzzle: ["puzzles", "Puzzles"] }[game.kind] ?? ["play", "Play"];
    const address = new URL(`./${page}`, window.location.href);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    window.history.replaceState(window.history.state, "", address.href);
    document.title = `${title} · Thoughtful`;
  }

  // --- notices: what is said above the bar -------------------------------------------------------------------

  function say(sentence, actions = [], kind = "") {
    const notice = one(".notice");
    const pressed = notice.querySelector(":focus")?.textContent;
    notice.className = `notice ${kind}`;
    notice.replaceChildren(
      el("p", {}, sentence),
      ...actions.map(([text, act, style]) => (act instanceof Element ? act : button(text, act, { class: style ?? "" }))),
      button("✕", close, { "aria-label": "Close" }),
    );
    notice.hidden = false;
    if (pressed) [...notice.querySelectorAll("button")].find((each) => each.textContent === pressed)?.focus();
  }

  function quiet() {
    one(".notice").hidden = true;
    light([]);
  }

  // The notice goes, and with it another line that the table showed.
  function close() {
    quiet();
    if (watching) go(current);
  }

  // Outline these cards, and no others.
  function light(names) {
    for (const [name, card] of table.cards) card.classList.toggle("hinted", names.includes(name));
  }

  function retry(position) {
    sheet.close();
    quiet();
    // What is over stays as it ended: this is another game.
    if (game.result !== null) game = { ...game, id: newId(), result: null, mistakes: null, retried: true };
    go(position);
    say("Here it can still be won.", [["Hint", hints.hint]]);
  }

  // --- the end -------------------------------------------------------------------------------------------

  function over(result) {
    quiet();
    if (game.result === null) {
      forgotten = null;
      stopClock();
      game.result = result;
      keep();
    }
    sheets.end();
  }

  // {listed, undecided, keeps, limit, hopeless}: the positions after moves that lost a win, of all lines that were
  // played, in the order of play; the ends of the lines of which it was not found, the number of moves after which
  // the longest of them could still be won, and the time that did not suffice; whether there never was a win. It is
  // looked for once for each state of a game.
  function mistakes() {
    const { id, moves: made, undone } = game;
    const key = `${id} ${made} ${undone} ${tree.positions().length}`;
    if (looked?.key !== key) {
      looked = { key, found: findMistakes(game, tree) };
      looked.found.catch(() => {
        looked = null;
      });
    }
    return looked.found;
  }

  async function findMistakes(of, grown) {
    const leaves = [grown.root, ...grown.positions()].filter(({ children }) => children.length === 0);
    const found = new Set();
    const undecided = [];
    let keeps = 0;
    let limit = null;
    let hopeless = false;
    for (const leaf of leaves) {
      leaf.loss ??= await askServer("regret", { ...of.ask, moves: namesTo(leaf) });
      const { kind, step } = leaf.loss;
      hopeless ||= kind === "unwinnable";
      if (kind === "undecided") {
        undecided.push(leaf);
        keeps = Math.max(keeps, step ?? 0);
        limit ??= leaf.loss.limit;
      }
      if (kind !== "move") continue;
      let losing = leaf;
      while (losing.depth > step + 1) losing = losing.parent;
      found.add(losing);
    }
    const order = grown.positions();
    const listed = [...found].sort((a, b) => a.depth - b.depth || order.indexOf(a) - order.indexOf(b));
    of.mistakes = undecided.length === 0 || hopeless ? listed.length : "not known";
    if (of === game) keep();
    else if (of !== forgotten) keepGame(of);
    return { listed, undecided, keeps, limit, hopeless };
  }

  // What a longer search found of the loss of a line.
  function noteLoss(leaf, loss) {
    leaf.loss = loss;
    looked = null;
  }

  // All games are deleted, that on the table too, unless it is played on.
  function forget() {
    clearTimeout(keepTimer);
    const isDone = forgetGames();
    if (isDone) forgotten = game;
    return isDone;
  }

  const sheets = makeSheets({
    sheet,
    data: () => data,
    game: () => game,
    settings: () => settings,
    change,
    deal,
    numbered,
    daily,
    puzzle: puzzles.begin,
    resume,
    again,
    retry,
    mistakes,
    noteLoss,
    question,
    over,
    forget,
    line: () => tree.line(),
    win: () => askServer("solution", { ...game.ask, moves: [] }),
    watch,
    seconds,
  });

  function change(what) {
    settings = { ...settings, ...what };
    keepSettings(settings);
    root.classList.toggle("left", settings.left);
    layOut();
  }

  // Show another line on the table, move by move, without counting it as played; by itself until a button
  // is pressed, if asked to.
  function watch(steps, title = "A win, from the start.", { more = [], byItself = false } = {}) {
    sheet.close();
    const isWatched = beginErrand();
    let at = 0;
    let timer = null;
    const positions = [tree.root.piles];
    for (const step of steps) positions.push(pilesAfter(positions.at(-1), step));
    watching = true;
    hands.refresh(true);
    showChoices();
    const pause = () => {
      clearInterval(timer);
      timer = null;
    };
    const turn = (by) => {
      at = Math.min(Math.max(at + by, 0), steps.length);
      table.show(positions[at], new Set(at > 0 ? steps[at - 1].moved : []));
      const words = at === 0 ? title : `${at} of ${steps.length}: ${steps[at - 1].sentence}`;
      one(".sentence").textContent = words;
      say(words, [
        timer !== null && ["Pause", () => stepTo(0)],
        ["Back", () => stepTo(-1)],
        ["Next", () => stepTo(1), "main"],
        ["To my game", close],
        ...more,
      ].filter(Boolean));
    };
    const stepTo = (by) => {
      pause();
      turn(by);
    };
    if (byItself)
      timer = setInterval(() => {
        if (!isWatched()) pause();
        else if (at + 1 < steps.length) turn(1);
        else stepTo(1);
      }, WATCH_PAUSE);
    turn(0);
  }

  // --- buttons, keys and the window ---------------------------------------------------------------------------

  const actions = {
    undo,
    redo,
    hint: hints.hint,
    check: hints.check,
    menu: () => sheets.menu(),
    new: () => sheets.newGame(),
    turn: () => hands.stockMove() && play(hands.stockMove()),
    cancel: () => {
      close();
      hands.cancel();
    },
  };
  const keys = { u: "undo", h: "hint", c: "check", m: "menu", n: "new", t: "turn", Escape: "cancel", ArrowLeft: "undo", ArrowRight: "redo" };

  function onKey(event) {
    if (one(".sheet").open || !game || event.altKey || event.target.matches?.("textarea, input")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
      const action = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[key];
      if (!action) return;
      event.preventDefault();
      actions[action]();
      return;
    }
    const isListed = /^[1-9]$/.test(key);
    if (!isListed && !keys[key]) return;
    event.preventDefault();
    press(isListed ? key : keys[key]);
  }

  // A number of the list, or an action; what needs the moves waits until they are known.
  function press(what) {
    const needsMoves = what === "turn" || actions[what] === undefined;
    if (needsMoves && !view().known) {
      early = what;
      return;
    }
    const chosen = listed()[Number(what) - 1];
    if (chosen) play(chosen);
    else actions[what]?.();
  }

  const onClick = (event) => {
    const pressed = event.target.closest?.("[data-do]");
    if (pressed && game) actions[pressed.dataset.do]();
    else if (pressed && data.id !== null) sheets.newGame(); // there is nothing else to do yet
  };
  const onVisibility = () => {
    if (!game) return;
    if (document.hidden) {
      stopClock();
      keep();
    } else if (tree.root.children.length > 0) startClock();
  };
  function onSheetClosed() {
    if (!covered) return;
    covered = false;
    if (game) showAddress();
  }
  const resizing = new ResizeObserver(layOut);
  const listeners = [
    [root, "click", onClick],
    [document, "keydown", onKey],
    [document, "visibilitychange", onVisibility],
    [window, "pagehide", keep],
    [one(".sheet"), "close", onSheetClosed],
  ];
  let ticking = null;

  function attach() {
    if (ticking !== null) return;
    ticking = setInterval(showClock, 1000);
    for (const [element, kind, act] of listeners) element.addEventListener(kind, act);
    resizing.observe(stage);
  }

  function detach() {
    if (ticking === null) return;
    keep();
    clearInterval(ticking);
    ticking = null;
    for (const [element, kind, act] of listeners) element.removeEventListener(kind, act);
    resizing.disconnect();
  }

  return { load, attach, detach };
}
