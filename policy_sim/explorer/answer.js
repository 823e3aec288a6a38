// The answer in words and large figures.

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
  const { view, policies } = app;
  const result = app.figures(name, state);
  const policy = policies[name];
  const release = make("strong", { class: `release-name ${name}` }, policyName(policy));
  if (!result.each.length && policy.byState && !app.model.endsOf(policy, state).length) {
    return make("p", { class: "lead" }, `${state.name}: no file of hospital records is recorded for `, release, ". That does not mean that the state releases nothing.");
  }
  if (!result.each.length) {
    const why = (result.reason || STATUS_WORDS[result.status] || result.status).replace(/\.$/, "");
    const who = app.model.files.has(view.who) ? "this file" : "the voter list";
    return make("p", { class: "lead" }, `${state.name}, under `, release, `: no figure for someone with ${who}. ${why[0].toUpperCase()}${why.slice(1)}.`);
  }
  const held = app.model.files.get(view.who);
  const who = held ? `someone with the ${held.kind} (${held.title})` : view.who === "list" ? "someone with the state's voter list" : "someone who knows everyone";
  const ofFile = isOfFile(app);
  const knows = ofFile ? ` ${view.who === "everyone" ? "and" : "who also knows"} who is in the file` : "";
  const most = mostOf(result, "risk");
  return make("p", { class: "lead" }, `In ${state.name}, under `, release, `, ${who}${knows} would name `, make("strong", {}, most < 1 ? (most < NOBODY ? "nobody" : "fewer than 1 person") : writtenOf("risk", result)),
    ` ${most < 1 ? "" : "of the people "}${ofFile ? "in the file " : ""}correctly, guessing when several people match. `,
    ...certainty(result, held ? `in the ${held.kind}` : "on the list", ofFile, Boolean(app.model.listingOf(app.setting)) && !ofFile));
}

const NOBODY = 0.005; // expected people

/** The most people of a figure, and of its range where that is known. */
function mostOf(result, name) {
  return (rangeOf(result, name)?.[1] ?? result.high[name] / result.records) * result.records;
}

function isOfFile({ view, froms }) {
  return view.h !== 1 || froms.size > 0;
}

/** How many counties a file comes from. */
function countOf(froms) {
  return [...froms.values()].reduce((sum, { counties }) => sum + counties.length, 0);
}

/** The states that a file comes from, the chosen one first, where they are several. */
function statesOfFile({ froms, model, view }) {
  const codes = [...froms.keys()].sort((x, y) => Number(y === view.s) - Number(x === view.s));
  return codes.length > 1 ? codes.map((code) => model.byCode.get(code)) : [];
}

/** The figures of a file of several states as a whole: each policy shows the state, so that they add up. */
function wholeOf(app, name, states) {
  const results = states.map((state) => app.figures(name, state));
  const without = results.find(({ each }) => !each.length);
  if (without) return { ...without, each: [] };
  const sum = (end) => Object.fromEntries(Object.keys(results[0][end]).map((figure) => [figure, results.reduce((total, result) => total + result[end][figure], 0)]));
  const [low, high] = [sum("low"), sum("high")];
  const isExact = results.every(({ each }) => each.length === 1);
  const names = results.some(({ others }) => others === null) ? null : [...new Set(results.flatMap(({ others }) => (others ?? []).map((other) => other.name)))];
  const endOf = (result, assumed, end) => (result.others?.find((other) => other.name === assumed) ?? result)[end];
  const added = (assumed, end) => Object.fromEntries(Object.keys(low).map((figure) => [figure, results.reduce((total, result) => total + endOf(result, assumed, end)[figure], 0)]));
  const others = names?.map((assumed) => ({ name: assumed, low: added(assumed, "low"), high: added(assumed, "high") })) ?? null;
  return { ...results[0], others, status: isExact ? "ok" : "interval", each: isExact ? [low] : [low, high], low, high, surely: results.every(({ surely }) => surely), records: results.reduce((total, { records }) => total + records, 0) };
}

/** What of the whole file is named, and of each state; the worst off is named. */
function wholeSentence(app, name, states) {
  const all = wholeOf(app, name, states);
  if (!all.each.length) return states.map((state) => sentence(app, state, name));
  const release = make("strong", { class: `release-name ${name}` }, policyName(app.policies[name]));
  const who = app.view.who === "everyone" ? "someone who knows everyone and" : app.model.files.has(app.view.who) ? `someone with the ${app.model.files.get(app.view.who).kind} who also` : "someone with the states' voter lists who also";
  const named = (result) => writtenOf("risk", result);
  const results = states.map((state) => [state.name, app.figures(name, state)]);
  const worst = results.reduce((most, each) => (mostOf(each[1], "risk") / each[1].records > mostOf(most[1], "risk") / most[1].records ? each : most));
  const by = andOf(results.map(([state, result]) => `${named(result)} of ${whole(result.records)} in ${state}`));
  return make("p", { class: "lead" }, `Of the whole file, under `, release, `, ${who} knows who is in the file would name `, make("strong", {}, named(all)), ` of the people correctly: ${by}. Worst off: ${worst[0]}.`);
}

