// Searches that take longer than an answer: the server has them done in the background, and is asked
// again and again what came out. One goes on at a time, for the position on the table.

const LONGER_SECONDS = [10, 100, 1000];
const LONGER_PAUSE = 500; // milliseconds between two questions

// button: begins and cancels; ask: (position, what) -> promise of what the server says; onEnd: (about,
// position, what it said) -> nothing; onError: sentence -> nothing.
function makeLonger(button, ask, onEnd, onError) {
  let offered = null; // {about, position} of a search that may be begun
  let running = null; // the search that goes on, with its seconds

  const tried = ({ about, position }) => position.longer?.[about] ?? 0;

  function show() {
    const seconds = running?.seconds ?? (offered && LONGER_SECONDS[tried(offered)]);
    button.hidden = !seconds;
    button.textContent = `${running ? "Cancel the search of up to" : "Search longer: up to"} ${seconds} s`;
  }

  // Offer a search of "solution" or "regret"; of nothing where there is none to be offered.
  function offer(about, position) {
    offered = about && { about, position };
    show();
  }

  async function begin(search) {
    running = search;
    show();
    const { about, position, seconds } = search;
    try {
      let found = { state: "searching" };
      while (found.state === "searching") {
        found = await ask(position, { about, seconds });
        if (running !== search) return;
        if (found.state === "searching") await new Promise((done) => setTimeout(done, LONGER_PAUSE));
        if (running !== search) return;
      }
      running = null;
      if (found.state !== "done") return;
      position.longer = { ...position.longer, [about]: tried(search) + 1 };
      onEnd(about, position, found);
    } catch (error) {
      if (running !== search) return;
      running = null;
      onError(error.message);
    } finally {
      show();
    }
  }

  function cancel() {
    if (!running) return;
    const { about, position, seconds } = running;
    running = null;
    ask(position, { about, seconds, cancel: true }).catch(() => undefined);
    show();
  }

  const press = () => (running ? cancel() : offered && begin({ ...offered, seconds: LONGER_SECONDS[tried(offered)] }));
  return { button, offer, press, cancel, isRunning: () => running !== null };
}
