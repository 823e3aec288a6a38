// What is drawn: the answer, the nation, the chosen states.

const RELEASE = { a: "A", b: "B" };

function badge(name) {
  return make("span", { class: `badge ${name}`, "aria-hidden": "true" }, RELEASE[name]);
}

/** Put children into a place; the focus stays on the element with the same data-focus or data-code. */
function replaceIn(id, ...children) {
  const place = typeof id === "string" ? document.getElementById(id) : id;
  const active = place.contains(document.activeElement) ? document.activeElement.dataset : null;
  const [name, value] = active?.focus ? ["focus", active.focus] : active?.code ? ["code", active.code] : [];
  place.replaceChildren(...children.flat().filter(Boolean));
  if (name) place.querySelector(`[data-${name}="${value}"][tabindex], button[data-${name}="${value}"]`)?.focus({ preventScroll: true });
}

function sentence(app, state, name) {
  const { view, policies, results } = app;
  const result = results[name].get(state.code);
  const policy = policies[name];
  const release = make("strong", { class: `release-name ${name}` }, policyName(policy));
  if (!result.each.length) {
    const why = result.reason ? `: ${result.reason.replace(/\.$/, "")}` : "";
    return make("p", { class: "lead" }, `${state.name}: nobody can link a release under `, release, ` to the voter list (${STATUS_WORDS[result.status] ?? result.status}${why}).`);
  }
  const who = view.who === "list" ? `someone with the voter list of ${state.name}` : "someone who knows everyone";
  const file = view.h === 1 ? "people" : "people in the file";
  const knows = view.h === 1 ? "" : `, who knows that its target is among the ${percent(view.h)} of people in the file,`;
  return make("p", { class: "lead" }, `In ${state.name}, under `, release, `: matching at random within equal groups, ${who}${knows} would be right for `,
    make("strong", {}, written("risk", valueOf(result, "risk"))), ` of the ${file}; `, make("strong", {}, written("alone", valueOf(result, "alone"))), " are alone with their values and certain to be matched.");
}

function drawAnswer(app) {
  const state = app.model.byCode.get(app.view.s);
  const releases = app.releases();
  replaceIn("answer-text", releases.map((name) => sentence(app, state, name)));
  const tiles = [];
  const [a, b] = releases.map((name) => app.results[name].get(state.code));
  const add = (title, value, words) => tiles.push(make("div", { class: "tile" }, make("span", { class: "tile-title" }, title), make("span", { class: "tile-value" }, value), make("span", { class: "tile-words" }, words)));
  if (a.each.length) {
    const people = between([a.low.risk, a.high.risk], whole);
    add(`${policyName(app.policies.a)}: correct matches`, people, `of ${whole(a.records)} ${app.view.h === 1 ? "people" : "people in the file"}`);
    if (b?.each.length) {
      add(`${policyName(app.policies.b)}: correct matches`, between([b.low.risk, b.high.risk], whole), `of ${whole(b.records)}`);
      add("A over B", between(ratioOf(a, b, "risk"), times), "times the correct matches (trust differential)");
    }
    if (app.view.who === "list") {
      const price = app.price(state);
      add("Per correct match under A", written("cost", valueOf(a, "cost", price)), price.usd === null ? STATUS_WORDS[price.status] ?? price.status : `the list: ${dollars(price.usd)}${price.status === "at_least" ? " at least" : ""}`);
      add("Claims that are right, A", written("precision", valueOf(a, "precision")), `${between([a.low.claims, a.high.claims], whole)} claims`);
    } else add(`In a group of ${app.view.g} or fewer, A`, written("distinct", valueOf(a, "distinct")), `${between([a.low.distinct, a.high.distinct], whole)} people`);
  }
  replaceIn("tiles", tiles);
}

/** The values of a measure in every state under a release. */
function areasOf(app, name) {
  const { model, results, view } = app;
  return new Map(model.states.map((state) => {
    const result = results[name].get(state.code);
    const ends = valueOf(result, view.m, app.price(state));
    const why = result.each.length ? (view.m === "cost" || view.m === "claimcost" ? statusOfPrice(app, state) : "no claims are expected") : STATUS_WORDS[result.status] ?? result.status;
    const words = ends ? written(view.m, ends) : why;
    const more = result.each.length ? [`right at random ${written("risk", valueOf(result, "risk"))}`, `alone ${written("alone", valueOf(result, "alone"))}`, `${whole(state.people)} people`] : [result.reason];
    return [state.code, { name: state.name, ends, words, more }];
  }));
}

