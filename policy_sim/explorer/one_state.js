// The chosen states: figures, place among all, curve, counties.

function drawState(app) {
  const { view, model } = app;
  const place = document.getElementById("state-choice");
  if (!place.firstChild) {
    const others = model.states.map((state) => option(state.code, state.name));
    place.append(make("div", { class: "inline" }, make("label", { for: "state-two" }, "Compare with"), make("select", { id: "state-two", onchange: (event) => app.set({ s2: event.target.value }) }, option("", "no other state"), others)));
    const radio = (name) => make("label", { class: "check" }, make("input", { type: "radio", name: "county-release", value: name, onchange: () => app.set({ county: name }) }), badge(name), make("span", { "data-release": name }));
    document.getElementById("county-choice").append(radio("a"), radio("b"));
  }
  document.getElementById("state-two").value = view.s2;
  document.getElementById("state-title").textContent = app.chosenStates().map((state) => state.name).join(" and ");
  drawNumbers(app);
  drawCurves(app);
  drawCounties(app);
  const codes = [app.view.who, ...app.chosenStates().map((state) => state.code)].join();
  if (app.cardsOf === codes) return; // facts do not change with the settings
  app.cardsOf = codes;
  const file = app.model.files.get(app.view.who);
  document.getElementById("lists-title").textContent = file ? "What the file contains, and what the voter list contains" : "What the voter list contains, and who may have it";
  replaceIn("lists", file ? fileCard(file) : null, app.chosenStates().map((state) => listCard(app, state)));
  replaceIn("releases", app.chosenStates().map((state) => releaseCard(app, state)));
}

function drawNumbers(app) {
  const { view, policies } = app;
  const columns = app.chosenStates().flatMap((state) => app.releases().map((name) => ({ state, name, result: app.figures(name, state), price: app.price(state) })));
  const rows = [
    ["People in the file", ({ result }) => (result.each.length ? whole(result.records) : STATUS_WORDS[result.status] ?? result.status)],
    [MEASURES.risk.title, ({ result }) => withPeople(result, "risk")],
    [MEASURES.alone.title, ({ result }) => withPeople(result, "alone")],
    [`In a group of ${view.g} or fewer`, ({ result }) => withPeople(result, "distinct")],
    ["Matches that look certain", ({ result }) => withPeople(result, "claims", "records")],
    [MEASURES.precision.title, ({ result }) => writtenOf("precision", result)],
  ];
  if (app.model.listingOf(app.setting)) rows.push(["Records on the list", ({ state }) => recordsWords(app, state)]);
  if (view.who !== "everyone") {
    rows.push([view.who === "list" ? "Price of the list" : "Price of the file", ({ price, state }) => [price.usd === null ? STATUS_WORDS[price.status] ?? price.status : dollars(price.usd), price.reason ? make("small", {}, price.reason) : null, restricted(app, state)]]);
    rows.push([MEASURES.cost.title, ({ result, price }) => writtenOf("cost", result, price)]);
    rows.push([MEASURES.claimcost.title, ({ result, price }) => writtenOf("claimcost", result, price)]);
  }
  rows.push(["Matched by", ({ result }) => keyWords(result)]);
  if (Object.keys(app.model.facts.modelErrors.byKey).length) rows.push(["How far the modeled people may be off", ({ result }) => modelErrorWords(app, result)]);
  replaceIn("numbers", make("div", { class: "scroll whole", role: "region", "aria-label": "Figures of the chosen states", tabindex: 0 }, make("table", { class: "numbers" },
    make("thead", {}, make("tr", {}, make("td", {}), columns.map(({ state, name }) => make("th", { scope: "col" }, badge(name), ` ${state.name}, ${policyName(policies[name])}`)))),
    make("tbody", {}, rows.map(([title, cell]) => make("tr", {}, make("th", { scope: "row" }, title), columns.map((column) => make("td", {}, ...[cell(column)].flat().filter(Boolean)))))))));
}

/** Residents on a state's list, and the records of people who left. */
function recordsWords(app, state) {
  const { listed, stale } = app.model.listing.records(state.counties);
  return [whole(listed + stale), make("small", {}, `${whole(listed)} residents, ${whole(stale)} of people who left`)];
}

/** The error that the model of the people had where it could be compared with a count. */
function modelErrorWords(app, result) {
  const { facts } = app.model;
  if (!result.each.length) return [UNKNOWN];
  if (facts.modelErrors.counted.includes(result.state)) return ["not at all: everyone is counted"];
  const [risk, alone] = ["total-risk", "1-distinct"].map((measure) => modelErrorOf(facts, result, measure));
  if (!risk && !alone) return [result.keys.every(({ race, birth }) => race === "none" && birth === "none") ? "not at all: the census counts these people" : "not measured"];
  const off = (share) => (percent(share).startsWith("<") ? percent(share).replace("<", "less than ") : `±${percent(share)}`);
  return [`${off(risk)} of the figure`, make("small", {}, `${off(alone)} of the unique people`)];
}

