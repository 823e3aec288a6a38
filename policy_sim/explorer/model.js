// Policies, lists and attackers: which key links them, and what follows (policy_sim/attackers, voter_lists, analyses).

let FIELDS = []; // those of the facts, in the order of labels
const VOTING_AGE = 18;
const MOST_GROUPS = 12; // kept for each state

class Model {
  constructor(facts, people, zipParts, listing, byEthnicity, composition = null) {
    this.facts = facts;
    this.listing = listing;
    FIELDS = Object.keys(facts.granularities);
    this.zipParts = zipParts;
    this.composition = composition;
    this.people = people;
    this.byEthnicity = byEthnicity;
    this.axes = facts.axes.map(({ fields, above }) => ({ fields, ancestors: this.ancestorsOf(above) }));
    this.ancestors = Object.fromEntries(FIELDS.map((field) => [field, this.ancestorsOf(facts.granularities[field])]));
    this.states = facts.states.map((state) => ({ ...state, counties: [], ofAges: new Map(), groups: new Map() }));
    this.byCode = new Map(this.states.map((state) => [state.code, state]));
    facts.counties.state.forEach((code, county) => this.byCode.get(code).counties.push(county));
    this.plans = new Map();
    this.files = new Map(facts.files.map((file) => [file.name, file]));
    this.policies = new Map(facts.policies.map((policy) => [policy.name, { ...policy, small: smallOf(policy.small) }]));
  }

  coarsest(field) {
    return Object.keys(this.facts.granularities[field])[0];
  }

  ancestorsOf(above) {
    const known = {};
    const of = (name) => (known[name] ??= new Set([name, ...above[name].flatMap((each) => [...of(each)])]));
    Object.keys(above).forEach(of);
    return known;
  }

  /** The finest granularity that both can produce. */
  finest(sets, a, b) {
    const shared = [...sets[a]].filter((name) => sets[b].has(name));
    return shared.reduce((best, name) => (sets[name].size > sets[best].size ? name : best));
  }

  /** A view in its one form: a race with Hispanic among its answers tells the ethnicity. */
  canonical(view) {
    const made = { ...view };
    for (const { fields: [first, ...others], ancestors } of this.axes) {
      if (!ancestors[[first, ...others].map((field) => view[field])]) for (const field of others) made[field] = this.coarsest(field);
    }
    return made;
  }

  /** The finest view that both can produce. */
  meet(a, b) {
    return Object.fromEntries(this.axes.flatMap(({ fields, ancestors }) => {
      const [of, other] = [a, b].map((view) => fields.map((field) => view[field]).join());
      const names = this.finest(ancestors, of, other).split(",");
      return fields.map((field, i) => [field, names[i]]);
    }));
  }

  /** The key of a release with a list: what both show, or how race is compared that they ask in two ways. */
  compared(release, list) {
    const { raceAlone, compared } = this.facts;
    const key = this.meet(release, list);
    const views = [release, list];
    const [alone, ...more] = views.filter((view) => !raceAlone[view.race]);
    if (!alone || more.length || alone.race === "none" || alone.ethnicity !== "none") return key;
    const race = this.finest(this.ancestors.race, ...views.map((view) => raceAlone[view.race] ?? view.race));
    return { ...key, race: Object.keys(compared).find((name) => compared[name][views.indexOf(alone)] === race) };
  }

  /** Whether a key can be counted only where the page has people by ethnicity. */
  tellsEthnicity({ race, ethnicity }) {
    return ethnicity !== "none" || race in this.facts.raceAlone || race in this.facts.compared;
  }

  /** What a holder may see: one view for each way in which unknown fields may be held, coarsest first. */
  views(fields, anywhere = "state") {
    let chosen = [{}];
    for (const [name, linked] of Object.entries(this.facts.linkedAs)) {
      const [availability, granularity] = fields[name];
      const held = { included: [granularity || "included"], unknown: ["", ...linked] }[availability] ?? [""];
      chosen = chosen.flatMap((before) => held.map((each) => ({ ...before, [name]: each })));
    }
    return chosen.map(({ zip, ...held }) => {
      let place = held.geography || anywhere;
      if (zip) place = { nation: "zip5", state: "zip5", county: "county_zip5" }[place] ?? place;
      const both = held.race === "race_and_ethnicity" ? { race: "value", ethnicity: "value" } : {};
      const view = FIELDS.map((field) => [field, held[field] === "included" ? "value" : held[field] || this.coarsest(field)]);
      return { ...Object.fromEntries(view), ...both, geography: place };
    });
  }