function statusOfPrice(app, state) {
  const price = app.price(state);
  return price && price.usd === null ? `price ${STATUS_WORDS[price.status] ?? price.status}` : "no match is expected";
}

function drawNation(app) {
  const { view } = app;
  const releases = app.releases();
  const turned = MEASURES[view.m].unit === "usd" || view.m === "precision" ? MEASURES[view.m].unit === "usd" : false;
  const areas = Object.fromEntries(releases.map((name) => [name, areasOf(app, name)]));
  const ends = releases.flatMap((name) => [...areas[name].values()].map((area) => area.ends)).filter(Boolean);
  app.limits = view.hold ? view.hold.split(",").map(Number) : limitsOf(ends.flatMap((pair) => pair), MEASURES[view.m].unit === "share");
  measureChoice(app);
  const kinds = new Set(releases.flatMap((name) => [...areas[name].values()].map((area) => fillOf(area.ends, app.limits, turned).kind)));
  replaceIn("legend", make("p", { class: "help" }, MEASURES[view.m].help.replace("g others", `${view.g} others`)), legend(app.limits, view.m, kinds, turned));
  const onchoose = (code) => app.set({ s: code });
  const figures = releases.map((name) => make("figure", { class: "map-figure" },
    make("figcaption", {}, badge(name), make("strong", {}, policyName(app.policies[name])), make("span", { class: "quiet" }, ` ${shownBy(app.policies[name].fields, app.policies[name].top)}`)),
    stateMap(app.outlines, areas[name], { limits: app.limits, turned, chosen: view.s, other: view.s2, onchoose, ontip: (element, area) => app.showTip(element, area),
      label: `Map, release ${RELEASE[name]}: ${MEASURES[view.m].title}. Arrow keys move between states, Enter chooses one. The table below has every figure.` })));
  const maps = document.getElementById("maps");
  maps.classList.toggle("single", releases.length === 1);
  replaceIn(maps, figures);
  drawTable(app);
}

function measureChoice(app) {
  const place = document.getElementById("measure-choice");
  if (!place.firstChild) {
    const select = make("select", { id: "measure", onchange: (event) => app.set({ m: event.target.value }) }, Object.entries(MEASURES).map(([name, { title }]) => option(name, title)));
    const hold = make("input", { type: "checkbox", id: "hold", onchange: (event) => app.set({ hold: event.target.checked ? app.limits.join(",") : "" }) });
    place.append(make("div", { class: "choices" }, make("div", { class: "inline" }, make("label", { for: "measure" }, "Show"), select), make("label", { class: "check", for: "hold" }, hold, "Hold the color scale")));
  }
  const select = document.getElementById("measure");
  for (const each of select.options) {
    each.disabled = app.view.who !== "list" && each.value.endsWith("cost");
    if (each.value === "distinct") each.textContent = `In a group of ${app.view.g} or fewer`;
  }
  select.value = app.view.m;
  document.getElementById("hold").checked = Boolean(app.view.hold);
}

/** The columns of the table: each with a head, a value to sort by and a text; share columns get a bar. */
function columnsOf(app) {
  const { results, view, policies } = app;
  const measure = (name, key) => ({
    id: `${name}${key}`, head: `${key === "distinct" ? `In groups of ${view.g} or fewer` : MEASURES[key].title}`, release: name, bar: MEASURES[key].unit === "share" && key !== "precision",
    ends: (state) => valueOf(results[name].get(state.code), key, app.price(state)), write: (ends) => written(key, ends),
  });
  const columns = [];
  const shown = ["risk", "alone", ...(["risk", "alone"].includes(view.m) ? [] : [view.m])];
  for (const name of app.releases()) columns.push(...shown.map((key) => measure(name, key)));
  if (policies.b) columns.push({ id: "ratio", head: "A over B, right at random", ends: (state) => ratioOf(results.a.get(state.code), results.b.get(state.code), "risk"), write: (ends) => between(ends, times) });
  if (view.who === "list") {
    columns.push({ id: "price", head: "Price of the list", ends: (state) => { const { usd } = app.price(state); return usd === null ? null : [usd, usd]; }, write: (ends) => between(ends, dollars) });
    if (view.m !== "cost") columns.push(measure("a", "cost"));
  }
  return columns;
}

