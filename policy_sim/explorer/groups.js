// People who share the part of a key that the census shows: policy_sim/people/merge.py.

const SPANS = { twenty_years: 20, fifteen_years: 15, decade: 10, five_years: 5, four_years: 4, three_years: 3, two_years: 2, year: 1 };

/** The visible class and the hidden bins of an age class, as population/visible_ages.age_classes. */
function classOf([age, width], birth, top, daysPerYear) {
  const plain = (years) => {
    if (birth in SPANS) {
      const span = SPANS[birth];
      return years > span ? [age, years / span] : [Math.floor(age / span) * span, 1];
    }
    return [age, years * { quarter: 4, month: 12, date: daysPerYear }[birth]];
  };
  if (birth === "none") return [0, 1];
  if (top === null) return plain(width);
  const below = Math.min(Math.max(top - age, 0), width);
  const [lower, bins] = plain(Math.max(below, 1));
  if (below === 0) return [top, 1];
  return below < width ? [age, bins + 1] : [lower, bins];
}

/** What a key shows of each kind of person, in the order of the cells: a number for each, and how many there are. */
function kindsOf(key, { fields, categories }) {
  const names = Object.keys(categories);
  let kinds = [{}];
  for (const name of names) kinds = kinds.flatMap((kind) => categories[name].map((value) => ({ ...kind, [name]: value })));
  const many = { of: kinds.map(() => 0), many: 1 };
  for (const [field, views] of Object.entries(fields)) {
    const view = views[key[field]];
    if (!view) continue;
    const [other, value] = view.apart;
    const classes = view.classes.length ? [...view.classes, []] : categories[view.column].map((each) => [each]);
    const shown = [...classes, ...(other ? [[]] : [])];
    const last = shown.length - 1 - view.apart.slice(0, 1).length;
    many.of = many.of.map((code, i) => {
      const at = other && kinds[i][other] === value ? shown.length - 1 : shown.findIndex((values) => values.includes(kinds[i][view.column]));
      return code * shown.length + (at < 0 ? last : at);
    });
    many.many *= shown.length;
  }
  return many;
}

/**
 * The classes into which a key puts people, by kind: whose records are of each (own), and whom these may be (candidates).
 * Where release and list ask race in two ways, a record may be whoever the list can show of the people of its class.
 */
function classesBy(key, census, compared) {
  const [released, listed] = compared.map((race) => kindsOf({ race }, census).of);
  return [...new Set(released)].map((number) => {
    const own = released.map((each) => each === number);
    const seen = new Set(listed.filter((_, i) => own[i]));
    return { own, candidates: listed.map((each) => seen.has(each)) };
  });
}

/**
 * Where each cell of a county goes: to the group of a number, or nowhere. Where race is compared, the groups of each
 * class stand after those of the one before, and "released" says where its own people go.
 */
function planOf(key, ages, census, daysPerYear, [least, most], compared) {
  const kinds = new Map();
  const bins = [];
  const classes = ages.map((each) => {
    if (each[0] < least || (most !== null && each[0] > most)) return -1;
    const seen = classOf(each, key.birth, key.top, daysPerYear);
    const name = seen.join();
    if (!kinds.has(name)) {
      kinds.set(name, bins.length);
      bins.push(seen[1]);
    }
    return kinds.get(name);
  });
  const people = kindsOf(key, census); // of a race that is compared, there is no view
  const many = people.many * bins.length;
  const to = (first, held) => runsOf(people.of.flatMap((kind, i) => classes.map((age) => (age < 0 || !held[i] ? -1 : first + kind * bins.length + age))));
  const parts = compared ? classesBy(key, census, compared) : [{ candidates: people.of.map(() => true) }];
  const size = parts.length * many;
  return {
    runs: parts.flatMap(({ candidates }, i) => to(i * many, candidates)),
    released: compared ? { runs: parts.flatMap(({ own }, i) => to(i * many, own)) } : null,
    bins: Float64Array.from({ length: size }, (_, i) => bins[i % bins.length]),
    size,
  };
}

/** Stretches of cells that go to one group, or to one group after the other: where they begin, end and go, and the step. */
function runsOf(to) {
  const runs = [];
  for (let i = 0; i < to.length; ) {
    let end = i + 1;
    const step = to[end] === to[i] + 1 ? 1 : 0;
    while (end < to.length && to[end] === to[end - 1] + step) end++;
    if (to[i] >= 0) runs.push([i, end, to[i], step]);
    i = end;
  }
  return runs;
}

/** Add the cells of a county to the sums of its groups: by runs of cells, or cell by cell. */
function addCounty(sums, cells, { runs, from, to: groups }) {
  if (from) {
    for (let i = 0; i < from.length; i++) sums[groups[i]] += cells[from[i]];
    return;
  }
  for (let run = 0; run < runs.length; run++) {
    const [start, end, to, step] = runs[run];
    if (step) for (let i = start, group = to; i < end; ) sums[group++] += cells[i++];
    else {
      let sum = 0;
      for (let i = start; i < end; i++) sum += cells[i];
      sums[to] += sum;
    }
  }
}

/**
 * Sums over the people of each group of a plan: people, and on a list the listed, squares of chances, stale records.
 * Where a part of them is released (own), the people and the listed of this part.
 */