  /** The list of a state, with what the reader changed. */
  listOf(state, setting) {
    const list = this.facts.lists[state.code];
    if (!list || list.status !== "available") return list;
    const fields = { ...list.fields };
    for (const [name, word] of Object.entries(setting.list ?? {})) {
      if (word === "withheld") fields[name] = ["withheld", ""];
      else if (word) fields[name] = ["included", word];
    }
    return { ...list, fields };
  }

  /** The people of a state in the file: the chance of each, or of those of each county that it comes from, and how many. */
  fileIn(state, { inFile, from }) {
    if (from) return { inFile: from.chances, records: from.records };
    const chance = inFile > 1 ? inFile / state.people : inFile;
    return { inFile: chance, records: state.people * (chance ?? 1) };
  }

  /** The keys by which the attacker links in a state, or why there are none. */
  linkage(state, policy, setting) {
    if (setting.from?.reason) return { status: "unknown", reason: setting.from.reason, keys: [] };
    if (setting.inFile > state.people) return { status: "too_few", reason: `a file of ${grouped(String(setting.inFile))} people is more than ${state.name} has (${grouped(String(state.people))})`, keys: [] };
    const linkage = this.linked(state, policy, setting);
    const blank = linkage.keys.some(isZip) && setting.from?.counties.find((county) => !this.zipParts[county].length);
    if (Number.isInteger(blank)) return { status: "unknown", reason: `no ZIP code areas are known for ${this.facts.counties.name[blank]}`, keys: [] };
    if (this.byEthnicity || !linkage.keys.some((key) => this.tellsEthnicity(key))) return linkage;
    return { status: "unknown", reason: "the people of this page are not counted by ethnicity, which is linked on", keys: [] };
  }

  linked(state, policy, setting) {
    const conditions = { top: policy.top, small: policy.small };
    const keyOf = (view, listed) => ({ ...view, ...this.conditionsOn(view, conditions, listed) });
    const ends = this.endsOf(policy, state);
    if (!ends.length) return { status: "unknown", reason: policy.whyNot, keys: [] };
    if (setting.who === "everyone") return this.between(ends.map((fields) => keyOf(fields, false)), "the release shows");
    const held = this.heldIn(state, setting);
    if (!held.views) return { status: held.status, reason: held.reason, keys: [] };
    const keys = ends.flatMap((fields) => held.views.map((view) => keyOf(this.compared(fields, view), true)));
    const linkage = this.between(keys, ends.length > 1 ? `release and ${held.noun} show` : `the ${held.noun} holds`);
    if (this.sharesIn(state, setting).length === 1) return linkage;
    return { ...linkage, status: "interval", reason: [linkage.reason, "not known how many people the file holds"].filter(Boolean).join("; ") };
  }

  /** What the attacker's list or file shows in a state, or why there is nothing to link with. */
  heldIn(state, setting) {
    const file = this.files.get(setting.who);
    if (file) {
      if (!file.states || file.states.includes(state.code)) return { views: this.views(file.fields, file.place), noun: "file" };
      return { status: "not_covered", reason: `the file covers ${file.states.join(", ")} only` };
    }
    const list = this.listOf(state, setting);
    if (!list) return { status: "unknown", reason: `no voter list of ${state.name} is described` };
    if (list.status !== "available") return { status: list.status, reason: list.reason };
    if (setting.coverage === "survey" && !(state.code in this.facts.surveyed)) {
      return { status: "unknown", reason: `no figure of the registered voters in ${state.name}` };
    }
    return { views: this.views(list.fields), noun: "list" };
  }

