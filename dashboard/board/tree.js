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

  return { root, play, choose, line };
}

// The names of the moves that lead to a position.
function namesTo(position) {
  const names = [];
  for (let at = position; at.parent; at = at.parent) names.push(at.move.name);
  return names.reverse();
}
