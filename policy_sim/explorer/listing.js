// Who is on the voter list by county and age, and its records of people who left: attackers/county_coverage.py.

const OLDEST = 119; // years
const OPEN_CLASS = 110; // the people of 110 and over are of every age up to the oldest

class Listing {
  /** Numbers: of each county its listed residents and its stale records. Earlier: the same at the election before. */
  constructor({ starts, rate, others = [] }, bytes, people, ages, earlier = bytes) {
    Object.assign(this, { name: "", starts, rate, people, ages });
    this.counties = this.numbersOf(bytes);
    this.entries = [0, 1, 2].map(() => new Float64Array(2 * people.size)); // as many as by ethnicity
    [this.years, this.spread] = [false, true].map((spread) => ages.map((each) => this.yearsOf(each, spread)));
    this.others = new Map(others.map(({ name, allRecords }) => [name, this.otherwise(name, allRecords ? [] : this.numbersOf(earlier))]));
    for (const other of this.others.values()) other.own = this.counties;
  }

  numbersOf(bytes) {
    const numbers = new Varints(bytes);
    return Array.from({ length: this.people.counties }, () => ({ listed: numbers.next(), stale: numbers.next(), chance: null }));
  }

  /** The same people with other records; each end of a range has one. */
  otherwise(name, counties) {
    return Object.assign(Object.create(Listing.prototype), this, { name, counties });
  }

  /** The listed residents and the stale records of a county; with all records as those of residents, at most one for each adult. */
  of(index) {
    if (!this.counties[index]) {
      const { listed, stale } = this.own[index];
      const residents = Math.min(listed + stale, this.adults(index).reduce((sum, people) => sum + people, 0));
      this.counties[index] = { listed: residents, stale: listed + stale - residents, chance: null };
    }
    return this.counties[index];
  }

  /** The chance that a resident of a county is listed, for each class of ages of the people. */
  chance(index) {
    const county = this.of(index);
    county.chance ??= this.ofAges(scaled(this.adults(index), this.rate, county.listed));
    return county.chance;
  }

  /** Stale records for each listed resident of a county. */
  stale(index) {
    const { listed, stale } = this.of(index);
    return listed ? stale / listed : 0;
  }

  /** What the lists of some counties hold. */
  records(counties) {
    const sum = (name) => counties.reduce((all, index) => all + this.of(index)[name], 0);
    return { listed: sum("listed"), stale: sum("stale") };
  }

  /** The class of an age in years; -1 below the first. */
  classOf(age) {
    let number = this.starts.length - 1;
    while (number >= 0 && this.starts[number] > age) number--;
    return number;
  }

  /** The classes of the years of a class of ages; the open one has the years up to the oldest if it is spread over them. */
  yearsOf([age, width], spread) {
    const first = Math.min(age, OLDEST);
    const last = spread && width === 1 && first === OPEN_CLASS ? OLDEST : Math.min(first + Math.max(width, 1) - 1, OLDEST);
    return Array.from({ length: last - first + 1 }, (_, turn) => this.classOf(first + turn));
  }

  /** The adults of a county in each class; people of several years of age are spread evenly over them. */
  adults(index) {
    const cells = this.people.county(index);
    const byAge = new Float64Array(this.ages.length);
    for (let cell = 0; cell < cells.length; cell++) byAge[cell % byAge.length] += cells[cell];
    const adults = this.starts.map(() => 0);
    byAge.forEach((people, kind) => {
      if (this.ages[kind][0] < this.starts[0]) return;
      const years = this.spread[kind];
      years.forEach((number, turn) => (adults[number] += Math.floor(people / years.length) + (turn < people % years.length ? 1 : 0)));
    });
    return adults;
  }

  /** Chances by class as chances by the ages of the people, the mean of their years. */
  ofAges(chance) {
    return Float64Array.from(this.years, (years) => years.reduce((sum, number) => sum + (chance[number] ?? 0), 0) / years.length);
  }

  /** What adds up in a group, by cell of a county with its people: the listed, squares of their chances, stale records. */
  entriesOf(index, cells) {
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