  /** What a policy surely shows in a state, and the most that it may show; one where both are the same. */
  endsOf(policy, state) {
    if (!policy.byState) return [policy.fields];
    const [low, high] = policy.byState[state.code]?.ends ?? [];
    if (!low) return [];
    return FIELDS.every((field) => low[field] === high[field]) ? [high] : [low, high];
  }

  between(keys, who) {
    const [low, high] = [keys[0], keys[keys.length - 1]];
    const unknown = FIELDS.filter((field) => low[field] !== high[field]);
    if (!unknown.length) return { status: "ok", keys: [low] };
    return { status: "interval", reason: `not known whether ${who} ${unknown.join(", ").replace("gender", "sex").replace("geography", "county or ZIP code")}`, keys };
  }

  conditionsOn(view, { top, small }, listed) {
    const place = view.geography;
    const inside = place !== "nation" && place !== "state";
    const told = !listed || !small || this.ancestors.geography[place].has(small.place);
    return { top: view.birth === "none" ? null : top, small: small && inside && told ? small : null };
  }

  /** How many people of some ages a state has. */
  peopleOf(state, ages) {
    const name = ages.join();
    if (!state.ofAges.has(name)) {
      const everyone = Object.fromEntries(FIELDS.map((field) => [field, this.coarsest(field)]));
      const key = { ...everyone, geography: "state", top: null, small: null };
      state.ofAges.set(name, this.groupsOf(state, key, ages).n.reduce((sum, each) => sum + each, 0));
    }
    return state.ofAges.get(name);
  }

  /** The least and the greatest age of those who may be listed. */
  agesOf(setting) {
    const file = this.files.get(setting.who);
    if (file) return file.ages;
    return setting.who === "everyone" || setting.coverage === "everyone" ? [0, null] : [VOTING_AGE, null];
  }

  /** Who is on the list by county and age, where that is asked for; else everyone of those ages has one chance. */
  listingOf(setting) {
    if (setting.who !== "list" || setting.coverage !== "registered") return null;
    return setting.assumed ? this.listing.others.get(setting.assumed) : this.listing;
  }

  /** What else may be assumed of the records of a state's list: the ends of a range. */
  othersIn(state, setting) {
    return this.listingOf(setting) ? this.facts.listing.others.filter(({ states }) => states.includes(state.code)).map(({ name }) => name) : [];
  }

  /** The chance of those people to be listed: one, or from the least to the greatest where it is not known. */
  sharesIn(state, setting) {
    const ages = this.agesOf(setting);
    const file = this.files.get(setting.who);
    if (file) {
      if (setting.share !== null && setting.share !== undefined) return [setting.share];
      const most = file.listed && state.code in file.listed ? Math.min(1, file.listed[state.code] / this.peopleOf(state, ages)) : 1;
      return file.shares.map((share) => share * most);
    }
    if (setting.who === "everyone" || ["everyone", "adults", "registered"].includes(setting.coverage)) return [1]; // or the groups know
    if (setting.coverage !== "survey") return [setting.coverage];
    const adults = this.peopleOf(state, ages);
    return [adults ? Math.min(1, this.facts.surveyed[state.code] / adults) : 1];
  }

  planFor(key, ages) {
    const classed = this.isClassed(key, ages);
    const name = `${FIELDS.map((field) => (field === "geography" ? "" : key[field]))} ${key.top} ${ages} ${classed}`;
    if (!this.plans.has(name)) {
      const { ages: classes, census, daysPerYear, compared } = this.facts;
      const { ethnicity, ...categories } = census.categories;
      const told = classed || this.tellsEthnicity(key) ? census : { ...census, categories };
      const plan = planOf(key, classes, told, daysPerYear, ages, compared[key.race]);
      this.plans.set(name, classed ? classedPlan(plan, this.composition.ofCells, this.composition.many) : plan);
    }
    return this.plans.get(name);
  }

  /** Whether people live in the places of a key by their class. The people of each part are counted: of all alike no class is needed. */
  isClassed(key, [least, most]) {
    if (!this.composition || !isZip(key)) return false;
    return least > 0 || most !== null || FIELDS.some((field) => field !== "geography" && key[field] !== this.coarsest(field));
  }

