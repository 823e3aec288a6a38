// All states: maps, legend and the table with the same figures.

/** The values of a measure in every state under a release. */
function areasOf(app, name) {
  const { model, results, view } = app;
  return new Map(model.states.map((state) => {
    const result = results[name].get(state.code);
    const ends = valueOf(result, view.m, app.price(state));
    const why = fewClaimsWord(view.m, result, app.price(state)) ?? (result.each.length ? (view.m === "cost" || view.m === "claimcost" ? statusOfPrice(app, state) : "no match looks certain") : STATUS_WORDS[result.status] ?? result.status);
    const words = ends ? written(view.m, ends) : why;
    const more = result.each.length ? [`named correctly ${written("risk", valueOf(result, "risk"))}`, `unique ${written("alone", valueOf(result, "alone"))}`, `${whole(state.people)} people`] : [result.reason];
    return [state.code, { name: state.name, ends, words, more }];
  }));
}

function statusOfPrice(app, state) {
  const price = app.price(state);
  return price && price.usd === null ? `price ${STATUS_WORDS[price.status] ?? price.status}` : "no match is expected";
}

/** The room of what comes, so that nothing moves on the page when it does. */
function keepRoom(app) {
  measureChoice(app);
  showMaps(app, () => make("div", { class: "map-room" }));
}

/** A figure for each release, with its map. */
function showMaps(app, mapOf) {
  const maps = document.getElementById("maps");
  const releases = app.releases();
  maps.classList.toggle("single", releases.length === 1);
  replaceIn(maps, releases.map((name) => make("figure", { class: "map-figure" },
    make("figcaption", {}, badge(name), make("strong", {}, policyName(app.policies[name])), make("span", { class: "quiet" }, ` ${releasesIn(app.policies[name], null, app.model)}`)), mapOf(name))));
}

function drawNation(app) {
  const { view } = app;
  const releases = app.releases();
  const turned = MEASURES[view.m].unit === "usd";
  const areas = Object.fromEntries(releases.map((name) => [name, areasOf(app, name)]));
  const ends = releases.flatMap((name) => [...areas[name].values()].map((area) => area.ends)).filter(Boolean);
  app.limits = limitsOf(ends.flatMap((pair) => pair), MEASURES[view.m].unit);
  measureChoice(app);
  const kinds = new Set(releases.flatMap((name) => [...areas[name].values()].map((area) => fillOf(area.ends, app.limits, turned).place)));
  const file = view.h === 1 ? "Every state: everyone is in the file." : `Every state: a file of ${sizeWords(view.h)}${view.h < 1 ? " of its" : ""} people from all over the state.`;
  const own = app.froms.size ? ` Your file from ${countOf(app.froms) === 1 ? "one county" : `${countOf(app.froms)} counties`} is in the answer above.` : "";
  const colors = releases.length > 1 ? " Both maps use the same colors." : "";
  replaceIn("legend", make("p", { class: "help" }, `${MEASURES[view.m].help.replace("g others", `${view.g} others`)} ${file}${own}${colors}`), legend(app.limits, view.m, kinds, turned));
  const onchoose = (code) => app.set({ s: code });
  showMaps(app, (name) => stateMap(app.outlines, areas[name], { limits: app.limits, turned, chosen: view.s, other: view.s2, onchoose, ontip: (element, area) => app.showTip(element, area),
    label: `Map, policy ${RELEASE[name]}: ${MEASURES[view.m].title}. Arrow keys move between states, Enter chooses one. The table below has every figure.` }));
  drawTable(app);
}

function measureChoice(app) {
  const place = document.getElementById("measure-choice");
  if (!place.firstChild) {
    const select = make("select", { id: "measure", onchange: (event) => app.set({ m: event.target.value }) }, Object.entries(MEASURES).map(([name, { title }]) => option(name, title)));
    place.append(make("div", { class: "choices" }, make("div", { class: "inline" }, make("label", { for: "measure" }, "Show"), select)));
  }
  const select = document.getElementById("measure");
  for (const each of select.options) {
    each.disabled = app.view.who === "everyone" && each.value.endsWith("cost");
    if (each.value === "distinct") each.textContent = `In a group of ${app.view.g} or fewer`;
  }
  select.value = app.view.m;
}

