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
  const { view, policies, results } = app;
  const result = results[name].get(state.code);
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
  const who = held ? `someone with the ${held.kind} (${held.title})` : view.who === "list" ? `someone with the voter list of ${state.name}` : "someone who knows everyone";
  const knows = view.h === 1 ? "" : `, who also knows who is in a file of ${percent(view.h)} of the people,`;
  return make("p", { class: "lead" }, `In ${state.name}, under `, release, `, ${who}${knows} would name `,
    make("strong", {}, written("risk", valueOf(result, "risk"))), ` of the ${view.h === 1 ? "people" : "people in the file"} correctly, choosing at random where several share the same values. `,
    ...certainty(result, held ? `in the ${held.kind}` : "on the list", view.h < 1, Boolean(app.model.listingOf(app.setting)) && view.h === 1));
}

/** What being alone means: certain where the attacker misses nobody; else some claims are wrong. */
function certainty(result, known, ofFile, someLeft) {
  const alone = make("strong", {}, written("alone", valueOf(result, "alone")));
  if (result.surely) return [alone, ` share their values with nobody${ofFile ? " else in the file" : ""}: their match is certain.`];
  const right = written("precision", valueOf(result, "precision"));
  const missing = ` Some people are missing${someLeft ? ", and some records are of people who left" : ""}`;
  const few = fewClaimsWord("precision", result) ? `${missing}${someLeft ? ";" : ", and"} there are too few matches that look certain to say how many are right.` : "";
  const claims = right === UNKNOWN ? few : `${missing}: of the matches that look certain, ${right} are right.`;
  return [alone, ` are ${known} and share their values with nobody else ${known}${ofFile ? " who is in the file" : ""}.${claims}`];
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
    if (app.view.who !== "everyone") {
      const price = app.price(state);
      add("Per correct match under A", written("cost", valueOf(a, "cost", price)), price.usd === null ? `price: ${STATUS_WORDS[price.status] ?? price.status}` : `the ${app.view.who === "list" ? "list" : "file"}: ${dollars(price.usd)}${price.status === "at_least" ? " at least" : ""}`);
      add("Claims that are right, A", writtenOf("precision", a), `${between([a.low.claims, a.high.claims], whole)} claims`);
    } else add(`In a group of ${app.view.g} or fewer, A`, written("distinct", valueOf(a, "distinct")), `${between([a.low.distinct, a.high.distinct], whole)} people`);
  }
  replaceIn("tiles", tiles);
  announce(app, state);
}

/** Read the answer aloud once the settings rest. */
function announce(app, state) {
  clearTimeout(app.announceWaits);
  const words = app.releases().map((name) => {
    const result = app.results[name].get(state.code);
    return `${policyName(app.policies[name])}: ${result.each.length ? `right ${written("risk", valueOf(result, "risk"))}, alone ${written("alone", valueOf(result, "alone"))}` : STATUS_WORDS[result.status] ?? result.status}`;
  });
  app.announceWaits = setTimeout(() => app.say(`${state.name}. ${words.join(". ")}.`), 800);
}
