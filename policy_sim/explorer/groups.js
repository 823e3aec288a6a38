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
    const shown = [...(view.singles.length ? [...view.singles, null] : categories[view.column]), ...view.apart.slice(0, 1)];
    const last = shown.length - 1 - view.apart.slice(0, 1).length;
    many.of = many.of.map((code, i) => {
      const at = other && kinds[i][other] === value ? shown.length - 1 : shown.indexOf(kinds[i][view.column]);
      return code * shown.length + (at < 0 ? last : at);
    });
    many.many *= shown.length;
  }
  return many;
}

/** Where each cell of a county goes: the number of its group, or -1 for people who are left out. */
function planOf(key, ages, census, daysPerYear, [least, most]) {
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
  const people = kindsOf(key, census);
  const to = people.of.flatMap((kind) => classes.map((age) => (age < 0 ? -1 : kind * bins.length + age)));
  const binsOf = [];
  const size = people.many * bins.length;
  for (let i = 0; i < size; i++) binsOf.push(bins[i % bins.length]);
  return { runs: runsOf(to), bins: Float64Array.from(binsOf), size };
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

/** Add the cells of a county to the sums of its groups. */
function addCounty(sums, cells, { runs }) {
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

/** Sums over the people of each group of a plan: people, and on a list the listed, squares of chances, stale records. */
class Sums {
  constructor(plan, people, listing) {
    Object.assign(this, { plan, source: people, listing });
    this.people = new Float64Array(plan.size);
    this.entries = listing ? [0, 1, 2].map(() => new Float64Array(plan.size)) : [];
  }
  add(county) {
    addCounty(this.people, this.source.county(county), this.plan);
    if (this.listing) this.listing.entriesOf(county).forEach((cells, i) => addCounty(this.entries[i], cells, this.plan));
    return this;
  }
  addAll(other) {
    other.people.forEach((people, i) => (this.people[i] += people));
    other.entries.forEach((entry, at) => entry.forEach((number, i) => (this.entries[at][i] += number)));
  }
  clear() {
    for (const each of [this.people, ...this.entries]) each.fill(0);
  }
  /** How many people a group has, and how many of them are listed. */
  whoIn(i, listed) {
    return [this.people[i], this.listing ? this.entries[0][i] : this.people[i] * listed];
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
    const { people, plan } = this;
    const [listed, squares, stale] = this.entries;
    for (let i = 0; i < plan.size; i++) {
      if (!people[i]) continue;
      if (!listed) collected.add(people[i], plan.bins[i]);
      else if (listed[i] > 0) collected.add(people[i], plan.bins[i], listed[i], squares[i], stale[i]);
    }
  }
}

/** Collects groups, those that are alike once. */
class Collected {
  constructor() {
    this.kinds = new Map();
  }
  next() {}
  add(people, bins) {
    let kind = this.kinds.get(bins);
    if (!kind) this.kinds.set(bins, (kind = { few: new Int32Array(4096), large: new Map() }));
    if (people < 4096) kind.few[people]++;
    else kind.large.set(people, (kind.large.get(people) ?? 0) + 1);
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
    this.found = { n: [], b: [], w: [], people: [], chance: [], stale: [] };
    this.alike = new Map();
  }
  /** People of other counties are listed with other chances. */
  next() {
    this.alike.clear();
  }
  /** Of the listed and the squares of chances: the binomial with that mean and variance. */
  add(people, bins, listed, squares, stale) {
    const { found } = this;
    const chance = Math.min(squares / listed, 1);
    const same = this.alike.get(listed);
    if (same !== undefined && found.people[same] === people && found.b[same] === bins && found.chance[same] === chance && found.stale[same] === stale) {
      found.w[same]++;
      return;
    }
    const trials = Math.min(listed / chance, people);
    this.alike.set(listed, found.n.length);
    found.n.push(Math.abs(trials - people) < 1e-9 * people ? people : Math.max(trials, 1)); // the last digit makes no more trials than people
    found.b.push(bins);
    found.w.push(1);
    found.people.push(people);
    found.chance.push(chance);
    found.stale.push(stale);
  }
  groups() {
    const { people, chance, stale, ...groups } = Object.fromEntries(Object.entries(this.found).map(([name, values]) => [name, Float64Array.from(values)]));
    return { ...groups, on: { people, chance, stale } };
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