/** The columns of the table: each with a head, a value to sort by and a text; share columns get a bar. */
function columnsOf(app) {
  const { results, view, policies } = app;
  const measure = (name, key) => ({
    id: `${name}${key}`, measure: key, head: `${key === "distinct" ? `In groups of ${view.g} or fewer` : MEASURES[key].title}`, release: name, bar: MEASURES[key].unit === "share" && key !== "precision",
    ends: (state) => valueOf(results[name].get(state.code), key, app.price(state)), write: (ends) => written(key, ends),
  });
  const columns = [];
  const shown = ["risk", "alone", ...(["risk", "alone"].includes(view.m) ? [] : [view.m])];
  for (const name of app.releases()) columns.push(...shown.map((key) => measure(name, key)));
  if (policies.b) columns.push({ id: "ratio", head: "A compared with B", ends: (state) => ratioOf(results.a.get(state.code), results.b.get(state.code), "risk"), write: (ends) => between(ends, times) });
  if (view.who !== "everyone") {
    columns.push({ id: "price", head: view.who === "list" ? "Price of the list" : "Price of the file", ends: (state) => { const { usd } = app.price(state); return usd === null ? null : [usd, usd]; }, write: (ends) => between(ends, dollars) });
    if (view.m !== "cost") columns.push(measure("a", "cost"));
  }
  return columns;
}

/** Why there is no figure of a state under any release; null where there is one, or each has a reason of its own. */
function nothingIn(app, state) {
  const all = app.releases().map((name) => app.results[name].get(state.code));
  if (all.some(({ each, status }) => each.length || status !== all[0].status)) return null;
  return STATUS_WORDS[all[0].status] ?? all[0].status;
}

function drawTable(app) {
  const { model, view } = app;
  const columns = columnsOf(app);
  const [down, by] = view.sort.startsWith("-") ? [true, view.sort.slice(1)] : [false, view.sort];
  const column = columns.find((each) => each.id === by);
  const states = [...model.states];
  if (column) {
    // one figure first, then ranges by their middle, then states without a figure
    const value = new Map(states.map((state) => [state, column.ends(state) ?? null]));
    const kind = (state) => (value.get(state) === null ? 2 : Number(value.get(state)[0] !== value.get(state)[1]));
    const middle = (state) => (value.get(state) === null ? 0 : (value.get(state)[0] + value.get(state)[1]) / 2);
    states.sort((x, y) => kind(x) - kind(y) || (down ? -1 : 1) * (middle(x) - middle(y)));
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
      nothingIn(app, state) ? make("td", { class: "why none", colspan: columns.length }, nothingIn(app, state)) : columns.map((each) => {
        const ends = each.ends(state);
        const result = each.release ? app.results[each.release].get(state.code) : app.results.a.get(state.code);
        const priced = each.id === "price" || (each.id.endsWith("cost") && result.each.length);
        const few = each.measure ? fewClaimsWord(each.measure, result, app.price(state)) : null;
        const why = ends ? null : few ?? (priced ? statusOfPrice(app, state).replace("price ", "") : STATUS_WORDS[result.status] ?? UNKNOWN);
        const bar = ends && each.bar ? make("span", { class: `bar ${each.release}`, style: `width:${((100 * ends[1]) / most).toFixed(2)}%`, "aria-hidden": "true" }) : null;
        return make("td", { class: ends ? null : "why" }, bar, make("span", { class: "figure" }, ends ? each.write(ends) : why));
      }));
  });
  replaceIn("table", make("table", {},
    make("caption", { class: "visually-hidden" }, "Figures of every state, as on the maps"),
    make("thead", {}, make("tr", {}, head("state", "State"), columns.map((each) => head(each.id, each.release ? [badge(each.release), ` ${each.head}`] : [each.head])))),
    make("tbody", {}, rows)));
}