function drawTable(app) {
  const { model, view } = app;
  const columns = columnsOf(app);
  const [down, by] = view.sort.startsWith("-") ? [true, view.sort.slice(1)] : [false, view.sort];
  const column = columns.find((each) => each.id === by);
  const states = [...model.states];
  if (column) {
    const value = new Map(states.map((state) => [state, column.ends(state)?.[0] ?? null]));
    states.sort((x, y) => (value.get(x) === null) - (value.get(y) === null) || (down ? -1 : 1) * (value.get(x) - value.get(y)));
  } else if (by === "state" && down) states.reverse();
  const head = (id, words, extra) => {
    const current = by === id || (id === "state" && !column);
    const order = current ? (down ? "descending" : "ascending") : "none";
    const next = by === id && down ? id : by === id ? `-${id}` : id === "state" ? "-state" : `-${id}`;
    return make("th", { scope: "col", "aria-sort": order, class: extra }, make("button", { type: "button", "data-focus": `sort-${id}`, onclick: () => app.set({ sort: next }) }, words));
  };
  const most = Math.max(...columns.filter((each) => each.bar).flatMap((each) => states.map((state) => each.ends(state)?.[1] ?? 0)), 1e-12);
  const rows = states.map((state) => {
    const chosen = state.code === view.s || state.code === view.s2;
    return make("tr", { class: chosen ? "chosen" : null },
      make("th", { scope: "row" }, make("button", { type: "button", class: "link", "data-focus": `row-${state.code}`, onclick: () => app.set({ s: state.code }) }, state.name)),
      columns.map((each) => {
        const ends = each.ends(state);
        const result = each.release ? app.results[each.release].get(state.code) : app.results.a.get(state.code);
        const why = ends ? null : each.id === "price" || each.id.endsWith("cost") ? statusOfPrice(app, state).replace("price ", "") : STATUS_WORDS[result.status] ?? UNKNOWN;
        const bar = ends && each.bar ? make("span", { class: `bar ${each.release}`, style: `width:${((100 * ends[1]) / most).toFixed(2)}%`, "aria-hidden": "true" }) : null;
        return make("td", { class: ends ? null : "why" }, bar, make("span", { class: "figure" }, ends ? each.write(ends) : why));
      }));
  });
  replaceIn("table", make("table", {},
    make("caption", { class: "visually-hidden" }, "Figures of every state, as on the maps"),
    make("thead", {}, make("tr", {}, head("state", "State"), columns.map((each) => head(each.id, each.release ? [badge(each.release), ` ${each.head}`] : [each.head])))),
    make("tbody", {}, rows)));
}

function drawState(app) {
  const { view, model } = app;
  const place = document.getElementById("state-choice");
  if (!place.firstChild) {
    const states = () => model.states.map((state) => option(state.code, state.name));
    place.append(make("div", { class: "inline" }, make("label", { for: "state-one" }, "State"), make("select", { id: "state-one", onchange: (event) => app.set({ s: event.target.value }) }, states())),
      make("div", { class: "inline" }, make("label", { for: "state-two" }, "beside"), make("select", { id: "state-two", onchange: (event) => app.set({ s2: event.target.value }) }, option("", "no other"), states())));
    const radio = (name) => make("label", { class: "check" }, make("input", { type: "radio", name: "county-release", value: name, onchange: () => app.set({ county: name }) }), badge(name), make("span", { "data-release": name }));
    document.getElementById("county-choice").append(radio("a"), radio("b"));
  }
  document.getElementById("state-one").value = view.s;
  document.getElementById("state-two").value = view.s2;
  document.getElementById("state-title").textContent = app.chosenStates().map((state) => state.name).join(" and ");
  drawNumbers(app);
  drawPlaces(app);
  drawCurves(app);
  drawCounties(app);
  replaceIn("lists", app.chosenStates().map((state) => listCard(app, state)));
}

