// What the reader chose: one object, written into the address fragment and read back from it.

const DEFAULTS = {
  s: "OH", h: 1, from: "", a: "limited-dataset", b: "safe-harbor", who: "list", cov: "registered", g: 5, m: "risk", s2: "", county: "a",
  lg: "", lr: "", lb: "", lp: "", price: "", share: "", sort: "",
};
const LIST_EDITS = { lg: "gender", lr: "race", lb: "birth", lp: "geography" };
const EDIT_WORDS = { lg: ["", "withheld", "value"], lr: ["", "withheld", "value", "hcup", "race_ethnicity"], lb: ["", "withheld", "year", "month", "date"], lp: ["", "withheld", "county"] };
const LEAST_SHARE = 0.00001;
const MOST_GROUP = 50;

/** Read a fragment; whatever is not understood takes its default. */
function viewFrom(fragment, model) {
  const view = { ...DEFAULTS };
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const number = (name, low, high, digits) => {
    const value = Number(given.get(name));
    if (given.get(name) !== null && Number.isFinite(value) && value >= low && value <= high) view[name] = digits ? value : Math.round(value);
  };
  for (const name of ["a", "b"]) {
    const text = given.get(name);
    if (text !== null && (policyOf(text, model) || (name === "b" && text === ""))) view[name] = text;
  }
  for (const name of ["s", "s2"]) if (model.byCode.has(given.get(name)) || (name === "s2" && given.get(name) === "")) view[name] = given.get(name);
  if (["everyone", "list"].includes(given.get("who")) || model.files.has(given.get("who"))) view.who = given.get("who");
  if (given.get("share") && Number(given.get("share")) >= 0 && Number(given.get("share")) <= 1) view.share = Number(given.get("share"));
  if (Object.hasOwn(MEASURES, given.get("m") ?? "")) view.m = given.get("m");
  if (["a", "b"].includes(given.get("county"))) view.county = given.get("county");
  const cov = given.get("cov");
  if (["registered", "survey", "adults", "everyone"].includes(cov)) view.cov = cov;
  else if (cov !== null && Number(cov) > 0 && Number(cov) <= 1) view.cov = Number(cov);
  number("h", LEAST_SHARE, 1, true);
  number("h", 2, 1e9);
  if (placesOf(given.get("from") ?? "", model)) view.from = given.get("from") ?? "";
  number("g", 1, MOST_GROUP);
  for (const name in LIST_EDITS) if (EDIT_WORDS[name].includes(given.get(name) ?? "")) view[name] = given.get(name) ?? "";
  if (given.get("price") !== null && Number(given.get("price")) >= 0 && given.get("price") !== "") view.price = Number(given.get("price"));
  if (/^-?\w+$/.test(given.get("sort") ?? "")) view.sort = given.get("sort");
  return view;
}

function fragmentOf(view) {
  const changed = Object.entries(view).filter(([name, value]) => value !== DEFAULTS[name]);
  return changed.length ? `#${new URLSearchParams(changed)}` : "";
}

/** A policy's short name on the page. */
function policyName(policy) {
  const names = { "safe-harbor": "Safe Harbor", "limited-dataset": "Limited data set" };
  if (policy.own) return "Your own";
  if (policy.byState) return "State's newest hospital file";
  const [, base, paper, without] = policy.name.match(/^(.*?)(-paper)?(?:-without-(zip|race))?$/);
  const forms = { zip: " without ZIP", race: " without race" };
  const name = names[base] ?? base[0].toUpperCase() + base.slice(1).replaceAll("-", " ").replace("zip", "ZIP ");
  return name + (paper ? " (paper)" : "") + (without ? forms[without] : "");
}

/** What a policy releases, in words; of one that differs by state, in a state. */
function releasesIn(policy, state, model) {
  if (!policy.byState) return shownBy(policy.fields, policy.top);
  const ends = state ? model.endsOf(policy, state) : [];
  if (!state) return "what each state's own newest file of hospital records shows";
  if (!ends.length) return "nothing that is recorded";
  const words = [...new Set(ends.map((fields) => shownBy(fields, null)))];
  return `${policy.byState[state.code].title}: ${words.join(", or ")}`;
}

/** What to say of a policy that shows areas. */
function noSafeHarbor({ fields }) {
  return fields.geography.startsWith("area:") ? " Areas are not under Safe Harbor: they need an expert's determination or a limited data set." : "";
}

/** What the model needs of a view. */
function settingOf(view) {
  return {
    who: view.who,
    coverage: view.cov,
    inFile: view.h === 1 ? null : view.h,
    g: view.g,
    price: view.price === "" || view.who !== "list" ? null : view.price,
    share: view.share === "" ? null : view.share,
    list: Object.fromEntries(Object.entries(LIST_EDITS).map(([name, field]) => [field, view[name]])),
  };
}

