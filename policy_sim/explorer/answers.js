// Policies by name, and the reader's own.

/** A policy by its name, or by what it shows: "gender=value,race=none,birth=year,geography=county,top=90". */
function policyOf(text, model) {
  if (model.policies.has(text)) return model.policies.get(text);
  const given = Object.fromEntries(text.split(",").map((part) => part.split("=")));
  const named = Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? model.coarsest(field)]));
  if (!FIELDS.every((field) => Object.hasOwn(model.facts.granularities[field], named[field]))) return null;
  const fields = model.canonical(named);
  if (!["state", "county", ...(model.zipParts ? ["zip3", "county_zip3", "county_zip5", ...model.facts.areas] : [])].includes(fields.geography)) return null;
  const top = given.top === undefined ? null : Number(given.top);
  if (top !== null && !(Number.isInteger(top) && top > 0)) return null;
  return { name: text, title: "Your own", own: true, fields, top: fields.birth === "none" ? null : top, small: null, citation: "", rules: [] };
}

function policyText(fields, top) {
  const parts = FIELDS.filter((field) => field !== "ethnicity" || fields[field] !== "none").map((field) => `${field}=${fields[field]}`);
  return [...parts, ...(top && fields.birth !== "none" ? [`top=${top}`] : [])].join(",");
}

// What the page shows of each state, computed here or in workers (serving.js).

const MOST_REMEMBERED = 5000; // figures of one state under one policy in one setting

/** What the figures under a policy depend on. */
function nameOf(release, { who, coverage, inFile, share, list, assumed, from }, g) {
  const held = { everyone: [], list: [coverage, list, assumed] }[who] ?? [share];
  return JSON.stringify([release, who, ...held, inFile, g, from?.counties, from?.chances, from?.reason]);
}

/** The figures of states, each computed once. */
class Answers {
  constructor(model) {
    this.model = model;
    this.known = new Map();
  }

  /** What a state answers: under each release, and what its list costs. */
  of(state, question) {
    return atOnce(this.finding(state, question));
  }

  /** The same in steps. */
  *finding(state, { releases, setting, g }) {
    const results = {};
    for (const name in releases) results[name] = yield* this.figures(state, releases[name], setting, g);
    return { code: state.code, results, price: setting.who === "everyone" ? null : this.model.price(state, setting) };
  }

  /** The figures under one release. The groups that they are made of take much room: those of a mere guess are let go. */
  *figures(state, release, setting, g, keep = true) {
    const held = keep ? null : new Set(state.groups.keys());
    const figures = this.recall(state, release, setting, g) ?? (yield* this.model.evaluating(state, policyOf(release, this.model), { ...setting, g }));
    if (held) for (const key of state.groups.keys()) if (!held.has(key)) state.groups.delete(key);
    return this.remember(state, release, setting, g, figures);
  }

  /** The figures under each other assumption about the records of the list, which are the ends of a range. */
  *others(state, release, setting, g) {
    const others = [];
    for (const assumed of this.model.othersIn(state, setting)) {
      const { low, high } = yield* this.figures(state, release, { ...setting, assumed }, g);
      others.push({ name: assumed, low, high });
    }
    return others;
  }

  /** The same of several questions. */
  *ranges(questions) {
    const found = [];
    for (const { code, release, setting, g } of questions) found.push(yield* this.others(this.model.byCode.get(code), release, setting, g));
    return found;
  }

  /** What is known, if need be with more small groups than are asked for. */
  recall(state, release, setting, g) {
    const known = this.known.get(this.keyOf(state, release, setting, g));
    return known ?? (g === 1 ? this.known.get(this.keyOf(state, release, setting, setting.g)) : undefined);
  }

  remember(state, release, setting, g, figures) {
    const name = this.keyOf(state, release, setting, g);
    this.known.delete(name); // the newest stand last
    this.known.set(name, figures);
    if (this.known.size > MOST_REMEMBERED) this.known.delete(this.known.keys().next().value);
    return figures;
  }

  keyOf(state, release, setting, g) {
    return `${state.code} ${nameOf(release, setting, g)}`;
  }
}

/** Read the model out of the page's compressed data. */
async function modelFrom(bytes) {
  const packed = ["facts", "zip-parts", "areas", "chances", "lengths", "listing", "listing-earlier", "factors", "hispanic-chances", "hispanic-lengths"];
  const [facts, zips, areas, chances, lengths, listed, earlier, factors, ...ofHispanics] = await Promise.all(packed.map((name) => inflated(bytes[name])));
  const known = JSON.parse(new TextDecoder().decode(facts));
  const { sex, race } = known.census.categories;
  const shape = [known.counties.code.length, sex.length, race.length, known.ages.length];
  const people = new People(shortsOf(chances), shortsOf(lengths), bytes.people, shape);
  const listing = new Listing(known.listing, listed, people, known.ages, earlier);
  const byEthnicity = known.byEthnicity ? new PeopleByEthnicity(people, new People(...ofHispanics.map(shortsOf), bytes.hispanics, shape)) : null;
  const zipParts = zips.length ? zipPartsOf(zips, known.counties.code.length, areas, known.areas) : null;
  const composition = known.factors ? new Composition(known.factors, factors, zipParts, known) : null;
  return new Model(known, people, zipParts, listing, byEthnicity, composition);
}

/** The curves of some states. */
function curvesOf(model, { lines, most }) {
  return lines.map(({ code, policy, setting }) => model.curve(model.byCode.get(code), policyOf(policy, model), setting, most));
}
