// What the reader chose: one object, written into the address fragment and read back from it.

const DEFAULTS = {
  a: "limited-dataset", b: "safe-harbor", who: "everyone", cov: "registered", h: 1, g: 5, m: "risk", s: "OH", s2: "", county: "a",
  lg: "", lr: "", lb: "", lp: "", price: "", share: "", hold: "", sort: "", ma: "none", mb: "none",
};
const LIST_EDITS = { lg: "gender", lr: "race", lb: "birth", lp: "geography" };
const EDIT_WORDS = { lg: ["", "withheld", "value"], lr: ["", "withheld", "value"], lb: ["", "withheld", "year", "month", "date"], lp: ["", "withheld", "county"] };
const LEAST_SHARE = 0.0001;
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
  number("h", LEAST_SHARE / 10, 1, true);
  number("g", 1, MOST_GROUP);
  for (const name in LIST_EDITS) if (EDIT_WORDS[name].includes(given.get(name) ?? "")) view[name] = given.get(name) ?? "";
  if (given.get("price") !== null && Number(given.get("price")) >= 0 && given.get("price") !== "") view.price = Number(given.get("price"));
  const hold = (given.get("hold") ?? "").split(",").map(Number);
  if (given.get("hold") && hold.every((each) => each > 0) && hold.length < 7) view.hold = given.get("hold");
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

/** What the model needs of a view. */
function settingOf(view) {
  return {
    who: view.who,
    coverage: view.cov,
    inFile: view.h < 1 ? view.h : null,
    g: view.g,
    price: view.price === "" || view.who !== "list" ? null : view.price,
    share: view.share === "" ? null : view.share,
    list: Object.fromEntries(Object.entries(LIST_EDITS).map(([name, field]) => [field, view[name]])),
  };
}