/** Who alone may have the list or file, where the public may not. */
function restricted(app, state) {
  const buyers = (app.model.files.get(app.view.who) ?? app.model.facts.lists[state.code])?.buyers;
  return buyers?.length && !buyers.includes("public") ? make("small", {}, `only for: ${buyers.join(", ")}`) : null;
}

function withPeople(result, name, unit = "people") {
  if (!result.each.length) return [UNKNOWN];
  return [ranged([result.low[name] / result.records, result.high[name] / result.records], rangeOf(result, name), percent).join(""), make("small", {}, `${peopleIn(result, name).join("")} ${unit}`)];
}

function keyWords(result) {
  if (!result.keys.length) return [result.reason || UNKNOWN];
  const [low, high] = [result.keys[0], result.keys[result.keys.length - 1]].map((key) => shownBy(key, key.top));
  return low === high ? [low] : [`from ${low} to ${high}`, make("small", {}, result.reason)];
}

function drawPlaces(app) {
  const { model, results, view, policies } = app;
  const { place: width } = app.widths;
  const rows = app.releases().map((name) => ({
    label: `${RELEASE[name]} ${policyName(policies[name])}`, kind: name,
    values: model.states.map((state) => ({ code: state.code, name: state.name, value: valueOf(results[name].get(state.code), view.m, app.price(state))?.[0] ?? null })),
  }));
  replaceIn("place", placeChart(rows, { measure: view.m, chosen: view.s, other: view.s2, width, onchoose: (code) => app.set({ s: code }) }), make("p", { class: "help" }, `${MEASURES[view.m].title}; one dot per state, each with a file from all over the state. If a list field is unknown, the dot shows the lowest figure.`));
}

const MOST_G = 20000;

/** Curves are drawn when they are known; by ZIP code they reach less far. */
async function drawCurves(app) {
  const { run, model } = app;
  const lines = app.chosenStates().flatMap((state, i) => app.releases().map((name) => ({ code: state.code, policy: app.view[name], setting: { ...app.settingFor(state), g: 0, price: null }, label: `${state.name}, ${policyName(app.policies[name])}`, short: `${state.code} ${RELEASE[name]}`, kind: `${name} ${i ? "two" : "one"}` })));
  const slow = lines.some(({ code, policy, setting }) => model.isSlow(model.byCode.get(code), policyOf(policy, model), setting));
  const most = slow ? MOST_GROUP : MOST_G;
  const asked = JSON.stringify(lines);
  if (app.curvesOf?.asked !== asked) {
    const stale = setTimeout(() => document.getElementById("curve").classList.add("stale"), 150);
    const curves = await app.pool.askCurves({ curve: ++app.curveRuns, lines, most });
    clearTimeout(stale);
    if (run !== app.run) return;
    app.curvesOf = { asked, curves };
  }
  showCurves(app, lines, app.curvesOf.curves, most);
}

function showCurves(app, lines, curves, most) {
  const points = (curve) => sampled(most).map((g) => [g, Math.min(1, curve[g])]);
  const known = lines.flatMap((line, i) => (curves[i] ? [{ ...line, points: points(curves[i][0]), band: curves[i][1] ? points(curves[i][1]) : null }] : []));
  const place = document.getElementById("curve");
  place.classList.remove("stale");
  replaceIn(place, known.length ? curveChart(known, most, app.widths.curve) : make("p", { class: "quiet" }, "No curve, because there is no list to link with."),
    known.length ? make("ul", { class: "legend" }, known.map((line) => make("li", { class: `key ${line.kind}` }, line.label))) : null);
}

function sampled(most) {
  const sizes = new Set();
  for (let power = 0; power <= Math.log10(most) + 1e-9; power += 0.025) sizes.add(Math.round(10 ** power));
  sizes.add(most); // what the words under the chart end with
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
  const found = app.chosenStates().map((state) => [state, model.counties(state, policies[name], app.settingFor(state))]);
  const share = (row) => (measure !== "precision" ? row[measure] / row.records : row.claims < FEW_CLAIMS ? NaN : row.correct / row.claims);
  const limits = limitsOf(found.flatMap(([, rows]) => rows.map(share)), "share");
  app.countyRows = found;
  replaceIn("counties", found.map(([state, rows]) => countyFigure(app, state, rows, { share, limits, measure, name })));
}

