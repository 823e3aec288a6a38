// Where the figures come from, how they are made, and what the page must not be used for.

function aboutText(facts) {
  const { population } = facts;
  const item = (title, ...words) => [make("dt", {}, title), ...words.map((each) => make("dd", {}, each))];
  const place = document.getElementById("about-text");
  place.append(
    make("div", { class: "columns" },
      make("div", {}, make("h3", {}, "How it is computed"),
        make("p", {}, "The page contains the population of every county by sex, race and age (and by ethnicity), and computes every figure itself. People who share what the record and the attacker's list both show form a group; n people fall at random into b equally likely values (365 birthdays in a year of age)."),
        make("ul", {},
          make("li", {}, "Named correctly: b (1 − (1 − c/b)ⁿ), where c is the chance that a person is on the list."),
          make("li", {}, "Unique: n c (1 − c/b)ⁿ⁻¹; in a group of g or fewer: the sum of the binomial up to g."),
          make("li", {}, "Who is on a voter list: people of each county and age with a chance c of their own, and records of people who moved away or died. These share the values of a group like everybody else, but nobody in the release is theirs; a guess or a claim may fall on one. People of one group with different chances count as a binomial with the same mean and variance."),
          make("li", {}, "Race alone in a release, and race with Hispanic as an answer on the list, or the other way around: each record is compared with all people who may be its own, and each of those n people has 1/n of their figures."),
          make("li", {}, "A file of a share h, where the attacker knows who is in it: the same with c h in place of c, as a share of the people in the file."),
          make("li", {}, "A file from some counties: each county has a share h of its own, so a group that takes in several counties has parts s: b (1 − Π (1 − cₛhₛ/b)ⁿˢ) named correctly. The people of the file are assumed to be drawn at random from those of each county."),
          make("li", {}, "ZIP codes: the people of a county are assigned to its ZIP code areas by chance, to each with its share of the county's people; every figure is the mean over all such assignments. Areas are made of whole ZIP codes; ZIP codes in none of them share one place of the state."),
          make("li", {}, "Two figures, such as 2% to 5%: a field that no source mentions, withheld and released; or a file of which nobody says how many people it holds, from none to all."),
          make("li", {}, "A range behind a figure, such as 43.8% (43.8 to 49.8), with a voter list: who is on it is not known exactly. The range goes from the least to the most of the figure, of every record as that of a resident, and of the records of the federal election before. It is no interval of chance. The chosen states have ranges; maps, tables of states and counties, curves and the CSV have the figure alone."),
          make("li", {}, "Figures are means over how birthdays and homes fall. Where the counts by sex, age, race and county are modeled, each state's table says how far the same model was off where it could be compared with a count."),
          make("li", {}, "Matches that look certain: records that exactly one listed person fits; some are wrong, because the list misses people.")),
        make("p", {}, "Golle 2006; Benitez and Malin 2010. They assume that everyone is in the file and on the list; choose that with “everyone (as in the 2010 paper)”.")),
      make("div", {}, make("h3", {}, "Use it responsibly"),
        make("p", {}, "The figures are expected values over a population. They say nothing about any one person, and no one can be looked up here. Use them to decide what a release may show, what a list should hold, and where a data use agreement is needed."),
        make("p", {}, "Do not use them to choose whom to identify, or to call a release safe without an expert determination. A low figure for everyone can hide a high figure for a few people: look at the counties, and at the people who are unique."),
        make("p", {}, "Voter lists have their own rules. Having a list, and using it to name patients, can break the law of the state, a contract, or HIPAA."))),
    make("details", { class: "sources-of-all" }, make("summary", {}, "Sources and notes"), make("dl", {}, item("People", population.describe, `${population.publisher}, ${population.date}. ${population.how}`), item("Sources of the people", ...population.sources), population.notes.length ? item("Notes on the people", ...population.notes) : [],
      item("Voter lists", `vintage ${facts.vintage}; each fact has its source on the state's card`), item("On the list", facts.listing.title, ...facts.listing.notes, `or by state: ${facts.surveyTitle}`), item("Options", ...facts.notes), facts.counties.notes.length ? item("Map", ...facts.counties.notes) : [],
      item("Program", `policy_sim ${facts.version}; population sha256 ${population.sha256}`))),
    make("h3", {}, "Cite"), make("pre", {}, facts.citation));
}