function drawNumbers(app) {
  const { results, view, policies } = app;
  const columns = app.chosenStates().flatMap((state) => app.releases().map((name) => ({ state, name, result: results[name].get(state.code), price: app.price(state) })));
  const rows = [
    ["People in the file", ({ result }) => (result.each.length ? whole(result.records) : STATUS_WORDS[result.status] ?? result.status)],
    [MEASURES.risk.title, ({ result }) => withPeople(result, "risk")],
    [MEASURES.alone.title, ({ result }) => withPeople(result, "alone")],
    [`In a group of ${view.g} or fewer`, ({ result }) => withPeople(result, "distinct")],
    ["Claims of the attacker", ({ result }) => withPeople(result, "claims")],
    [MEASURES.precision.title, ({ result }) => written("precision", valueOf(result, "precision"))],
  ];
  if (view.who === "list") {
    rows.push(["Price of the list", ({ price }) => [price.usd === null ? STATUS_WORDS[price.status] ?? price.status : dollars(price.usd), price.reason ? make("small", {}, price.reason) : null]]);
    rows.push([MEASURES.cost.title, ({ result, price }) => written("cost", valueOf(result, "cost", price))]);
    rows.push([MEASURES.claimcost.title, ({ result, price }) => written("claimcost", valueOf(result, "claimcost", price))]);
  }
  rows.push(["Linked by", ({ result }) => keyWords(result)]);
  replaceIn("numbers", make("div", { class: "scroll", role: "region", "aria-label": "Figures of the chosen states", tabindex: 0 }, make("table", { class: "numbers" },
    make("thead", {}, make("tr", {}, make("td", {}), columns.map(({ state, name }) => make("th", { scope: "col" }, badge(name), ` ${state.name}, ${policyName(policies[name])}`)))),
    make("tbody", {}, rows.map(([title, cell]) => make("tr", {}, make("th", { scope: "row" }, title), columns.map((column) => make("td", {}, ...[cell(column)].flat().filter(Boolean)))))))));
}

function withPeople(result, name) {
  if (!result.each.length) return [UNKNOWN];
  const shares = [result.low[name] / result.records, result.high[name] / result.records];
  return [between(shares, percent), make("small", {}, `${between([result.low[name], result.high[name]], whole)} people`)];
}

function keyWords(result) {
  if (!result.keys.length) return [result.reason || UNKNOWN];
  const [low, high] = [result.keys[0], result.keys[result.keys.length - 1]].map((key) => shownBy(key, key.top));
  return low === high ? [low] : [`from ${low} to ${high}`, make("small", {}, result.reason)];
}

function drawPlaces(app) {
  const { model, results, view, policies } = app;
  const width = document.getElementById("place").clientWidth || 480;
  const rows = app.releases().map((name) => ({
    label: `${RELEASE[name]} ${policyName(policies[name])}`, kind: name,
    values: model.states.map((state) => ({ code: state.code, name: state.name, value: valueOf(results[name].get(state.code), view.m, app.price(state))?.[0] ?? null })),
  }));
  replaceIn("place", placeChart(rows, { measure: view.m, chosen: view.s, other: view.s2, width, onchoose: (code) => app.set({ s: code }) }), make("p", { class: "help" }, `${MEASURES[view.m].title}; one dot per state. Where a list field is not known: the least.`));
}

const MOST_G = 20000;

function drawCurves(app) {
  const lines = [];
  app.chosenStates().forEach((state, i) => {
    for (const name of app.releases()) {
      const ends = app.model.curve(state, app.policies[name], app.setting, MOST_G);
      if (!ends) continue;
      const points = (curve) => sampled(MOST_G).map((g) => [g, Math.min(1, curve[g])]);
      lines.push({ points: points(ends[0]), band: ends[1] ? points(ends[1]) : null, label: `${state.code}, ${policyName(app.policies[name])}`, kind: `${name} ${i ? "two" : "one"}` });
    }
  });
  const place = document.getElementById("curve");
  replaceIn(place, lines.length ? curveChart(lines, MOST_G, place.clientWidth || 480) : make("p", { class: "quiet" }, "No figures: there is no list to link with."),
    lines.length && (place.clientWidth || 480) <= 520 ? make("ul", { class: "legend" }, lines.map((line) => make("li", { class: `key ${line.kind}` }, line.label))) : null);
}

