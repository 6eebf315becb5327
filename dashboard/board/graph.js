// The graph of the game: for each position of the line how many moves were legal and how many of them
// kept the win. Where just one of several plays did, the next move is made at a critical moment; the
// server says so (`solvers.moments`), since several moves may be one play.

const GRAPH_STEP = 12;
const GRAPH_HEIGHT = 96;
const GRAPH_TOP = 18; // room for the signs of critical moments

const isCritical = ({ next }) => next?.critical === true;

function graphWords(position) {
  const { answer } = position;
  const place = position.depth === 0 ? "Start" : `After move ${position.depth}`;
  if (!answer) return `${place}: not asked yet`;
  const legal = answer.legal === 1 ? "1 legal move" : `${answer.legal} legal moves`;
  if (answer.hidden) return `${place}: ${legal}; the best: ${adviceWords(answer.moves[0]?.advice)}`;
  if (answer.winning === null) return `${place}: ${legal}, which of them keep the win is not known`;
  const words = `${place}: ${legal}, ${answer.winning} of them ${answer.winning === 1 ? "keeps" : "keep"} the win`;
  return isCritical(position) ? `${words}: critical` : words;
}

// Draw the line into an SVG element; `list` gets a button for each critical moment, the same in words.
function drawGraph(picture, list, line, current, onGo) {
  const most = line.reduce((top, { answer }) => Math.max(top, answer?.legal ?? 0), 1);
  const scale = (GRAPH_HEIGHT - GRAPH_TOP) / most;
  const bar = (kind, at, count) =>
    svg("rect", {
      class: kind,
      x: at * GRAPH_STEP + 2,
      y: GRAPH_HEIGHT - count * scale,
      width: GRAPH_STEP - 4,
      height: count * scale,
    });
  const columns = line.map((position, at) => {
    const { answer } = position;
    const column = svg("g", { "data-at": at }, [
      svg("title", {}, [graphWords(position)]),
      svg("rect", { class: "hit", x: at * GRAPH_STEP, y: 0, width: GRAPH_STEP, height: GRAPH_HEIGHT }),
    ]);
    if (answer) {
      column.dataset.legal = answer.legal;
      column.dataset.winning = answer.winning ?? "";
      const chance = answer.moves[0]?.advice?.chance ?? 0;
      column.append(bar("legal", at, answer.legal), bar("winning", at, answer.winning ?? answer.legal * chance));
    }
    if (isCritical(position)) {
      const x = (at + 0.5) * GRAPH_STEP;
      column.append(svg("path", { class: "critical", d: `M${x} 3l5 6l-5 6l-5 -6z` }));
    }
    column.classList.toggle("current", position === current);
    column.addEventListener("click", () => onGo(position));
    return column;
  });
  const width = line.length * GRAPH_STEP;
  picture.setAttribute("viewBox", `0 0 ${width} ${GRAPH_HEIGHT}`);
  picture.setAttribute("width", width);
  picture.setAttribute("height", GRAPH_HEIGHT);
  picture.replaceChildren(...columns);

  const critical = line.filter(isCritical);
  const known = line.filter(({ answer }) => answer).length;
  picture.setAttribute(
    "aria-label",
    line.some(({ answer }) => answer?.hidden)
      ? `Legal moves and the bot's chance to win at ${known} of ${line.length} positions`
      : `Legal and winning moves at ${known} of ${line.length} positions; ` +
          `${critical.length} critical moments, listed below`,
  );
  list.replaceChildren(
    ...critical.map((position) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `◆ move ${position.depth + 1}`;
      button.setAttribute(
        "aria-label",
        `Critical moment, before move ${position.depth + 1}: ` +
          "just one of several plays keeps the win",
      );
      button.addEventListener("click", () => onGo(position));
      return button;
    }),
  );
}
