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
  const named = [result.low.risk, result.high.risk];
  return make("p", { class: "lead" }, `In ${state.name}, under `, release, `, ${who}${knows} would name `, make("strong", {}, named[1] < 1 ? (named[1] < NOBODY ? "nobody" : "fewer than 1 person") : written("risk", valueOf(result, "risk"))),
    ` ${named[1] < 1 ? "" : "of the people "}${ofFile ? "in the file " : ""}correctly, guessing when several people match. `,
    ...certainty(result, held ? `in the ${held.kind}` : "on the list", ofFile, Boolean(app.model.listingOf(app.setting)) && !ofFile));
}

const NOBODY = 0.005; // expected people

function isOfFile({ view, from }) {
  return view.h !== 1 || Boolean(from);
}

/** The file in a sentence of its own. */
function fileWords(app) {
  const { view, model, from } = app;
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
  const most = result.high.alone;
  const nobody = most < NOBODY;
  const [alone, are] = most < 1 ? [nobody ? "Nobody" : "Fewer than 1 person", "is"] : [written("alone", valueOf(result, "alone")), "are"];
  const strong = make("strong", {}, alone);
  if (result.surely) return [strong, ` ${are} unique${ofFile ? " in the file" : ""}${most < 1 ? ": hardly any match is certain." : ", so their match is certain."}`];
  const right = written("precision", valueOf(result, "precision"));
  const missing = ` Not everyone is on it${someLeft ? ", and some records are of people who left" : ""}`;
  const few = fewClaimsWord("precision", result) ? `${missing}${someLeft ? ";" : ", and"} there are too few matches that look certain to say how many are right.` : "";
  const claims = right === UNKNOWN ? few : `${missing}: of the matches that look certain, ${right} are right.`;
  return [strong, ` ${are} ${known} and unique ${ofFile ? `among the people of the file who are ${known}` : "there"}.${nobody ? "" : claims}`];
}

function drawAnswer(app) {
  const state = app.model.byCode.get(app.view.s);
  const releases = app.releases();
  replaceIn("answer-text", isOfFile(app) ? make("p", { class: "of-file" }, fileWords(app)) : null, releases.map((name) => sentence(app, state, name)));
  const tiles = [];
  const [a, b] = releases.map((name) => app.figures(name, state));
  const add = (title, value, words) => tiles.push(make("div", { class: "tile" }, make("span", { class: "tile-title" }, title), make("span", { class: "tile-value" }, value), make("span", { class: "tile-words" }, words)));
  const names = app.releases().map((name) => policyName(app.policies[name]));
  if (a.each.length) {
    add(`${names[0]}: named correctly`, between([a.low.risk, a.high.risk], headcount), `of ${whole(a.records)} people${isOfFile(app) ? " in the file" : ""}`);
    if (b?.each.length) {
      add(`${names[1]}: named correctly`, between([b.low.risk, b.high.risk], headcount), `of ${whole(b.records)} people${isOfFile(app) ? " in the file" : ""}`);
      add("A compared with B", between(ratioOf(a, b, "risk"), times), "as many people named correctly");
    }
    if (app.view.who !== "everyone") {
      const price = app.price(state);
      add("Cost per person named correctly, A", written("cost", valueOf(a, "cost", price)), price.usd === null ? `price: ${STATUS_WORDS[price.status] ?? price.status}` : `the ${app.view.who === "list" ? "list" : "file"}: ${dollars(price.usd)}${price.status === "at_least" ? " at least" : ""}`);
      add("Right, of matches that look certain, A", writtenOf("precision", a), `${between([a.low.claims, a.high.claims], headcount)} such matches`);
    } else add(`In a group of ${app.view.g} or fewer, A`, written("distinct", valueOf(a, "distinct")), `${between([a.low.distinct, a.high.distinct], headcount)} people`);
  }
  replaceIn("tiles", tiles);
  announce(app, state);
}

/** Read the answer aloud once the settings rest. */
function announce(app, state) {
  clearTimeout(app.announceWaits);
  const words = app.releases().map((name) => {
    const result = app.figures(name, state);
    return `${policyName(app.policies[name])}: ${result.each.length ? `named correctly ${written("risk", valueOf(result, "risk"))}, unique ${written("alone", valueOf(result, "alone"))}` : STATUS_WORDS[result.status] ?? result.status}`;
  });
  app.announceWaits = setTimeout(() => app.say(`${state.name}. ${words.join(". ")}.`), 800);
}
