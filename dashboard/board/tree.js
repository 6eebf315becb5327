// The game as a tree: the line is the way from the start through each position's `next` child; another
// move in the middle begins a branch, and nothing that was played is forgotten.

function makeTree(piles) {
  const root = { move: null, piles, parent: null, children: [], next: null, depth: 0 };

  // The position after a move, on the line from now on; a move played before leads where it led.
  function play(from, move) {
    let child = from.children.find((other) => other.move.name === move.name);
    if (!child) {
      child = {
        move,
        piles: pilesAfter(from.piles, move),
        parent: from,
        children: [],
        next: null,
        depth: from.depth + 1,
      };
      from.children.push(child);
    }
    from.next = child;
    return child;
  }

  // Put a position of any branch on the line.
  function choose(position) {
    for (let at = position; at.parent; at = at.parent) at.parent.next = at;
  }

  function line() {
    const positions = [];
    for (let at = root; at; at = at.next) positions.push(at);
    return positions;
  }

  // Every position but the root, parents first, the one on the line last of its siblings.
  function positions() {
    const found = [root];
    for (let at = 0; at < found.length; at += 1) {
      const { children, next } = found[at];
      found.push(...children.filter((child) => child !== next), ...(next ? [next] : []));
    }
    return found.slice(1);
  }

  // All that was played as plain data, [[number of the position before, move], ...], and back.
  function record() {
    const numbers = new Map([[root, 0]]);
    return positions().map((position, at) => {
      numbers.set(position, at + 1);
      return [numbers.get(position.parent), position.move];
    });
  }

  function grow(moves) {
    const grown = [root];
    for (const [before, move] of moves) grown.push(play(grown[before], move));
  }

  return { root, play, choose, line, positions, record, grow };
}

// The names of the moves that lead to a position.
function namesTo(position) {
  const names = [];
  for (let at = position; at.parent; at = at.parent) names.push(at.move.name);
  return names.reverse();
}
