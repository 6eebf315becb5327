// What was played on a board, kept in this browser: its branches are there again after a reload or
// another day. Where the browser keeps nothing (private windows, no room), nothing is lost but that.

const MEMORY_KEY = "thoughtful-boards";
const MEMORY_BOARDS = 30; // those used last
const MEMORY_MOVES = 2000; // of a board

function readMemory() {
  try {
    return JSON.parse(window.localStorage.getItem(MEMORY_KEY)) ?? {};
  } catch {
    return {};
  }
}

function remember(id, moves) {
  const { [id]: _, ...others } = readMemory();
  const kept = Object.entries(others).slice(1 - MEMORY_BOARDS);
  if (moves.length > 0 && moves.length <= MEMORY_MOVES) kept.push([id, moves]);
  for (;;) {
    try {
      window.localStorage.setItem(MEMORY_KEY, JSON.stringify(Object.fromEntries(kept)));
      return;
    } catch {
      // There is no room for all of them: the oldest goes.
      if (kept.length === 0) return;
      kept.shift();
    }
  }
}

const remembered = (id) => readMemory()[id] ?? [];
