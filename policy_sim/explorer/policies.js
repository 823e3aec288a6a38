// Policies by name, and the reader's own.

/** A policy by its name, or by what it shows: "gender=value,race=none,birth=year,geography=county,top=90". */
function policyOf(text, model) {
  if (model.policies.has(text)) return model.policies.get(text);
  const given = Object.fromEntries(text.split(",").map((part) => part.split("=")));
  const named = Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? model.coarsest(field)]));
  if (!FIELDS.every((field) => Object.hasOwn(model.facts.granularities[field], named[field]))) return null;
  const fields = model.canonical(named);
  if (!["state", "county", ...(model.zipParts ? ["zip3", "county_zip3", "county_zip5"] : [])].includes(fields.geography)) return null;
  const top = given.top === undefined ? null : Number(given.top);
  if (top !== null && !(Number.isInteger(top) && top > 0)) return null;
  return { name: text, title: "Your own", own: true, fields, top: fields.birth === "none" ? null : top, small: null, citation: "", rules: [] };
}

function policyText(fields, top) {
  const parts = FIELDS.filter((field) => field !== "ethnicity" || fields[field] !== "none").map((field) => `${field}=${fields[field]}`);
  return [...parts, ...(top && fields.birth !== "none" ? [`top=${top}`] : [])].join(",");
}
