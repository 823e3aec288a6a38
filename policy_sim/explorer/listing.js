// Who is on the voter list by county and age, and its records of people who left: attackers/county_coverage.py.

const OLDEST = 119; // years
const OPEN_CLASS = 110; // the people of 110 and over are of every age up to the oldest

class Listing {
  /** Numbers: of each county its listed residents and its stale records. */
  constructor({ starts, rate }, bytes, people, ages) {
    Object.assign(this, { starts, rate, people, ages });
    const numbers = new Varints(bytes);
    this.counties = Array.from({ length: people.counties }, () => ({ listed: numbers.next(), stale: numbers.next(), chance: null }));
    this.entries = [0, 1, 2].map(() => new Float64Array(people.size));
  }

  /** The chance that a resident of a county is listed, for each class of ages of the people. */
  chance(index) {
    const county = this.counties[index];
    county.chance ??= this.ofAges(scaled(this.adults(index), this.rate, county.listed));
    return county.chance;
  }

  /** Stale records for each listed resident of a county. */
  stale(index) {
    const { listed, stale } = this.counties[index];
    return listed ? stale / listed : 0;
  }

  /** What a list of these counties holds: residents and stale records. */
  records(counties) {
    return counties.reduce((sum, index) => sum + this.counties[index].listed + this.counties[index].stale, 0);
  }

  /** The class of an age in years; -1 below the first. */
  classOf(age) {
    let number = this.starts.length - 1;
    while (number >= 0 && this.starts[number] > age) number--;
    return number;
  }

  /** The adults of a county in each class; people of several years of age are spread evenly over them. */
  adults(index) {
    const cells = this.people.county(index);
    const adults = this.starts.map(() => 0);
    this.ages.forEach(([age, width], kind) => {
      if (age < this.starts[0]) return;
      let people = 0;
      for (let cell = kind; cell < cells.length; cell += this.ages.length) people += cells[cell];
      const first = Math.min(age, OLDEST);
      const years = width === 1 && first === OPEN_CLASS ? OLDEST + 1 - first : Math.min(width, OLDEST + 1 - first);
      for (let turn = 0; turn < years; turn++) adults[this.classOf(first + turn)] += Math.floor(people / years) + (turn < people % years ? 1 : 0);
    });
    return adults;
  }

  /** Chances by class as chances by the ages of the people, the mean of their years. */
  ofAges(chance) {
    return Float64Array.from(this.ages, ([age, width]) => {
      const first = Math.min(age, OLDEST);
      const years = Math.min(Math.max(width, 1), OLDEST + 1 - first);
      let sum = 0;
      for (let turn = 0; turn < years; turn++) sum += chance[this.classOf(first + turn)] ?? 0;
      return sum / years;
    });
  }

  /** What adds up in a group, by cell of a county: listed people, the squares of their chances, stale records. */
  entriesOf(index) {
    const cells = this.people.county(index);
    const [chance, gone] = [this.chance(index), this.stale(index)];
    const [listed, squares, stale] = this.entries;
    for (let cell = 0, age = 0; cell < cells.length; cell++) {
      listed[cell] = cells[cell] * chance[age];
      squares[cell] = listed[cell] * chance[age];
      stale[cell] = listed[cell] * gone;
      if (++age === chance.length) age = 0;
    }
    return this.entries;
  }
}

/** Chances in the proportions of the rates, at most 1, that list so many: what a class cannot take, the others take. */
function scaled(adults, rate, listed) {
  const full = rate.map(() => false);
  for (;;) {
    let [rest, left] = [0, listed];
    adults.forEach((people, i) => (full[i] ? (left -= people) : (rest += people * rate[i])));
    const scale = rest > 0 ? Math.max(left / rest, 0) : 0;
    const chance = rate.map((each, i) => (full[i] ? 1 : scale * each));
    const over = chance.map((each) => each > 1);
    if (!over.includes(true)) return chance;
    over.forEach((each, i) => (full[i] ||= each));
  }
}
