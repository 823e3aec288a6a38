// Numbers and sentences as a reader sees them.

const UNKNOWN = "–";

function significant(value, digits) {
  if (value === 0) return "0";
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return grouped(value.toFixed(Math.min(places, 8)));
}

/** A share (0..1) in per cent. */
function percent(share) {
  if (share === null || !Number.isFinite(share)) return UNKNOWN;
  const value = 100 * share;
  if (value >= 99.95 && value < 100 - 1e-9) return ">99.9%";
  if (value >= 100 - 1e-9) return "100%";
  if (value >= 10) return `${value.toFixed(1)}%`;
  if (value > 0 && value < 0.001) return "<0.001%";
  return `${significant(value, 2)}%`;
}

function whole(people) {
  if (people === null || !Number.isFinite(people)) return UNKNOWN;
  if (people > 0 && people < 0.5) return people < 0.01 ? "<0.01" : significant(people, 1);
  return people < 9.95 && people % 1 ? people.toFixed(1) : grouped(String(Math.round(people)));
}

/** Expected people as a reader counts them. */
function headcount(people) {
  return people > 0 && people < 1 ? (people < NOBODY ? "0" : "fewer than 1") : whole(people);
}

function dollars(usd) {
  if (usd === null || !Number.isFinite(usd)) return UNKNOWN;
  if (usd === 0) return "free";
  if (usd >= 100) return `$${grouped(String(Math.round(usd)))}`;
  return usd >= 0.01 ? `$${usd.toFixed(2)}` : "less than one cent";
}

function times(ratio) {
  if (ratio === null || !Number.isFinite(ratio)) return UNKNOWN;
  return `${ratio >= 100 ? grouped(String(Math.round(ratio))) : significant(ratio, 2)}×`;
}

function between(ends, write) {
  if (!ends) return UNKNOWN;
  const [low, high] = [write(ends[0]), write(ends[1])];
  return low === high ? low : `${low} to ${high}`;
}

const STATUS_WORDS = {
  not_covered: "not in the file",
  too_few: "fewer people than the file",
  county_only: "no state list: sold by county only",
  not_sold: "list not sold",
  unknown: "not known",
  undefined: "not defined",
  free: "free",
  at_least: "at least",
  interval: "not fully known",
};

const FIELD_WORDS = {
  gender: { none: "", value: "sex" },
  race: {
    none: "", broad: "race (white, Black, other)", five_races: "race in five classes", value: "race",
    broad_race_ethnicity: "race with Hispanic as an answer (Hispanic, white, Black, other)", hcup: "race in HCUP's six codes", race_ethnicity: "race with Hispanic as an answer",
    five_races_to_hcup: "race in five classes (the list with Hispanic as an answer)", hcup_to_five_races: "race in five classes (the release with Hispanic as an answer)",
    race_to_race_ethnicity: "race (the list with Hispanic as an answer)", broad_to_broad_race_ethnicity: "race (white, Black, other; the list with Hispanic as an answer)",
    race_ethnicity_to_race: "race (the release with Hispanic as an answer)", broad_race_ethnicity_to_broad: "race (white, Black, other; the release with Hispanic as an answer)",
  },
  ethnicity: { none: "", value: "ethnicity" },
  birth: {
    none: "", twenty_years: "20-year age class", fifteen_years: "15-year age class", decade: "10-year age class",
    five_years: "5-year age class", four_years: "4-year age class", three_years: "3-year age class",
    two_years: "2-year age class", year: "year of birth", quarter: "quarter of birth", month: "month of birth", date: "date of birth",
  },
  geography: {
    nation: "", state: "state", county: "county", tract: "census tract", zip3: "3-digit ZIP", zip5: "ZIP code", county_zip3: "county with 3-digit ZIP", county_zip5: "county with ZIP code",
    "area:20000": "area of 20,000 people or more", "area:100000": "area of 100,000 people or more",
  },
};

/** What a key or a policy shows, as a list in words. */
function shownBy(fields, top) {
  const words = FIELDS.map((field) => FIELD_WORDS[field][fields[field]]).filter(Boolean);
  const text = words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0] ?? "nothing";
  return top && fields.birth !== "none" ? `${text} (ages ${top} and over in one class)` : text;
}

