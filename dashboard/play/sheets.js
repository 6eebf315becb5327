// The sheets over the table: new game, menu, my games, daily deals, puzzles, and the end of a game with its
// review.

const BANDS = [
  ["easy", "Easy"],
  ["medium", "Medium"],
  ["hard", "Hard"],
  ["any", "Surprise me"],
];

// Shows one thing at a time in a dialog.
function makeSheet(dialog) {
  let leave = null; // ends what goes on for what is shown
  function left() {
    leave?.();
    leave = null;
  }
  function show(title, ...parts) {
    left();
    dialog.replaceChildren(
      el(
        "div",
        { class: "head" },
        el("h2", { id: "sheet-title", tabindex: "-1" }, title),
        button("✕", close, { "aria-label": "Close" }),
      ),
      ...parts.filter(Boolean),
    );
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("h2").focus();
    dialog.scrollTop = 0;
  }
  const close = () => dialog.open && dialog.close();
  // A tap beside the sheet closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  dialog.addEventListener("close", left);
  const onLeave = (act) => {
    leave = act;
  };
  return { show, close, onLeave };
}

const RULESETS_SHOWN = 6; // on a phone the bands are seen below them

// play: what the sheets may do and ask, as `play.js` gives it.
function makeSheets(play) {
  const { sheet } = play;
  const then = (act) => () => {
    sheet.close();
    act();
  };
  const link = (text, address) => el("a", { class: "action", href: address }, text);

  // A choice of one of the rulesets, the last ones folded; at first the one that was played last, if it is
  // among them.
  function choice(rulesets, { first = play.settings().rules, onChoice = () => {} } = {}) {
    let chosen = (rulesets.find(({ rules }) => rules === first) ?? rulesets[0]).rules;
    const buttons = rulesets.map(({ rules, title }) =>
      button(
        title,
        () => {
          chosen = rules;
          for (const each of buttons) each.setAttribute("aria-checked", String(each.value === rules));
          onChoice(rules);
        },
        { role: "radio", value: rules, "aria-checked": String(rules === chosen) },
      ),
    );
    const more = buttons.slice(RULESETS_SHOWN);
    const fold =
      more.length > 0 &&
      el(
        "details",
        { open: more.some(({ value }) => value === chosen) },
        el("summary", {}, "More games"),
        el("div", { class: "grid", role: "radiogroup", "aria-label": "More games" }, ...more),
      );
    const few = buttons.slice(0, RULESETS_SHOWN);
    const shown = el("div", { class: "grid", role: "radiogroup", "aria-label": "Game" }, ...few);
    const choices = el("div", {}, shown, fold || "");
    return { choices, chosen: () => chosen };
  }

  function newGame() {
    const { games: offered } = play.data();
    const dealerOf = (rules) => offered.find((each) => each.rules === rules).dealer;
    const deals = el("div", {});
    const number = el("input", {
      id: "deal-number",
      inputmode: "numeric",
      pattern: "[0-9]+",
      title: "A whole number",
      maxlength: "19",
      required: true,
      oninput: ({ target }) => target.setCustomValidity(""),
    });
    const label = el("label", { for: "deal-number" });
    const { choices, chosen } = choice(offered, { onChoice: offer });
    const form = el(
      "form",
      {
        class: "by-number",
        onsubmit: (event) => {
          event.preventDefault();
          const { first, last } = dealerOf(chosen());
          const wanted = BigInt(number.value);
          const isDealt = BigInt(first) <= wanted && wanted <= BigInt(last);
          number.setCustomValidity(isDealt ? "" : `Numbers go from ${first} to ${last}.`);
          if (number.reportValidity()) then(() => play.numbered(chosen(), wanted))();
        },
      },
      label,
      number,
      el("button", { type: "submit" }, "Deal it"),
    );
    // Where no levels are known there is nothing to choose.
    function offer(rules) {
      const { levels, dealer } = offered.find((each) => each.rules === rules);
      const bands = levels ? BANDS : [["any", "Deal"]];
      deals.replaceChildren(
        el("h3", {}, levels ? "How hard? A tap deals." : "A deal that can be won"),
        el(
          "div",
          { class: "grid" },
          ...bands.map(([band, words]) => button(words, then(() => play.deal(rules, band)), { class: "main" })),
        ),
        levels ? el("p", {}, `Each of these can be won. ${play.data().bands}`) : "",
      );
      label.textContent = `${dealer.title ? `Or ${dealer.title}’s number` : "Or a deal by its number"}, whether it can be won or not`;
    }
    offer(chosen());
    sheet.show(
      "New game",
      choices,
      deals,
      form,
      el("div", { class: "grid" }, button("Deal of the day", daily), button("My games", games)),
    );
  }

  function menu() {
    const game = play.game();
    const settings = play.settings();
    const toggle = (words, name) =>
      el(
        "label",
        { class: "switch" },
        el("input", { type: "checkbox", checked: settings[name], onchange: ({ target }) => play.change({ [name]: target.checked }) }),
        words,
      );
    const board = () => {
      const address = new URL("./", window.location.href);
      const { rules, deal } = game.ask;
      const query = { deal, rules, view: "board", line: game.line.join(" "), cards: game.open ? "" : "hidden" };
      for (const [name, value] of Object.entries(query)) if (value) address.searchParams.set(name, value);
      return address.href;
    };
    sheet.show(
      "Menu",
      el(
        "div",
        { class: "grid" },
        button("New game", newGame),
        button("Begin this deal again", then(play.again)),
        button("Review my moves", review),
        button("Deal of the day", daily),
        button("My games", games),
        game.result === null && button("Give up", then(() => play.over("lost"))),
        button("Share", () => share()),
      ),
      el("h3", {}, "Table"),
      el(
        "label",
        { class: "switch" },
        el("input", {
          type: "checkbox",
          checked: game.open,
          onchange: ({ target }) => {
            game.open = target.checked;
            play.change({});
          },
        }),
        "Show the face-down cards in this game",
      ),
      toggle("Large print", "large"),
      toggle("Left-handed", "left"),
      toggle("A tap moves a card that has one place to go", "quick"),
      toggle("Cards that are needed no more go up by themselves", "safe"),
      el("h3", {}, "Other pages"),
      el(
        "div",
        { class: "grid" },
        link("Puzzles", game.ask.rules in play.data().puzzles ? `./puzzles?rules=${game.ask.rules}` : "./puzzles"),
        link("Check my game", `./check?rules=${game.ask.rules}`),
        link("Find a deal", "./find"),
        typeof game.ask.deal === "string" && link("Analysis board", board()),
        link("Catalogue", "./"),
      ),
      el("h3", { class: "keys" }, "Keys"),
      el("p", { class: "keys" }, "1 to 9 play a listed move, T turns the stock, U or Ctrl+Z undoes, H hints, C checks, N deals, M opens this menu, Escape lets go."),
    );
  }

  // --- the end, and what it was like -------------------------------------------------------------------

  function facts(game) {
    const rows = [
      ["Moves", game.moves],
      ["Taken back", game.undone],
      ["Time", clock(play.seconds())],
      ["Hints", game.hints],
      ["Checks", game.checks],
      ["Mistakes", game.mistakes ?? "…"],
      ["Level", game.level_name ?? "–"],
    ];
    return el(
      "table",
      { "data-testid": "facts" },
      el("tbody", {}, ...rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, String(value))))),
    );
  }

  function end() {
    const game = play.game();
    const place = el("div", {}, facts(game));
    sheet.show(
      game.result !== "won" ? "Not won this time" : game.retried ? "Won, after another try" : "Won",
      place,
      el(
        "div",
        { class: "grid" },
        button("Next deal", then(() => play.deal(game.ask.rules, play.settings().band)), { class: "main" }),
        button("Review", review),
        button("Begin this deal again", then(play.again)),
        button("Share", () => share()),
      ),
    );
    if (game.mistakes === null)
      play
        .mistakes()
        .then(() => place.replaceChildren(facts(game)))
        .catch(() => undefined);
  }

  async function review() {
    const game = play.game();
    const place = el("div", {}, el("p", { role: "status" }, "Looking through your moves …"));
    sheet.show("Review", place);
    try {
      const { listed, undecided, keeps, limit, hopeless } = await play.mistakes();
      const line = play.line();
      const win = await play.win();
      const own = el(
        "ol",
        {},
        ...line.slice(1).map((position) => el("li", { class: listed.includes(position) ? "mistake" : "" }, position.move.sentence)),
      );
      const words =
        listed.length > 0
          ? `${counted(listed.length, "move")} lost the win.`
          : hopeless
            ? "It could not be won from the start, whatever you play."
            : undecided.length > 0
              ? `${limit ? `Where a win was lost was not found within ${limit}.` : "Where a win was lost is not known: no solver decided it."} ${keeps ? `After move ${keeps} it was not lost yet.` : ""}`
              : "No move lost the win.";
      const longer = hopeless ? null : searchLonger(undecided, review);
      place.replaceChildren(
        el("p", { "data-testid": "review" }, words),
        longer ?? "",
        el(
          "ol",
          { class: "plain", "data-testid": "mistakes" },
          ...listed.map((losing) =>
            el(
              "li",
              {},
              el("p", {}, `Move ${losing.depth} lost it: ${losing.move.sentence}`),
              button("Retry from there", () => play.retry(losing.parent)),
            ),
          ),
        ),
        el("h3", {}, "Your moves beside a win"),
        el(
          "div",
          { class: "lines" },
          el("div", {}, el("p", {}, `Yours: ${counted(line.length - 1, "move")}`), own),
          win.moves.length > 0
            ? el(
                "div",
                {},
                el("p", {}, `A win: ${counted(win.moves.length, "move")}`),
                el("ol", {}, ...win.moves.map(({ sentence }) => el("li", {}, sentence))),
              )
            : el("p", {}, hopeless || win.verdict === "unwinnable" ? "There is no win." : "No win was found within a second."),
        ),
        el(
          "div",
          { class: "grid" },
          win.moves.length > 0 && button("Watch the win", () => play.watch(win.moves, undefined, { byItself: true })),
          button(game.result === null ? "Go on playing" : "To the table", sheet.close),
        ),
      );
    } catch (error) {
      place.replaceChildren(el("p", { role: "alert" }, error.message));
    }
  }

  // A button for longer searches of where the lines with these ends were lost, one after another; null if there is
  // none to be offered.
  function searchLonger(ends, then) {
    const left = ends.filter(({ loss }) => loss.limit);
    if (left.length === 0) return null;
    for (const end of left) end.asked = play.question(end);
    const status = el("p", { role: "status" }, "");
    const longer = makeLonger(
      button("", () => longer.press()),
      (position, what) => askServer("longer", { ...position.asked, ...what }),
      (_, position, found) => {
        play.noteLoss(position, found);
        left.shift();
        if (left.length === 0) then();
        else {
          longer.offer("regret", left[0]);
          longer.press();
        }
      },
      (sentence) => {
        status.textContent = sentence;
      },
    );
    longer.offer("regret", left[0]);
    sheet.onLeave(longer.cancel);
    return el("div", {}, longer.button, status);
  }

  // A text without the cards or the way, to be pasted anywhere.
  function share() {
    const game = play.game();
    const query = queryOf(game);
    const address = new URL(game.puzzle ? "./puzzles" : "./play", window.location.href);
    for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, value);
    const result = {
      won: `Won in ${counted(game.moves, "move")}, ${clock(play.seconds())}, ${counted(game.hints, "hint")}`,
      lost: "Not won. Can you?",
    }[game.result] ?? "Can you win it?";
    const mistakes = game.result === "won" && typeof game.mistakes === "number" ? `, ${counted(game.mistakes, "mistake")}` : "";
    const head = [game.title, game.kind === "daily" ? game.date : null, game.level_name].filter(Boolean).join(" · ");
    const box = el("textarea", { rows: "4", readonly: true, "aria-label": "Text to share", "data-testid": "shared" });
    // A position of its own has no link.
    box.value = [head, result + mistakes, query && address.href].filter(Boolean).join("\n");
    sheet.show("Share", box, el("p", { role: "status" }, ""), el("div", { class: "grid" }, button("Copy", copy, { class: "main" })));
    async function copy() {
      box.select();
      // A page that is not served by HTTPS may not write to the clipboard: the text is chosen.
      const copied = await navigator.clipboard?.writeText(box.value).then(() => true, () => false);
      box.nextElementSibling.textContent = copied ? "Copied." : "The text is chosen: copy it with Ctrl+C.";
    }
  }

  // --- games of this browser ----------------------------------------------------------------------------

  const RESULTS = { won: "won", lost: "not won" };

  function games() {
    const kept = keptGames().toReversed();
    const open = kept.filter(({ result, tree }) => result === null && tree);
    const ended = kept.filter(({ result }) => result !== null);
    const when = (at) => new Date(at).toLocaleDateString();
    const about = ({ title, level_name, name, date, kind }) =>
      [title, kind === "daily" ? `daily ${date}` : kind === "puzzle" ? "puzzle" : null, kind === "daily" ? null : level_name, name ? `deal ${name.split(":").at(-1)}` : null].filter(Boolean).join(" · ");
    sheet.show(
      "My games",
      el("p", {}, "They are kept in this browser alone."),
      el("h3", {}, "Unfinished"),
      open.length > 0
        ? el(
            "ul",
            { class: "plain", "data-testid": "open-games" },
            ...open.map((game) => el("li", {}, button(`${about(game)}, ${counted(game.moves, "move")}`, then(() => play.resume(game))))),
          )
        : el("p", {}, "None."),
      ended.length === 0 && el("p", {}, "No game is finished yet."),
      el("h3", {}, "Won, by rules and level"),
      el(
        "table",
        { "data-testid": "win-rates" },
        el("thead", {}, el("tr", {}, ...["Rules", "Level", "Won"].map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...summary(kept).map(({ title, level, played, won }) =>
            el("tr", {}, el("td", {}, title), el("td", {}, level), el("td", { class: "number" }, `${won} of ${played}`)),
          ),
        ),
      ),
      el("h3", {}, "History"),
      el(
        "ul",
        { class: "plain", "data-testid": "history" },
        ...ended.slice(0, 100).map((game) =>
          el("li", {}, `${when(game.seen)}: ${about(game)}: ${RESULTS[game.result]}, ${counted(game.moves, "move")}, ${clock(game.seconds)}, ${counted(game.hints, "hint")}`),
        ),
      ),
      ended.length > 100 && el("p", {}, `${ended.length - 100} older ones are in the export.`),
      el(
        "div",
        { class: "grid" },
        el("a", { class: "action", download: "thoughtful-games.json", href: exported(kept) }, "Export"),
        button("Delete all", () => {
          sheet.show(
            "Delete all games of this browser?",
            el("div", { class: "grid" }, button("Delete", forget, { class: "main" }), button("Keep them", games)),
          );
        }),
      ),
    );
  }

  function forget() {
    if (play.forget()) games();
  }

  const exported = (kept) => `data:application/json,${encodeURIComponent(JSON.stringify(kept, null, 1))}`;

  // --- the deal of the day ----------------------------------------------------------------------------

  function daily(month = null, rules = null) {
    if (typeof month !== "string") month = null; // an event of a button
    const { today, games: offered } = play.data();
    const shown = month ?? today.slice(0, 7);
    const { choices, chosen: chosenRules } = choice(offered, {
      first: rules ?? play.settings().rules,
      onChoice: (other) => daily(shown, other),
    });
    const chosen = chosenRules();
    const kept = keptGames().filter(({ kind, retried }) => kind === "daily" && !retried);
    const own = new Map(kept.filter(({ ask }) => ask.rules === chosen).map((game) => [game.date, game]));
    const [year, number] = shown.split("-").map(Number);
    const first = new Date(year, number - 1, 1);
    const days = new Date(year, number, 0).getDate();
    const open = (date) => then(() => play.daily(date, chosen));
    const day = (at) => {
      const date = isoDay(new Date(year, number - 1, at));
      const result = own.get(date)?.result;
      const words = { won: ", won", lost: ", not won" }[result] ?? (own.has(date) ? ", begun" : "");
      return button(result === "won" ? `${at} ✓` : String(at), open(date), {
        class: result ?? "",
        disabled: date > today,
        "aria-label": `${date}${words}`,
        "aria-current": date === today ? "date" : null,
      });
    };
    const turn = (by) => () => daily(isoDay(new Date(year, number - 1 + by, 1)).slice(0, 7), chosen);
    const run = streak(kept, today);
    sheet.show(
      "Deal of the day",
      el("p", {}, `The same for everyone; of most games Monday’s is the easiest of the week and Sunday’s the hardest. ${run > 0 ? `${counted(run, "day")} in a row won.` : ""}`),
      choices,
      el(
        "div",
        { class: "grid", style: "margin-top: 12px" },
        button("Today", open(today), { class: "main" }),
        button("Yesterday", open(dayBefore(today))),
      ),
      el(
        "div",
        { class: "head" },
        button("←", turn(-1), { "aria-label": "Month before" }),
        el("h3", {}, first.toLocaleDateString("en", { month: "long", year: "numeric" })),
        button("→", turn(1), { "aria-label": "Month after", disabled: shown >= today.slice(0, 7) }),
      ),
      el(
        "div",
        { class: "calendar", "data-testid": "calendar" },
        ...["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name) => el("span", { class: "weekday", "aria-hidden": "true" }, name)),
        ...Array.from({ length: (first.getDay() + 6) % 7 }, () => el("span", { "aria-hidden": "true" })),
        ...Array.from({ length: days }, (_, at) => day(at + 1)),
      ),
    );
  }

  // --- puzzles ---------------------------------------------------------------------------------------------

  function puzzles(_, rules = null) {
    const themes = play.data().puzzles;
    const titled = play.data().games.filter((each) => each.rules in themes);
    const shown = el("div", { class: "grid" });
    const { choices, chosen } = choice(titled, { first: rules ?? play.settings().rules, onChoice: offer });
    offer(chosen());
    const tried = keptGames().filter(({ kind, result, retried }) => kind === "puzzle" && result !== null && !retried);
    const right = tried.filter(({ result }) => result === "won").length;
    sheet.show(
      "Puzzles",
      el("p", {}, "Only one play keeps the game winnable: find it. All cards are seen. A play is a card that is moved for good, with the moves that prepare it."),
      choices,
      el("h3", {}, "Theme"),
      shown,
      tried.length > 0 && el("p", { "data-testid": "puzzles-solved" }, `${right} of ${counted(tried.length, "puzzle")} solved.`),
    );

    function offer(chosen) {
      shown.replaceChildren(
        button("Any theme", then(() => play.puzzle(chosen, null)), { class: "main" }),
        ...Object.entries(themes[chosen]).map(([theme, words]) => button(words, then(() => play.puzzle(chosen, theme)))),
      );
    }
  }

  return { newGame, menu, end, review, games, daily, puzzles };
}