function sampled(most) {
  const sizes = new Set();
  for (let power = 0; power <= Math.log10(most) + 1e-9; power += 0.025) sizes.add(Math.round(10 ** power));
  return [...sizes].filter((g) => g <= most);
}

function drawCounties(app) {
  const { view, model, policies } = app;
  const name = policies[view.county] ? view.county : "a";
  document.getElementById("county-choice").hidden = !policies.b;
  for (const radio of document.querySelectorAll("input[name=county-release]")) {
    radio.checked = radio.value === name;
    if (policies[radio.value]) radio.parentElement.querySelector("[data-release]").textContent = policyName(policies[radio.value]);
  }
  const measure = MEASURES[view.m].unit === "share" ? view.m : "risk";
  document.getElementById("counties-title").textContent = `Counties: ${measure === "distinct" ? `in a group of ${view.g} or fewer` : MEASURES[measure].title.toLowerCase()}`;
  const found = app.chosenStates().map((state) => [state, model.counties(state, policies[name], app.setting)]);
  const share = (row) => (measure === "precision" ? row.correct / row.claims : row[measure] / row.records);
  const limits = limitsOf(found.flatMap(([, rows]) => rows.map(share)), true);
  app.countyRows = found;
  replaceIn("counties", found.map(([state, rows]) => countyFigure(app, state, rows, { share, limits, measure, name })));
}

function countyFigure(app, state, rows, { share, limits, measure, name }) {
  if (!rows.length) return make("p", { class: "quiet" }, `${state.name}: no figures. ${app.results[name].get(state.code).reason}`);
  const { counties } = app.model.facts;
  const byCode = new Map(rows.map((row) => [counties.code[row.county], row]));
  const prefix = counties.code[state.counties[0]].slice(0, 2);
  const areas = new Map();
  for (const area of app.outlines.countyRings.keys()) {
    if (!area.startsWith(prefix)) continue;
    const row = byCode.get(counties.drawn[area]);
    const value = row ? share(row) : NaN;
    areas.set(area, row ? { name: counties.name[row.county], ends: Number.isFinite(value) ? [value, value] : null, words: percent(value), more: [`${whole(row.inhabitants)} people`] } : null);
  }
  const label = `Map of the counties of ${state.name}: ${MEASURES[measure].title}. The table beside it has every figure.`;
  const blank = [...areas].filter(([, area]) => !area).length;
  const sorted = [...rows].sort((x, y) => share(y) - share(x));
  const table = make("div", { class: "scroll short", role: "region", tabindex: 0, "aria-label": `Counties of ${state.name}` }, make("table", {},
    make("thead", {}, make("tr", {}, ["County", "People", "Right at random", "Alone", ...(["risk", "alone"].includes(measure) ? [] : [measure === "distinct" ? `Groups of ${app.view.g}` : "Claims right"])].map((words) => make("th", { scope: "col" }, words)))),
    make("tbody", {}, sorted.map((row) => make("tr", {}, make("th", { scope: "row" }, counties.name[row.county]), make("td", {}, whole(row.inhabitants)), make("td", {}, percent(row.risk / row.records)), make("td", {}, percent(row.alone / row.records)),
      ["risk", "alone"].includes(measure) ? null : make("td", {}, percent(share(row))))))));
  const low = app.results[name].get(state.code).status === "interval" ? " Fields that are not known to be on the list count as withheld." : "";
  return make("figure", {}, make("figcaption", {}, make("strong", {}, state.name), make("span", { class: "quiet" }, ` ${rows.length} counties, release ${RELEASE[name]}.${low}${blank ? ` ${blank} areas of the map of 2010 have no county of this census: see the notes.` : ""}`)),
    legend(limits, measure, new Set(), false), countyMap(app.outlines, areas, { limits, label, ontip: (element, area) => app.showTip(area ? element : null, area) }), table);
}

