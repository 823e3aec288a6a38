// Who lives in which ZIP code areas of a county, by age and by race or origin: policy_sim/people/composition.py.

class Composition {
  /** Bytes: of each factor one for each ZIP code, then the low and the high bytes of the weight of each part. */
  constructor({ ages, adult, groups, groupOf, steps }, bytes, zipParts, { census, ages: ofPeople }) {
    Object.assign(this, { ages, adult, groups, bytes, zipParts, known: new Map() });
    this.many = ages.length * groups;
    const parts = zipParts.reduce((sum, county) => sum + county.length, 0);
    this.zips = (bytes.length - 2 * parts) / (ages.length + 2 * groups);
    this.factor = Float64Array.from({ length: 256 }, (_, byte) => (byte ? Math.exp((byte - 128) / steps[0]) : 0));
    const weights = bytes.subarray(bytes.length - 2 * parts);
    this.weight = Float64Array.from({ length: parts }, (_, i) => {
      const folded = weights[i] + 256 * weights[parts + i];
      return Math.exp((folded % 2 ? -(folded + 1) / 2 : folded / 2) / steps[1]);
    });
    this.first = Int32Array.from(zipParts, ((at) => (county) => (at += county.length) - county.length)(0));
    const { race, ethnicity } = census.categories;
    const ageOf = ofPeople.map(([age]) => ages.filter((start) => start <= age).length - 1);
    const kinds = race.flatMap((each) => ethnicity.map((origin) => (origin === "hispanic" ? 0 : groupOf[each])));
    this.ofCells = Uint8Array.from([...census.categories.sex].flatMap(() => kinds.flatMap((group) => ageOf.map((age) => age * groups + group))));
  }

  /** The chance that a person of each class of a county lives in each part, part by part; of each class they add up to 1. */
  chances(county) {
    if (this.known.has(county)) return this.known.get(county);
    const { ages, adult, groups, many, zips, bytes, factor } = this;
    const parts = this.zipParts[county];
    const [chance, ofAges] = [new Float64Array(parts.length * many), new Float64Array(parts.length * many)];
    parts.forEach(({ share, row }, i) => {
      const base = share * this.weight[this.first[county] + i];
      for (let age = 0, at = i * many; age < ages.length; age++) {
        const ofAge = base * factor[bytes[age * zips + row]];
        const column = ages.length + (age < adult ? groups : 0);
        for (let group = 0; group < groups; group++, at++) {
          ofAges[at] = ofAge;
          chance[at] = ofAge * factor[bytes[(column + group) * zips + row]];
        }
      }
    });
    for (let kind = 0; kind < many; kind++) {
      const sum = (of) => parts.reduce((all, _, i) => all + of[i * many + kind], 0);
      const nobody = sum(chance) <= 0; // counted there: they live as others of their age do
      const of = nobody ? ofAges : chance;
      const whole = sum(of);
      for (let at = kind; at < chance.length; at += many) chance[at] = of[at] / whole;
    }
    this.known.set(county, chance);
    return chance;
  }

  /** The places of a county under a key, each with the chance of each class to live there. */
  pieces(county, key) {
    const chance = this.chances(county);
    const found = new Map();
    this.zipParts[county].forEach((part, i) => {
      const place = placeOf(part, key);
      const own = chance.subarray(i * this.many, (i + 1) * this.many);
      const sums = found.get(place);
      if (sums) for (let kind = 0; kind < sums.length; kind++) sums[kind] = Math.min(sums[kind] + own[kind], 1);
      else found.set(place, own.slice());
    });
    return [...found];
  }
}

/**
 * A plan whose groups are the people of one class in one cell of another plan, cell by cell: "kind" is the class of each,
 * "first" where those of a cell begin. Numbers of each class (code, ofChance) make a name of what a cell has of each.
 */
function classedPlan(plan, ofCells, many) {
  const names = new Uint8Array(plan.size * many); // which classes each cell has
  const each = ({ runs }, use) => {
    for (const [start, end, to, step] of runs) for (let i = start; i < end; i++) use(i, (to + step * (i - start)) * many + ofCells[i]);
  };
  each(plan, (_, name) => (names[name] = 1));
  const number = new Int32Array(names.length);
  const first = new Int32Array(plan.size + 1);
  const kinds = [];
  for (let name = 0; name < names.length; name++) {
    if (!names[name]) continue;
    number[name] = kinds.length;
    kinds.push(name % many);
    first[Math.floor(name / many) + 1] = kinds.length;
  }
  for (let cell = 0; cell < plan.size; cell++) first[cell + 1] = Math.max(first[cell], first[cell + 1]);
  const moves = (runs) => {
    const [from, to] = [[], []];
    each(runs, (i, name) => {
      from.push(i);
      to.push(number[name]);
    });
    return { from: Int32Array.from(from), to: Int32Array.from(to) };
  };
  const [code, ofChance] = [1, many + 1].map((at) => Float64Array.from({ length: many }, (_, kind) => Math.sin(at + kind)));
  return {
    ...moves(plan),
    released: plan.released && moves(plan.released),
    size: kinds.length,
    classed: { first, kind: Uint8Array.from(kinds), bins: plan.bins, code, ofChance },
  };
}