  /** The people as a key needs them. */
  peopleFor(key, ages) {
    return this.isClassed(key, ages) || this.tellsEthnicity(key) ? this.byEthnicity : this.people;
  }

  /** The groups of a state under a key, made once. */
  groupsOf(state, key, ages, listing = null, counties = null) {
    const name = `${FIELDS.map((field) => key[field])} ${key.top} ${key.small ? key.small.most : ""} ${ages} ${listing ? `on ${listing.name}` : ""} ${counties ?? ""}`;
    let groups = state.groups.get(name);
    if (!groups) {
      const plan = this.planFor(key, ages);
      const people = this.peopleFor(key, ages);
      if (counties) groups = severalGroups(people, counties, plan, key, this, listing);
      else if (plan.classed) groups = classedGroups(people, state.counties, plan, key, this.composition, listing);
      else if (isZip(key)) groups = zipGroups(people, state.counties, plan, key, this.zipParts, listing);
      else groups = mergedGroups(people, state.counties, plan, key.geography === "county", listing);
    }
    state.groups.delete(name); // the newest stand last
    state.groups.set(name, groups);
    if (state.groups.size > MOST_GROUPS) state.groups.delete(state.groups.keys().next().value);
    return groups;
  }

  /**
   * Everything that is shown of a state under a policy: expected people and shares, each from low to high where the
   * list is not fully known.
   */
  evaluate(state, policy, setting) {
    return atOnce(this.evaluating(state, policy, setting));
  }

  /** The same in steps. */
  *evaluating(state, policy, setting) {
    const { status, reason = "", keys } = this.linkage(state, policy, setting);
    const result = { state: state.code, status, reason, keys, inhabitants: state.people, each: [], g: setting.g };
    if (!keys.length) return result;
    const ages = this.agesOf(setting);
    const shares = this.sharesIn(state, setting);
    const listing = this.listingOf(setting);
    const { inFile, records } = this.fileIn(state, setting);
    const seen = new Map();
    for (const listed of shares) {
      for (const key of keys) {
        const name = `${JSON.stringify(key)} ${listed}`;
        if (!seen.has(name)) seen.set(name, yield* measuring(this.groupsOf(state, key, ages, listing, setting.from?.counties), listed, inFile, setting.g));
        result.each.push(seen.get(name));
      }
    }
    result.ranged = shares.length > 1;
    result.surely = shares[0] === 1 && !listing;
    result.records = records;
    [result.low, result.high] = shares.length > 1 ? extremesOf(result.each) : [result.each[0], result.each[result.each.length - 1]];
    return result;
  }

  /** Find what other group sizes would give, place by place; where much is not known it would take too long. */
  *lookAhead(state, policy, setting, most) {
    const { keys } = this.linkage(state, policy, setting);
    const shares = this.sharesIn(state, setting);
    if (keys.length * shares.length > 2 || setting.from) return;
    for (const key of keys) yield* lookAhead(this.groupsOf(state, key, this.agesOf(setting), this.listingOf(setting)), shares[0], this.fileIn(state, setting).inFile, most);
  }

  /** Whether a curve puts together so much that it must wait until nothing moves. */
  isSlow(state, policy, setting) {
    return Boolean(setting.from) || this.linkage(state, policy, setting).keys.some(isZip);
  }

  /** The share g-distinct for g = 1 to most, low end and high end of what is not known. */
  curve(state, policy, setting, most) {
    const { keys } = this.linkage(state, policy, setting);
    if (!keys.length) return null;
    const ages = this.agesOf(setting);
    const { inFile, records } = this.fileIn(state, setting);
    const held = keys.length > 1 ? [keys[0], keys[keys.length - 1]] : [keys[0]];
    const curves = this.sharesIn(state, setting).flatMap((listed) => held.map((key) => {
      const sizesIn = setting.from ? sizesOfSeveral : isZip(key) ? sizesByZip : sizesOf;
      const sizes = sizesIn(this.groupsOf(state, key, ages, this.listingOf(setting), setting.from?.counties), listed, inFile, most);
      let sum = 0;
      return sizes.map((people) => (sum += people) / records);
    }));
    if (curves.length <= held.length) return curves;
    return [Math.min, Math.max].map((of) => curves[0].map((_, g) => of(...curves.map((curve) => curve[g]))));
  }

