// What is shown, as a file.

/** The answers of every state with its small groups, once those on the page are drawn. */
async function answersOfAll(app) {
  await app.nation;
  return (await app.pool.ask({ ...app.question(true), likely: [] })) ?? answersOfAll(app);
}

/** What is shown, as rows: one per state and release, with the settings in the first columns. */
async function csvOf(app) {
  const { view, policies, model } = app;
  const answers = new Map((await answersOfAll(app)).map((each) => [each.code, each]));
  const safe = (value) => {
    const text = String(value ?? "");
    const guarded = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  const head = "population,lists,release,policy,attacker,coverage,in_file,file_from,g,state,state_name,county,county_name,people,records,status,reason,linkage_key,total_risk,total_risk_high,one_distinct,one_distinct_high,g_distinct,g_distinct_high,claims,claims_high,correct_claims,correct_claims_high,price_usd,price_status".split(",");
  const { facts } = model;
  const lines = [head];
  const settings = (name, from = "") => [facts.population.name, model.files.get(view.who)?.vintage ?? (view.who === "list" ? facts.vintage : ""), RELEASE[name], policies[name].name, model.files.has(view.who) ? view.who : view.who === "list" ? "voter" : "general", model.files.has(view.who) ? view.share : view.who === "list" ? view.cov : "", view.h, from, view.g];
  const figures = (low, high) => ["risk", "alone", "distinct", "claims", "correct"].flatMap((key) => (low ? [low[key], high[key]] : ["", ""]));
  const chosen = [...app.froms.keys()].map((code) => [model.byCode.get(code), view.from]);
  for (const name of app.releases()) {
    for (const [state, from] of [...model.states.map((each) => [each, ""]), ...chosen]) {
      const { results, price } = answers.get(state.code);
      const result = from ? app.figures(name, state) : results[name];
      const key = result.keys.length ? shownBy(result.keys[result.keys.length - 1], result.keys[0].top) : "";
      lines.push([...settings(name, from), state.code, state.name, "", "", state.people, result.records ?? "", result.status, result.reason, key, ...figures(result.low, result.high), price?.usd ?? "", price?.status ?? ""]);
    }
  }
  const name = policies[view.county] ? view.county : "a";
  for (const [state, rows] of app.countyRows ?? []) {
    for (const row of rows) lines.push([...settings(name, app.settingFor(state).from ? view.from : ""), state.code, state.name, facts.counties.code[row.county], facts.counties.name[row.county], row.inhabitants, row.records, "ok", "", "", ...figures(row, row), "", ""]);
  }
  return lines.map((line) => line.map(safe).join(",")).join("\n") + "\n";
}
