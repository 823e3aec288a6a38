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

/** Collects groups, those that are alike once. */
class Collected {
  constructor() {
    this.kinds = new Map();
  }
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

/** The groups of a set of counties under a key: those of the whole set, or of each county by itself. */
function mergedGroups(people, counties, plan, byCounty) {
  const collected = new Collected();
  const sums = new Float64Array(plan.size);
  const put = () => {
    for (let i = 0; i < plan.size; i++) if (sums[i]) collected.add(sums[i], plan.bins[i]);
    sums.fill(0);
  };
  for (const county of counties) {
    addCounty(sums, people.county(county), plan);
    if (byCounty) put();
  }
  if (!byCounty) put();
  return collected.groups();
}