function countyFigure(app, state, rows, { share, limits, measure, name }) {
  const { reason, keys, status, ranged } = app.figures(name, state);
  if (!rows.length) return make("p", { class: "quiet" }, `${state.name}: no figures by county (${keys.length ? "places under this policy cross county lines" : reason}).`);
  const { counties } = app.model.facts;
  const byCode = new Map(rows.map((row) => [counties.code[row.county], row]));
  const prefix = counties.code[state.counties[0]].slice(0, 2);
  const writtenIn = (row) => (measure === "precision" && row.claims < FEW_CLAIMS ? "too few to say" : percent(share(row)));
  const areas = new Map();
  for (const area of app.outlines.countyRings.keys()) {
    if (!area.startsWith(prefix)) continue;
    const row = byCode.get(counties.drawn[area]);
    const value = row ? share(row) : NaN;
    areas.set(area, row ? { name: counties.name[row.county], ends: Number.isFinite(value) ? [value, value] : null, words: writtenIn(row), more: [`${whole(row.inhabitants)} people`] } : null);
  }
  const label = `Map of the counties of ${state.name}: ${MEASURES[measure].title}. The table next to it has every figure.`;
  const blank = app.settingFor(state).from ? 0 : [...areas].filter(([, area]) => !area).length;
  const sorted = [...rows].sort((x, y) => (share(y) || 0) - (share(x) || 0));
  const table = make("div", { class: "scroll short", role: "region", tabindex: 0, "aria-label": `Counties of ${state.name}` }, make("table", {},
    make("thead", {}, make("tr", {}, ["County", "People", "Named correctly", "Unique", ...(["risk", "alone"].includes(measure) ? [] : [measure === "distinct" ? `Groups of ${app.view.g}` : "Right, of certain-looking"])].map((words) => make("th", { scope: "col" }, words)))),
    make("tbody", {}, sorted.map((row) => make("tr", {}, make("th", { scope: "row" }, counties.name[row.county]), make("td", {}, whole(row.inhabitants)), make("td", {}, percent(row.risk / row.records)), make("td", {}, percent(row.alone / row.records)),
      ["risk", "alone"].includes(measure) ? null : make("td", {}, writtenIn(row)))))));
  const low = ranged ? " The file counts as holding all of its people." : status === "interval" ? " Fields that may or may not be on the list count as withheld." : "";
  return make("figure", {}, make("figcaption", {}, make("strong", {}, state.name), make("span", { class: "quiet" }, ` ${rows.length} ${rows.length === 1 ? "county" : "counties"}, policy ${RELEASE[name]}.${low}${blank ? ` ${blank} areas of the map of 2010 have no county of this census: see the notes.` : ""}`)),
    legend(limits, measure, new Set(rows.map((row) => classAt(limits, share(row)))), false), countyMap(app.outlines, areas, { limits, label, ontip: (element, area) => app.showTip(area ? element : null, area) }), table);
}

// What is recorded of a state: its voter list, its own release.

const ITEM_WORDS = { status: "Statewide list", gender: "Sex", race: "Race", birth: "Birth", geography: "Place", zip: "ZIP code", party: "Party", address: "Address", price: "Price", buyers: "Who may have it", uses: "For what", preempted: "Rule set aside", mirror: "Copy elsewhere" };

function listCard(app, state) {
  const { facts } = app.model;
  const list = facts.lists[state.code];
  if (!list) return make("p", {}, `${state.name}: no list is recorded.`);
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

/** What is recorded of another file. */
function fileCard(file) {
  const rows = file.facts.filter(([item, value]) => value && !["title", "note"].includes(item)).map(([item, value, date, confidence, sources, note]) => make("tr", {}, make("th", { scope: "row" }, ITEM_WORDS[item] ?? item[0].toUpperCase() + item.slice(1)),
    make("td", { class: value === "unknown" ? "why" : null }, value.replaceAll("_", " "), note ? make("small", {}, note) : null), make("td", {}, date), make("td", {}, confidence), make("td", {}, sources)));
  const notes = file.facts.filter(([item]) => item === "note").map(([, value]) => make("li", {}, value));
  return make("article", { class: "card" }, make("h4", {}, `${file.title[0].toUpperCase()}${file.title.slice(1)}, described ${file.vintage}`),
    make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Facts of the file" }, make("table", { class: "facts" }, make("thead", {}, make("tr", {}, ["Fact", "Value", "As of", "Confidence", "Source"].map((words) => make("th", { scope: "col" }, words)))), make("tbody", {}, rows))),
    notes.length ? make("ul", { class: "notes" }, notes) : null);
}

/** What a state itself hands out, and on what terms. */
function releaseCard(app, state) {
  const policy = [...app.model.policies.values()].find((each) => each.byState);
  if (!policy) return null;
  const found = policy.byState[state.code];
  if (!found) return make("p", { class: "quiet" }, `${state.name}: no file is recorded. That does not mean that the state releases nothing.`);
  const button = (name) => make("button", { type: "button", onclick: () => app.set({ [name]: policy.name }) }, `Measure it as policy ${RELEASE[name]}`);
  return make("article", { class: "card" }, make("h4", {}, found.title), make("p", {}, `Shows ${[...new Set(app.model.endsOf(policy, state).map((fields) => shownBy(fields, null)))].join(", or ")}.`),
    make("ul", {}, found.terms.map((each) => make("li", {}, each))), make("div", { class: "choices" }, button("a"), button("b")));
}