// The app: settings in, figures out. Every change computes the chosen states first, then the nation.

class App {
  constructor(answers, outlines, pool) {
    const { model } = answers;
    this.model = model;
    this.answers = answers;
    this.pool = pool;
    this.outlines = outlines;
    if (!model.policies.has(DEFAULTS.a)) Object.assign(DEFAULTS, { a: "limited-dataset-paper", b: "safe-harbor-paper" });
    if (!model.byCode.has(DEFAULTS.s)) DEFAULTS.s = model.states[0].code;
    this.view = viewFrom(location.hash, model);
    this.run = 0;
    this.curveRuns = 0;
    this.policies = this.chosenPolicies();
    this.controls = new Controls(this);
    this.tip = document.getElementById("tip");
    this.person = new Person(this);
    addEventListener("hashchange", () => {
      if (location.hash === fragmentOf(this.view)) return;
      this.view = viewFrom(location.hash, model);
      this.update();
    });
    this.measure();
    addEventListener("resize", () => {
      cancelAnimationFrame(this.resized);
      this.resized = requestAnimationFrame(() => (this.measure(), this.redraw()));
    });
    addEventListener("keydown", (event) => event.key === "Escape" && this.showTip(null));
    addEventListener("scroll", () => this.showTip(null), { passive: true });
    this.actions();
    aboutText(model.facts);
  }

  chosenPolicies() {
    return { a: policyOf(this.view.a, this.model), b: this.view.b ? policyOf(this.view.b, this.model) : null };
  }

  set(changes) {
    if ((changes.s ?? this.view.s) !== this.view.s && changes.from === undefined && !this.froms.has(changes.s)) Object.assign(this.view, { from: "" }); // counties of another state
    Object.assign(this.view, changes);
    if (this.view.m.endsWith("cost") && this.view.who === "everyone") this.view.m = "risk";
    for (const name of ["ready", "ranged"]) delete document.documentElement.dataset[name];
    this.later(() => this.update());
  }

  reset() {
    const { s, h, from } = this.view;
    this.view = { ...DEFAULTS, s, h, from };
    this.update();
    this.say("The settings are as at the start; the state and the file stay.");
  }

  later(work) {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(work);
  }

  say(words) {
    document.getElementById("said").textContent = words;
  }

  releases() {
    return ["a", "b"].filter((name) => this.policies[name]);
  }

  chosenStates() {
    return [this.view.s, this.view.s2].filter(Boolean).map((code) => this.model.byCode.get(code));
  }

  /** Those states, and all from which the file comes. */
  askedStates() {
    return [...new Set([...this.chosenStates(), ...[...this.froms.keys()].map((code) => this.model.byCode.get(code))])];
  }

  /** The setting of a state: a file may come from some of its counties. */
  settingFor(state) {
    const from = this.froms.get(state.code);
    return from ? { ...this.setting, from } : this.setting;
  }

  /** The figures of a chosen state under a release. */
  figures(name, state) {
    return this.own[name].get(state.code);
  }

  /** What to ask of each state. Small groups take longest by ZIP code: of all states only where they are shown. */
  question(whole) {
    const releases = Object.fromEntries(this.releases().map((name) => [name, this.view[name]]));
    return { releases, setting: this.setting, g: whole || this.view.m === "distinct" ? this.setting.g : 1 };
  }

