// Asks the server; its answer as data, or an error with the sentence that it gave.

const BUSY = 503;
const BUSY_TRIES = 100; // of a server that is busy, a second apart: kernels are compiled once on a machine
const BUSY_PAUSE = 1000;
const BOARD_ADDRESS = "./api/board/"; // relative to the page: it may be served below a folder

// The words of an error as a sentence; they begin with a small letter, or with a name such as thoughtful-1:5.
function asSentence(words) {
  const capital = /^[a-z]+ /.test(words) ? words[0].toUpperCase() + words.slice(1) : words;
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

async function askServer(what, body) {
  let response;
  for (let tries = 1; ; tries += 1) {
    try {
      response = await fetch(BOARD_ADDRESS + what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    } catch {
      throw new Error("The server does not answer; try again when it is back.");
    }
    const again = response.status === BUSY && response.headers.get("Retry-After") === "1";
    if (!again || tries === BUSY_TRIES) break;
    await new Promise((done) => setTimeout(done, BUSY_PAUSE));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail ? asSentence(answer.detail) : `The server answered with status ${response.status}.`);
  return answer;
}