class Sums {
  constructor(plan, people, listing) {
    Object.assign(this, { plan, source: people, listing });
    const sums = (many) => Array.from({ length: many }, () => new Float64Array(plan.size));
    [this.people] = sums(1);
    this.entries = sums(listing ? 3 : 0);
    this.own = plan.released ? sums(listing ? 2 : 1) : [this.people, ...this.entries.slice(0, 1)];
    this.all = [...new Set([this.people, ...this.entries, ...this.own])];
  }
  add(county) {
    const { plan, listing } = this;
    const cells = this.source.county(county);
    const entries = listing ? listing.entriesOf(county, cells) : [];
    addCounty(this.people, cells, plan);
    entries.forEach((each, i) => addCounty(this.entries[i], each, plan));
    if (plan.released) this.own.forEach((sums, i) => addCounty(sums, i ? entries[0] : cells, plan.released));
    return this;
  }
  addAll(other) {
    other.all.forEach((sums, at) => sums.forEach((number, i) => (this.all[at][i] += number)));
  }
  clear() {
    for (const each of this.all) each.fill(0);
  }
  /** How many people a group has, and how many of them are listed. */
  whoIn(i, listed) {
    return [this.people[i], this.listing ? this.entries[0][i] : this.people[i] * listed];
  }
  /** The same of the people who are released. */
  ownIn(i, listed) {
    return [this.own[0][i], this.listing ? this.own[1][i] : this.own[0][i] * listed];
  }
  /** The released part of a group: of those who are listed, and of those who are not. */
  sharesOf(i) {
    if (!this.plan.released) return [1, 1];
    const [people, listed] = this.whoIn(i, 0);
    const [own, ownListed] = this.ownIn(i, 0);
    const left = people - listed;
    return [this.listing ? ownListed / (listed || 1) : own / (people || 1), left > 1e-12 * people ? (own - ownListed) / left : 0];
  }
  /** One group by itself. */
  group(i) {
    if (!this.listing) return { n: [this.people[i]], b: [this.plan.bins[i]], w: [1] };
    const collected = new CollectedOnList();
    collected.add(this.people[i], this.plan.bins[i], ...this.entries.map((entry) => entry[i]));
    return collected.groups();
  }
  /** The groups, each once. */
  groups() {
    const collected = this.listing ? new CollectedOnList() : new Collected();
    this.collect(collected);
    return collected.groups();
  }
  collect(collected) {
    const { people, plan, own: [own] } = this;
    const [listed, squares, stale] = this.entries;
    for (let i = 0; i < plan.size; i++) {
      if (!own[i]) continue;
      const shares = this.sharesOf(i);
      if (!listed) collected.add(people[i], plan.bins[i], shares[0]);
      else if (listed[i] > 0) collected.add(people[i], plan.bins[i], listed[i], squares[i], stale[i], shares);
    }
  }
}

/** Collects groups, those that are alike once: how many they are (w), of groups of which a part is released that part. */
class Collected {
  constructor() {
    this.kinds = new Map();
  }
  next() {}
  add(people, bins, share = 1) {
    let kind = this.kinds.get(bins);
    if (!kind) this.kinds.set(bins, (kind = { few: new Float64Array(4096), large: new Map() }));
    if (people < 4096) kind.few[people] += share;
    else kind.large.set(people, (kind.large.get(people) ?? 0) + share);
  }
  groups() {
    const n = [];
    const b = [];
    const w = [];
    for (const [bins, { few, large }] of this.kinds) {
      for (let people = 1; people < few.length; people++) {
        if (few[people]) {
          n.push(people);
          b.push(bins);
          w.push(few[people]);
        }
      }
      for (const [people, times] of large) {
        n.push(people);
        b.push(bins);
        w.push(times);
      }
    }
    return { n: Float64Array.from(n), b: Float64Array.from(b), w: Float64Array.from(w) };
  }
}

/** Collects groups that know who is on the list: those of one county are often alike. */
class CollectedOnList {
  constructor() {
    this.found = { n: [], b: [], w: [], people: [], chance: [], stale: [], left: [] };
    this.alike = new Map();
  }
  /** People of other counties are listed with other chances. */
  next() {
    this.alike.clear();
  }
  /** Of the listed and the squares of chances: the binomial with that mean and variance. Shares: those of sharesOf. */
  add(people, bins, listed, squares, stale, [share, left] = [1, 1]) {
    const { found } = this;
    const chance = Math.min(squares / listed, 1);
    const same = this.alike.get(listed);
    if (same !== undefined && found.people[same] === people && found.b[same] === bins && found.chance[same] === chance && found.stale[same] === stale) {
      found.w[same] += share;
      found.left[same] += left;
      return;
    }
    const trials = Math.min(listed / chance, people);
    this.alike.set(listed, found.n.length);
    found.n.push(Math.abs(trials - people) < 1e-9 * people ? people : Math.max(trials, 1)); // the last digit makes no more trials than people
    found.b.push(bins);
    found.w.push(share);
    found.left.push(left);
    found.people.push(people);
    found.chance.push(chance);
    found.stale.push(stale);
  }
  groups() {
    const { people, chance, stale, left, ...groups } = Object.fromEntries(Object.entries(this.found).map(([name, values]) => [name, Float64Array.from(values)]));
    return { ...groups, on: { people, chance, stale, left } };
  }
}

/** The groups of a set of counties under a key: those of the whole set, or of each county by itself. */
function mergedGroups(people, counties, plan, byCounty, listing) {
  const sums = new Sums(plan, people, listing);
  if (!byCounty) {
    for (const county of counties) sums.add(county);
    return sums.groups();
  }
  const collected = listing ? new CollectedOnList() : new Collected();
  for (const county of counties) {
    sums.add(county).collect(collected);
    sums.clear();
    collected.next();
  }
  return collected.groups();
}