  /** What a worker may look at while nothing is asked: what one change of the settings would ask, the likeliest first. */
  likely() {
    const { view, model } = this;
    const { g, releases } = this.question(false);
    const shown = Object.values(releases);
    const asked = (changed, policies, more) => policies.map((release) => ({ release, setting: settingOf(changed), g, ...more }));
    const after = (changes, more) => asked({ ...view, ...changes }, shown, more);
    const whole = { g: view.g, tell: true }; // with small groups, as the page needs them of a chosen state
    const states = after({}, whole);
    const who = after({ who: view.who === "list" ? "everyone" : "list" }, whole);
    const sizes = g > 1 ? after({}, { sizes: true }) : [];
    const listed = view.who === "list" ? [...this.controls.coveragesNear(), "adults", "survey", "registered"].flatMap((cov) => after({ cov })) : [];
    const edits = view.who === "list" ? Object.keys(LIST_EDITS).flatMap((name) => EDIT_WORDS[name].flatMap((word) => after({ [name]: word }, { keep: false }))) : [];
    const quick = [...model.policies.values()].filter((policy) => !policy.byState).map((policy) => policy.name); // the others take long
    return [...states, ...listed, ...who, ...sizes, ...edits, ...asked({ ...DEFAULTS, who: view.who, h: view.h }, quick, { g: 1, keep: false })];
  }

  update() {
    this.policies = this.chosenPolicies();
    this.setting = settingOf(this.view);
    this.froms = fromsOf(this.view, this.model);
    this.from = this.froms.get(this.view.s) ?? null; // of the chosen state
    const fragment = fragmentOf(this.view);
    if (location.hash !== fragment) history.replaceState(null, "", fragment || location.pathname + location.search);
    this.controls.show();
    for (const name of ["ready", "ranged"]) delete document.documentElement.dataset[name];
    this.run++;
    this.nation = this.evaluateStates();
  }

  /** The chosen states at once and here, all others in workers. */
  async evaluateStates() {
    const { run } = this;
    const nationAsked = this.pool.ask({ ...this.question(false), likely: this.likely() });
    const chosen = this.askedStates().map((state) => this.answers.of(state, { ...this.question(true), setting: this.settingFor(state) }));
    [this.own, this.results] = [0, 1].map(() => Object.fromEntries(this.releases().map((name) => [name, new Map()])));
    this.prices = new Map();
    this.take(chosen, this.own);
    const asked = this.rangesAsked();
    drawAnswer(this);
    drawState(this);
    this.evaluateRanges(asked);
    if (run === 1) keepRoom(this);
    const nation = document.getElementById("nation");
    clearTimeout(this.busyWaits);
    this.busyWaits = setTimeout(() => nation.setAttribute("aria-busy", "true"), 150);
    this.pending = true;
    const found = await nationAsked;
    if (run !== this.run || !found) return;
    clearTimeout(this.busyWaits);
    nation.removeAttribute("aria-busy");
    this.pending = false;
    this.take([...found, ...chosen.filter(({ code }) => !this.froms.has(code))], this.results);
    drawNation(this);
    drawPlaces(this);
    document.documentElement.dataset.ready = String(run);
  }

  /** The figures of the chosen states that have a range which is not known yet: what to ask. */
  rangesAsked() {
    const asked = this.askedStates().flatMap((state) => this.releases().map((name) => ({ result: this.figures(name, state), code: state.code, release: this.view[name], setting: this.settingFor(state), g: this.setting.g })));
    const names = (each) => this.model.othersIn(this.model.byCode.get(each.code), each.setting);
    for (const each of asked) each.result.others ??= each.result.each.length && names(each).length ? null : [];
    return asked.filter(({ result }) => result.others === null);
  }

  /** Fill in the ends of ranges after the figures. */
  async evaluateRanges(asked) {
    const { run } = this;
    if (asked.length) {
      const found = await this.pool.askRanges(asked.map(({ result, ...question }) => question));
      if (!found) return;
      found.forEach((others, i) => (asked[i].result.others = others));
      if (run !== this.run) return;
      drawAnswer(this);
      drawNumbers(this);
    }
    document.documentElement.dataset.ranged = String(run);
  }

  take(answers, into) {
    for (const { code, results, price } of answers) {
      for (const name in results) into[name].set(code, results[name]);
      this.prices.set(code, price);
    }
  }

  /** Draw again what is known, at another size or in other colors. */
  redraw() {
    if (this.pending) return;
    drawNation(this);
    drawState(this);
    drawPlaces(this);
  }