  /** Each county's part of the expected people; counties share the groups of a key that does not hold the county. */
  counties(state, policy, setting) {
    const { keys } = this.linkage(state, policy, setting);
    if (!keys.length) return [];
    const ages = this.agesOf(setting);
    const listed = Math.max(...this.sharesIn(state, setting));
    const listing = this.listingOf(setting);
    const key = keys[0];
    const { inFile } = this.fileIn(state, setting);
    if (setting.from) return this.countiesOfFile(state, key, ages, listed, setting);
    if (isZip(key) && !isInCounty(key)) return [];
    const plan = this.planFor(key, ages);
    if (isZip(key)) return this.countiesByZip(state, key, ages, listed, { ...setting, inFile });
    const sums = state.counties.map((county) => new Sums(plan, this.peopleFor(key, ages), listing).add(county));
    const figuresOf = key.geography === "county" ? (own) => measured(own.groups(), listed, inFile, setting.g) : partsOf(sums, listed, { ...setting, inFile });
    return state.counties.map((county, i) => {
      const inhabitants = this.people.residents(county);
      return { county, inhabitants, records: inhabitants * (inFile ?? 1), ...figuresOf(sums[i]) };
    });
  }

  /** As counties, those that a file comes from. */
  countiesOfFile(state, key, ages, listed, { from: { counties, chances }, ...setting }) {
    const figures = measuredParts(this.groupsOf(state, key, ages, this.listingOf(setting), counties), listed, chances, setting.g);
    return counties.map((county, i) => {
      const inhabitants = this.people.residents(county);
      return { county, inhabitants, records: inhabitants * chances[i], ...figures[i] };
    });
  }

  /** As counties, where a key holds the county and the ZIP code. */
  countiesByZip(state, key, ages, listed, setting) {
    const groups = this.groupsOf(state, key, ages, this.listingOf(setting));
    return state.counties.map((county) => {
      const inhabitants = this.people.residents(county);
      const own = groups.kind === "classed" ? { blocks: groups.blocks.filter((each) => each.county === county) } : { counties: groups.counties.filter((each) => each.county === county) };
      const found = measured({ ...groups, ...own }, listed, setting.inFile, setting.g);
      return { county, inhabitants, records: inhabitants * (setting.inFile ?? 1), ...found };
    });
  }

  /** What a state's list, or the file, costs for the people it holds: dollars, or why there are none. */
  price(state, setting) {
    const held = this.files.get(setting.who) ?? this.listOf(state, setting);
    if (!held) return { usd: null, status: "unknown", reason: "no list is described" };
    if (this.files.has(setting.who) && this.heldIn(state, setting).status) return { usd: null, ...this.heldIn(state, setting) };
    if (setting.price !== null && held.status === "available") {
      return { usd: setting.price, status: setting.price ? "ok" : "free", reason: "your price" };
    }
    const asked = setting.who === "everyone" ? { ...setting, who: "list" } : setting;
    const ages = this.agesOf(asked);
    if (this.listingOf(asked)) {
      const { listed, stale } = this.listing.records(state.counties); // a list is bought by its records
      return amountOf(held.price, listed + stale, state.counties.length);
    }
    const records = (ages[0] || ages[1] !== null ? this.peopleOf(state, ages) : state.people) * Math.max(...this.sharesIn(state, asked));
    return amountOf(held.price, records, state.counties.length);
  }
}

/** Whether the places of a key are made of ZIP codes. */
function isZip({ geography }) {
  return geography.startsWith("area:") || ["zip3", "zip5", "county_zip3", "county_zip5"].includes(geography);
}

function smallOf(small) {
  return small && { ...small, hidden: new Set(small.hidden) };
}
