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