  /** Read once how wide the charts may be: reading it later would lay the page out again. */
  measure() {
    this.widths = Object.fromEntries(["place", "curve"].map((id) => [id, document.getElementById(id).clientWidth || 480]));
  }

  price(state) {
    return this.prices.get(state.code) ?? null;
  }

  showTip(element, area) {
    const { tip } = this;
    tip.hidden = !element;
    if (!element) return;
    tip.replaceChildren(make("strong", {}, area.name), make("span", {}, area.words), ...(area.more ?? []).map((line) => make("small", {}, line)));
    const box = element.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : Math.min(box.bottom + 8, innerHeight - tip.offsetHeight - 8)}px`;
  }

  actions() {
    const on = (id, work) => document.getElementById(id).addEventListener("click", work);
    on("copy-link", async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        this.say("Link copied.");
        flash("copy-link", "Copied");
      } catch {
        flash("copy-link", "Copy the address bar");
      }
    });
    on("get-csv", async () => {
      saveText("explorer.csv", await csvOf(this));
      this.say("CSV downloaded.");
    });
    on("print", () => print());
    on("theme", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      this.showTheme();
      this.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (this.showTheme(), this.redraw()));
    this.showTheme();
    const settings = document.getElementById("settings");
    const narrow = matchMedia("(max-width: 900px)");
    settings.open = !narrow.matches;
    narrow.addEventListener("change", () => (settings.open = !narrow.matches));
    addEventListener("beforeprint", () => document.querySelectorAll("#table-twin, .sources-of-all").forEach((each) => (each.open = true)));
  }

  showTheme() {
    const button = document.getElementById("theme");
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", `Change to ${isDark() ? "light" : "dark"} colors`);
  }
}

function flash(id, words) {
  const button = document.getElementById(id);
  const before = button.textContent;
  button.textContent = words;
  setTimeout(() => (button.textContent = before), 1600);
}

function saveText(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function start() {
  const names = ["facts", "zip-parts", "areas", "factors", "chances", "lengths", "people", "listing", "listing-earlier", "hispanic-chances", "hispanic-lengths", "hispanics"];
  const bytes = Object.fromEntries(names.map((name) => [name, bytesOf(`data-${name}`)]));
  const [model, stateShapes, countyShapes] = await Promise.all([modelFrom(bytes), inflated(bytesOf("data-state-shapes")), inflated(bytesOf("data-county-shapes"))]);
  const known = model.facts;
  const { people } = model;
  const answers = new Answers(model);
  const shapes = known.shapes;
  const outlines = new Outlines(known, shapesOf(stateShapes, shapes.state.codes.length), shapesOf(countyShapes, shapes.county.codes.length));
  document.documentElement.dataset.unpacked = ""; // every section is shown, so that its width can be read
  const app = new App(answers, outlines, new Pool(answers, bytes));
  app.update();
  // For tests and for readers who want the numbers: nothing in the page needs it.
  globalThis.explorer = {
    evaluate: (code, policy, setting) => model.evaluate(model.byCode.get(code), policyOf(policy, model), setting),
    counties: (code, policy, setting) => model.counties(model.byCode.get(code), policyOf(policy, model), setting),
    curve: (code, policy, setting, most) => model.curve(model.byCode.get(code), policyOf(policy, model), setting, most),
    price: (code, setting) => model.price(model.byCode.get(code), setting),
    ratio: ratioOf,
    ratioRange,
    rangeOf,
    modelError: (code, policy, setting, measure) => modelErrorOf(known, model.evaluate(model.byCode.get(code), policyOf(policy, model), setting), measure),
    people: (county) => Array.from(people.county(known.counties.code.indexOf(county))),
    set: (changes) => app.set(changes),
    csv: () => csvOf(app),
    app,
  };
}

start().catch((error) => {
  document.getElementById("answer-text").replaceChildren(make("p", { class: "lead" }, "This browser cannot unpack the page. It needs a version of 2023 or later."), make("p", { class: "help" }, String(error.message)));
});