const ITEM_WORDS = { status: "Statewide list", gender: "Sex", race: "Race", birth: "Birth", geography: "Place", zip: "ZIP code", party: "Party", address: "Address", price: "Price", buyers: "Who may have it", uses: "For what", preempted: "Rule set aside", mirror: "Copy elsewhere" };

function listCard(app, state) {
  const { facts } = app.model;
  const list = facts.lists[state.code];
  if (!list) return make("p", {}, `${state.name}: no list is described.`);
  const cited = [...new Set(list.facts.flatMap((fact) => fact[4]))];
  const number = (source) => cited.indexOf(source) + 1;
  const rows = list.facts.map(([item, value, date, confidence, sources, note]) => make("tr", {}, make("th", { scope: "row" }, ITEM_WORDS[item] ?? item),
    make("td", { class: value === "unknown" ? "why" : null }, value.replaceAll("_", " "), note ? make("small", {}, note) : null), make("td", {}, date), make("td", {}, confidence), make("td", {}, sources.map((source) => `[${number(source)}]`).join(" "))));
  const sources = cited.map((source) => {
    const [title, date, url] = facts.sources[source];
    return make("li", {}, url ? make("a", { href: url, rel: "noreferrer" }, title) : title, `, ${date}`);
  });
  return make("article", { class: "card" }, make("h4", {}, `${state.name}, lists of ${list.vintage}`),
    make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": `Facts of the voter list of ${state.name}` }, make("table", { class: "facts" }, make("thead", {}, make("tr", {}, ["Fact", "Value", "As of", "Confidence", "Source"].map((words) => make("th", { scope: "col" }, words)))), make("tbody", {}, rows))),
    list.conflicts.length ? make("div", {}, make("h5", {}, "Where sources disagree"), make("ul", {}, list.conflicts.map(([about, chosen, other, why]) => make("li", {}, `${about}: ${chosen}, not ${other}. ${why}`)))) : null,
    list.notes.length ? make("ul", { class: "notes" }, list.notes.map((note) => make("li", {}, note))) : null,
    make("details", {}, make("summary", {}, `${cited.length} sources`), make("ol", { class: "sources" }, sources)));
}

/** What is shown, as rows: one per state and release, with the settings in the first columns. */
function csvOf(app) {
  const { view, policies, results, model } = app;
  const safe = (value) => {
    const text = String(value ?? "");
    const guarded = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  const head = "population,lists,release,policy,attacker,coverage,in_file,g,state,state_name,county,county_name,people,records,status,reason,linkage_key,total_risk,total_risk_high,one_distinct,one_distinct_high,g_distinct,g_distinct_high,claims,claims_high,correct_claims,correct_claims_high,price_usd,price_status".split(",");
  const { facts } = model;
  const lines = [head];
  const settings = (name) => [facts.population.name, view.who === "list" ? facts.vintage : "", RELEASE[name], policies[name].name, view.who === "list" ? "voter" : "general", view.who === "list" ? view.cov : "", view.h, view.g];
  const figures = (low, high) => ["risk", "alone", "distinct", "claims", "correct"].flatMap((key) => (low ? [low[key], high[key]] : ["", ""]));
  for (const name of app.releases()) {
    for (const state of model.states) {
      const result = results[name].get(state.code);
      const price = app.price(state);
      const key = result.keys.length ? shownBy(result.keys[result.keys.length - 1], result.keys[0].top) : "";
      lines.push([...settings(name), state.code, state.name, "", "", state.people, result.records ?? "", result.status, result.reason, key, ...figures(result.low, result.high), price?.usd ?? "", price?.status ?? ""]);
    }
  }
  const name = policies[view.county] ? view.county : "a";
  for (const [state, rows] of app.countyRows ?? []) {
    for (const row of rows) lines.push([...settings(name), state.code, state.name, facts.counties.code[row.county], facts.counties.name[row.county], row.inhabitants, row.records, "ok", "", "", ...figures(row, row), "", ""]);
  }
  return lines.map((line) => line.map(safe).join(",")).join("\n") + "\n";
}
