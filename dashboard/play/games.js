// The games that were played in this browser: the last of them with all their moves, the others as a
// line of the history. Where the browser keeps nothing (private windows, no room), nothing is lost but
// that.
//
// game: {
//   id, game: slug, title: of the rules, ask: {rules, deal}, name: of the deal or null, kind: "deal", "daily"
//     or "puzzle", level, level_name, date: of a daily game,
//   begun, seen: milliseconds since 1970, seconds, moves, undone, hints, checks, open: whether all cards were shown,
//   sure: whether the deal is known to be winnable, retried: whether it goes on from a game that was over,
//   mistakes: the number of moves that lost the win, "not known", or null until they are looked for,
//   result: null while it goes on, "won" or "lost",
//   puzzle: null, or {theme, key, plays: their number, words: of its themes, solution: steps},
//   tree: what was played, as `makeTree` records it, line: names of the moves to where it was left,
// }

const GAMES_KEY = "thoughtful-games";
const GAMES_MOST = 2000;
const GAMES_WITH_MOVES = 30; // those played last
const SETTINGS_KEY = "thoughtful-play";

function readStored(key, otherwise) {
  try {
    return JSON.parse(window.localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function writeStored(key, value) {
  try {
    window.localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

const keptGames = () => {
  const games = readStored(GAMES_KEY, []);
  return Array.isArray(games) ? games : [];
};

// Keep a game as the one played last; without room the moves of the oldest go first, then these games.
function keepGame(game) {
  let games = [...keptGames().filter(({ id }) => id !== game.id), game].slice(-GAMES_MOST);
  const bare = ({ tree: _, line: __, ...rest }) => rest;
  games = games.map((each, at) => (at < games.length - GAMES_WITH_MOVES ? bare(each) : each));
  while (!writeStored(GAMES_KEY, games)) {
    const oldest = games.findIndex(({ tree }) => tree);
    if (oldest >= 0 && oldest < games.length - 1) games[oldest] = bare(games[oldest]);
    else if (games.length > 1) games.shift();
    else return;
  }
}

const forgetGames = () => writeStored(GAMES_KEY, []);

// The game to go on with: the one played last that is not over and has its moves.
const openGame = (wanted = () => true) =>
  keptGames().findLast((game) => game.result === null && game.tree && wanted(game));

// By rules and level: [{title, level, played, won}], most played first. Games that go on do not count, nor
// those that were tried again from a position before their loss.
function summary(games) {
  const groups = new Map();
  for (const { title, level_name, kind, result, retried } of games) {
    if (result === null || kind === "puzzle" || retried) continue;
    const level = kind === "daily" ? "deal of the day" : (level_name ?? "–");
    const key = `${title}\n${level}`;
    const group = groups.get(key) ?? { title, level, played: 0, won: 0 };
    group.played += 1;
    group.won += result === "won" ? 1 : 0;
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.played - one.played);
}

// Days in a row, up to today or yesterday, whose daily deal was won under any rules.
function streak(games, today) {
  const won = new Set(games.filter(({ kind, result, retried }) => kind === "daily" && result === "won" && !retried).map(({ date }) => date));
  let day = won.has(today) ? today : dayBefore(today);
  let days = 0;
  for (; won.has(day); day = dayBefore(day)) days += 1;
  return days;
}

const isoDay = (date) =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

function dayBefore(iso) {
  const [year, month, day] = iso.split("-").map(Number);
  return isoDay(new Date(year, month - 1, day - 1));
}

// What the player chose, of all games: {rules, band, large, left, quick, safe}.
const playSettings = () => ({ rules: null, band: "easy", large: false, left: false, quick: true, safe: false, ...readStored(SETTINGS_KEY, {}) });
const keepSettings = (settings) => writeStored(SETTINGS_KEY, settings);

// What leads to a game in a link; null of a position that has no name.
function queryOf({ ask: { rules, deal }, kind, date, puzzle }) {
  if (puzzle) return { rules, key: puzzle.key, ...(puzzle.theme ? { theme: puzzle.theme } : {}) };
  if (kind === "daily") return { rules, date };
  return typeof deal === "string" ? { rules, deal } : null;
}
