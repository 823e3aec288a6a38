// What follows from the answers: the ends of what is not known, prices, ratios, and how far the people may be off.

/** Of several answers, the least and the greatest of each figure. */
function extremesOf(each) {
  return [Math.min, Math.max].map((of) => Object.fromEntries(Object.keys(each[0]).map((name) => [name, of(...each.map((figures) => figures[name]))])));
}

/** voter_lists/price.py: Price.usd. */
function amountOf(price, records, counties) {
  const amount = (usd) => ({ usd, status: usd ? "ok" : "free", reason: "" });
  if (price.kind === "not_sold" || price.kind === "unknown") {
    return { usd: null, status: price.kind, reason: price.note || price.kind.replace("_", " ") };
  }
  if (price.kind === "at_least") return { usd: price.base_usd, status: "at_least", reason: price.note };
  if (price.kind === "free") return amount(0);
  if (price.kind === "flat") return amount(price.base_usd);
  if (price.usd_per_town) {
    return price.quoted_usd === null
      ? { usd: null, status: "unknown", reason: "the price depends on the number of towns" }
      : amount(price.quoted_usd);
  }
  let total = price.base_usd + price.usd_per_record * Math.max(records - price.free_records, 0);
  total += price.usd_per_county * counties;
  total = Math.max(total, price.min_usd);
  return amount(price.max_usd === null ? total : Math.min(total, price.max_usd));
}

/** model/profile.py: paired. One alone holds for every combination; of unlike many, the ends. */
function paired(above, below) {
  const many = Math.max(above.length, below.length);
  const ends = [above, below].some((side) => side.length > 1 && side.length < many);
  const at = (side, i) => side[side.length === 1 ? 0 : i];
  if (ends) return [0, 1].map((end) => [above, below].map((side) => side[end * (side.length - 1)]));
  return Array.from({ length: many }, (_, i) => [at(above, i), at(below, i)]);
}

/** The least and the most of a ratio over every way in which the unknown fields may be held, alike on both sides. ONE_PERSON: page.py. */
function ratioOf(above, below, name) {
  if (!above.each.length || !below.each.length) return null;
  const pairs = paired(above.each, below.each).filter(([, under]) => under[name] >= ONE_PERSON);
  const ratios = pairs.map(([over, under]) => over[name] / under[name]);
  if (!ratios.length) return null;
  return [Math.min(...ratios), Math.max(...ratios)];
}

/** The range of a ratio: ends are divided by ends, with one list above and below (TrustDifferential.range). */
function ratioRange(above, below, name) {
  const own = ratioOf(above, below, name);
  if (!own || !above.others || !below.others) return own && [above, below].some(({ others }) => others === null) ? null : undefined;
  const pairs = above.others.flatMap((over) => {
    const under = below.others.find((other) => other.name === over.name);
    return under ? [[over.low, under.low], [over.high, under.high]] : [];
  });
  const ratios = pairs.filter(([, under]) => under[name] >= ONE_PERSON).map(([over, under]) => over[name] / under[name]);
  return ratios.length ? [Math.min(...own, ...ratios), Math.max(...own, ...ratios)] : undefined;
}

const KIND_OF_BIRTH = { date: "date", month: "month", year: "year" };
const KIND_OF_PLACE = { nation: "state", state: "state", county: "county", zip3: "zip3", zip5: "county_zip5", county_zip3: "county_zip3", county_zip5: "county_zip5", "area:20000": "county_zip5", "area:100000": "county_zip5" };

/** The measured error of a figure by the keys of a result, a share of it: model/model_error.py. */
function modelErrorOf({ modelErrors, raceAlone, compared }, result, measure) {
  if (modelErrors.counted.includes(result.state)) return 0;
  const errors = result.keys.map(({ race, ethnicity, birth, geography }) => {
    if (!KIND_OF_PLACE[geography] || (birth === "none" && race === "none" && ethnicity === "none")) return 0;
    const kind = race === "none" ? [] : race in raceAlone || race in compared ? ["race=race_ethnicity"] : ["race"];
    const key = ["gender", ...kind, ...(ethnicity === "none" ? [] : ["ethnicity"]), `birth=${KIND_OF_BIRTH[birth] ?? "five_years"}`, `geography=${KIND_OF_PLACE[geography]}`].join("+");
    return modelErrors.byKey[key]?.[measure] ?? 0;
  });
  return Math.max(0, ...errors);
}

const OF_LISTED = ["risk", "alone", "distinct", "correct"];

/** What a county bears of the groups of a whole state: of each, by its listed people and, of wrong claims, by the others. */
function partsOf(sums, listed, setting) {
  const [{ plan, source, listing }] = sums;
  const whole = new Sums(plan, source, listing);
  sums.forEach((own) => whole.addAll(own));
  const rates = Array.from({ length: plan.size }, (_, i) => {
    const [people, on] = whole.whoIn(i, listed);
    if (!on) return null;
    const figures = measured(whole.group(i), listed, setting.inFile, setting.g);
    return { ...Object.fromEntries(OF_LISTED.map((name) => [name, figures[name] / on])), wrong: people > on ? (figures.claims - figures.correct) / (people - on) : 0 };
  });
  return (own) => {
    const figures = { ...Object.fromEntries(OF_LISTED.map((name) => [name, 0])), claims: 0 };
    rates.forEach((rate, i) => {
      const [people, on] = own.ownIn(i, listed);
      if (!people || !rate) return;
      for (const name of OF_LISTED) figures[name] += on * rate[name];
      figures.claims += on * rate.correct + (people - on) * rate.wrong;
    });
    return figures;
  };
}

/** Digits with a comma before each three; toLocaleString takes a hundred times as long. */
function grouped(digits) {
  const [whole, rest] = digits.split(".");
  const spaced = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return rest ? `${spaced}.${rest}` : spaced;
}