/** What can be shown of a state: name, how it is written, which ends it has. Precision is a share of claims. */
const MEASURES = {
  risk: { title: "Named correctly", unit: "share", help: "Share of the people that the attacker is expected to name correctly, guessing when several people match (total risk)." },
  alone: { title: "Unique", unit: "share", help: "Share of the people whose values nobody else is expected to have (1-distinct)." },
  distinct: { title: "In a group of g or fewer", unit: "share", help: "Share of the people who are expected to share their values with fewer than g others (g-distinct)." },
  precision: { title: "Right, of matches that look certain", unit: "share", help: "A match looks certain if exactly one listed person fits the record. Some are wrong, because people are missing from the list. No share is given for fewer than ten such matches." },
  cost: { title: "Cost per person named correctly", unit: "usd", help: "Price of the list, divided by the people that the attacker is expected to name correctly (Benitez and Malin)." },
  claimcost: { title: "Cost per certain-looking match that is right", unit: "usd", help: "Price of the list, divided by the matches that look certain and are right, where ten or more such matches are expected." },
};

const FEW_CLAIMS = 10; // expected: below, no share of them that is right and no dollars for each

function hasFewClaims({ each }) {
  return Math.min(...each.map(({ claims }) => claims)) < FEW_CLAIMS;
}

/** Why there is no share of the claims, or no dollars for each: too few are expected; else nothing. */
function fewClaimsWord(measure, result, price) {
  const few = result.each.length && hasFewClaims(result) && (measure === "precision" ? !result.surely : measure === "claimcost" && price?.usd != null);
  return few ? "too few to say" : null;
}

/** The value of a measure from low to high, or null where there is none. */
function valueOf(result, measure, price) {
  if (!result.each.length) return null;
  const { low, high, records } = result;
  const ends = (of) => {
    if (!result.ranged) return [of(low), of(high)];
    const all = result.each.map(of).filter((value) => !Number.isNaN(value));
    return all.length ? [Math.min(...all), Math.max(...all)] : [NaN, NaN];
  };
  if (measure === "precision") {
    if (hasFewClaims(result) && !result.surely) return null;
    const pair = ends((figures) => (figures.claims > 1e-9 ? figures.correct / figures.claims : NaN));
    return pair.every(Number.isFinite) ? pair : null;
  }
  if (measure === "cost" || measure === "claimcost") {
    if (!price || price.usd === null || (measure === "claimcost" && hasFewClaims(result))) return null;
    const pair = ends((figures) => price.usd / figures[measure === "cost" ? "risk" : "correct"]).sort((x, y) => x - y);
    return pair.every(Number.isFinite) ? pair : null;
  }
  return [low[measure] / records, high[measure] / records];
}

/**
 * The range of a measure over what may be assumed of the list: model/profile.py, Figure.range and share_range. Null: not
 * known yet; undefined: there is none.
 */
function rangeOf(result, measure, price) {
  const own = valueOf(result, measure, price);
  if (!own || !result.others) return own && result.others === null ? null : undefined;
  if (!result.others.length) return undefined;
  const of = {
    precision: ({ correct, claims }) => (claims > 1e-9 ? correct / claims : NaN),
    cost: ({ risk }) => price.usd / risk,
    claimcost: ({ correct }) => price.usd / correct,
  }[measure] ?? ((figures) => figures[measure] / result.records);
  const all = [...own, ...result.others.flatMap(({ low, high }) => [of(low), of(high)])].filter(Number.isFinite);
  return [Math.min(...all), Math.max(...all)];
}

/** The value of a measure in words with its range, or that there are too few claims. */
function writtenOf(measure, result, price) {
  return partsOf(measure, result, price).join("");
}

/** The same in two parts: the figure, and the range behind it. */
function partsOf(measure, result, price) {
  const few = fewClaimsWord(measure, result, price);
  return few ? [few, ""] : ranged(valueOf(result, measure, price), rangeOf(result, measure, price), MEASURES[measure].unit === "usd" ? dollars : percent);
}

/** Expected people and their range. */
function peopleIn(result, name) {
  const held = rangeOf(result, name);
  return ranged([result.low[name], result.high[name]], Array.isArray(held) ? held.map((share) => share * result.records) : held, headcount);
}

/** A figure and its range, the ends of one that is not fully known, or dots where a range is to come: show/numbers.py. */
function ranged(ends, held, write) {
  if (!ends || held === undefined) return [between(ends, write), ""];
  if (ends[0] !== ends[1]) return [between(held ?? ends, write), ""];
  const [point, low, high] = [ends[0], ...(held ?? [])].map(write);
  if (held === null) return [point, " (… to …)"];
  return [point, low === point && high === point ? "" : ` (${low.replace(/[%×]$/, "")} to ${high.replace(/[%×]$/, "").replace(/^\$/, "")})`];
}

function written(measure, ends) {
  return between(ends, MEASURES[measure].unit === "usd" ? dollars : percent);
}