/** The file in a sentence of its own. */
function fileWords(app) {
  const { view, model, from } = app;
  const several = statesOfFile(app);
  if (several.length) {
    const { name } = model.facts.counties;
    const places = several.map((own) => `${own.name}: ${app.froms.get(own.code).counties.map((county) => name[county]).join(", ")}`).join("; ");
    return `In the file: ${view.h === 1 ? "everyone" : `${sizeWords(view.h)}${view.h < 1 ? " of the" : ""} people`} from ${places}.`;
  }
  const state = model.byCode.get(view.s).name;
  const places = from?.counties.map((county) => model.facts.counties.name[county]) ?? [];
  const where = !places.length ? `all of ${state}` : places.length > 6 ? `${places.length} counties of ${state}` : `${andOf(places)} ${places.length > 1 ? "counties" : "County"}, ${state}`;
  return view.h === 1 ? `In the file: everyone in ${where}.` : `In the file: ${sizeWords(view.h)}${view.h < 1 ? " of the" : ""} people ${view.h < 1 ? "of" : "from"} ${where}.`;
}

function andOf(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0];
}

/** What being unique means: certain where the attacker misses nobody; else some matches are wrong. */
function certainty(result, known, ofFile, someLeft) {
  const most = mostOf(result, "alone");
  const nobody = most < NOBODY;
  const [alone, are] = most < 1 ? [nobody ? "Nobody" : "Fewer than 1 person", "is"] : [writtenOf("alone", result), "are"];
  const strong = make("strong", {}, alone);
  if (result.surely) return [strong, ` ${are} unique${ofFile ? " in the file" : ""}${most < 1 ? ": hardly any match is certain." : ", so their match is certain."}`];
  const right = valueOf(result, "precision") ? writtenOf("precision", result) : UNKNOWN;
  const missing = ` Not everyone is on it${someLeft ? ", and some records are of people who left" : ""}`;
  const few = fewClaimsWord("precision", result) ? `${missing}${someLeft ? ";" : ", and"} there are too few matches that look certain to say how many are right.` : "";
  const claims = right === UNKNOWN ? few : `${missing}: of the matches that look certain, ${right} are right.`;
  return [strong, ` ${are} ${known} and unique ${ofFile ? `among the people of the file who are ${known}` : "there"}.${nobody ? "" : claims}`];
}

/** A range on its own line: its ends have the unit of their figure. */
function rangeWords(value, range) {
  const unit = value.match(/[%×]$/)?.[0] ?? "";
  return `range ${range.slice(2, -1).split(" to ").map((end) => `${end}${unit}`).join(" to ")}`;
}

function drawAnswer(app) {
  const state = app.model.byCode.get(app.view.s);
  const releases = app.releases();
  const several = statesOfFile(app);
  replaceIn("answer-text", isOfFile(app) ? make("p", { class: "of-file" }, fileWords(app)) : null, releases.map((name) => (several.length ? wholeSentence(app, name, several) : sentence(app, state, name))));
  const tiles = [];
  const [a, b] = releases.map((name) => (several.length ? wholeOf(app, name, several) : app.figures(name, state)));
  const add = (title, [value, range], words) => tiles.push(make("div", { class: "tile" }, make("span", { class: "tile-title" }, title), make("span", { class: "tile-value" }, value), range ? make("span", { class: "tile-words" }, rangeWords(value, range)) : null, make("span", { class: "tile-words" }, words)));
  const names = app.releases().map((name) => policyName(app.policies[name]));
  if (a.each.length) {
    add(`${names[0]}: named correctly`, peopleIn(a, "risk"), `of ${whole(a.records)} people${isOfFile(app) ? " in the file" : ""}`);
    if (b?.each.length) {
      add(`${names[1]}: named correctly`, peopleIn(b, "risk"), `of ${whole(b.records)} people${isOfFile(app) ? " in the file" : ""}`);
      add("A compared with B", ranged(ratioOf(a, b, "risk"), ratioRange(a, b, "risk"), times), "as many people named correctly");
    }
    if (app.view.who !== "everyone") {
      const price = app.price(state);
      if (!several.length) add("Cost per person named correctly, A", partsOf("cost", a, price), price.usd === null ? `price: ${STATUS_WORDS[price.status] ?? price.status}` : `the ${app.view.who === "list" ? "list" : "file"}: ${dollars(price.usd)}${price.status === "at_least" ? " at least" : ""}`);
      add("Right, of matches that look certain, A", partsOf("precision", a), `${peopleIn(a, "claims").join("")} such matches`);
    } else add(`In a group of ${app.view.g} or fewer, A`, partsOf("distinct", a), `${peopleIn(a, "distinct").join("")} people`);
  }
  replaceIn("tiles", tiles);
  announce(app, state);
}

/** Read the answer aloud once the settings rest. */
function announce(app, state) {
  clearTimeout(app.announceWaits);
  const words = () => app.releases().map((name) => {
    const result = app.figures(name, state);
    return `${policyName(app.policies[name])}: ${result.each.length ? `named correctly ${writtenOf("risk", result)}, unique ${writtenOf("alone", result)}` : STATUS_WORDS[result.status] ?? result.status}`;
  });
  app.announceWaits = setTimeout(() => app.say(`${state.name}. ${words().join(". ")}.`), 800);
}