/** The people of a file as typed: a number of people, a share of them, or 1 for everyone; null where it is not understood. */
function sizeFrom(text) {
  const plain = text.trim().toLowerCase().replace(/[\s,]|people$/g, "");
  if (plain === "" || plain === "everyone") return 1;
  if (!/^(\d+|\d*\.\d+|\d+\.)%?$/.test(plain)) return null;
  const value = plain.endsWith("%") ? Number(plain.slice(0, -1)) / 100 : Number(plain);
  if (plain.endsWith("%") ? value > 1 : value > 1 && value % 1) return null;
  return value >= LEAST_SHARE && value <= 1e9 ? value : null;
}

/** The size of a file in words. */
function sizeWords(size) {
  return size === 1 ? "everyone" : size < 1 ? `${significant(100 * size, 3)}%` : grouped(String(size));
}

/** The counties, of one state or several, in a text such as "39003,26115=0.4", each with its share of the file or null; null where it is damaged. */
function placesOf(text, model) {
  if (!text) return [];
  const places = text.split(",").map((part) => {
    const [code, share] = part.split("=");
    const index = model.facts.counties.code.indexOf(code);
    const county = index < 0 ? undefined : index;
    const value = share === undefined ? null : Number(share);
    return county === undefined || (value !== null && !(value > 0 && value <= 1)) ? null : [county, value];
  });
  return places.includes(null) || new Set(places.map(([county]) => county)).size < places.length ? null : places;
}

function placesText(places, model) {
  return places.map(([county, share]) => model.facts.counties.code[county] + (share === null ? "" : `=${share}`)).join(",");
}

const NEARLY_WHOLE = 0.005; // rounded shares that add up to within this of 1 are all of the file

/**
 * Of each county the chance that one of its people is in a file of some size: a share of their people, or above 1 a
 * number. Places: [county, share of the file]; those without a share have their people's part of the rest.
 */
function chancesFrom(places, size, residents, names) {
  const people = places.map(([county]) => residents(county));
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
  const given = sum(places.map(([, share]) => share ?? 0));
  const free = sum(people.filter((_, i) => places[i][1] === null));
  const wrong = free ? given >= 1 : Math.abs(given - 1) > NEARLY_WHOLE;
  if (wrong) return { reason: `The shares of the counties add up to ${percent(given)}${free ? ": nothing is left for the others." : ". Leave one empty: it gets the rest."}` };
  const records = size > 1 ? size : size * sum(people);
  const chances = places.map(([, share], i) => (records * (share === null ? ((1 - given) * people[i]) / free : free ? share : share / given)) / people[i]);
  const over = chances.findIndex((chance) => chance > 1 + 1e-9);
  if (over >= 0) return { reason: `${names[places[over][0]]} has ${whole(people[over])} people, fewer than the ${whole(chances[over] * people[over])} that would come from it.` };
  return { chances: chances.map((chance) => Math.min(chance, 1)), records };
}

/** Where the file of a view comes from, by state and as the model needs it: its counties, and the chance of their people; empty for the whole state. */
function fromsOf(view, model) {
  const places = placesOf(view.from, model) ?? [];
  const froms = new Map();
  if (!places.length) return froms;
  const { state, name } = model.facts.counties;
  const residents = (county) => model.people.residents(county);
  const { chances, reason } = chancesFrom(places, view.h, residents, name);
  places.forEach(([county], i) => {
    const code = state[county];
    if (!froms.has(code)) froms.set(code, { counties: [], ...(reason ? { reason } : { chances: [], records: 0 }) });
    const from = froms.get(code);
    from.counties.push(county);
    if (reason) return;
    from.chances.push(chances[i]);
    from.records += chances[i] * residents(county);
  });
  return froms;
}

/** Places as typed, "Lucas=40%, Wood; MI: Monroe" or "Monroe, MI": the name of each, its state's code or "", and its share as text. */
function typedPlaces(text, model) {
  const places = [];
  for (const part of text.split(";")) {
    const [, head, rest] = part.match(/^\s*(?:([^:,]+):)?(.*)$/);
    const named = head && model.states.find(({ code, name }) => [code, name].some((word) => word.toLowerCase() === head.trim().toLowerCase()));
    for (const [name, share = ""] of rest.split(",").map((each) => each.split("=").map((word) => word.trim()))) {
      const last = places[places.length - 1];
      if (!head && last && !last.state && model.byCode.has(name)) Object.assign(last, { state: name, share: share || last.share });
      else if (name) places.push({ name, state: named ? named.code : head ? head.trim() : "", share });
    }
  }
  return places;
}

/** The county that a typed name or code means: of its state, or of the chosen one. */
function countyOf({ name, state }, chosen, model) {
  const { code, name: names } = model.facts.counties;
  const plain = (text) => text.toLowerCase().replace(/ (county|parish|planning region)$|[^a-z0-9]/g, "");
  if (/^\d{5}$/.test(name)) return code.includes(name) ? code.indexOf(name) : undefined;
  return model.byCode.get(state || chosen)?.counties.find((county) => plain(names[county]) === plain(name));
}
