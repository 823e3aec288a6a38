// One person: how many share sex, date of birth and county. Nothing leaves the page.

class Person {
  constructor(app) {
    this.app = app;
    const { model } = app;
    const { facts } = model;
    this.form = document.getElementById("person-form");
    this.form.addEventListener("submit", (event) => event.preventDefault());
    const change = () => this.answer();
    this.state = make("select", { onchange: () => (this.fillCounties(), this.answer()) }, model.states.map((state) => option(state.code, state.name)));
    this.county = make("select", { onchange: change });
    this.sex = make("select", { onchange: change }, option("", "choose"), option("1", "female"), option("0", "male"));
    this.race = make("select", { onchange: change }, option("", "do not use"), facts.census.categories.race.map((race, i) => option(i, RACE_WORDS[race] ?? race)));
    this.birth = make("input", { type: "date", min: "1900-01-01", max: facts.population.date.slice(0, 10), oninput: change });
    this.form.append(field("my-state", "State", this.state), field("my-county", "County", this.county), field("my-sex", "Sex", this.sex), field("my-birth", "Date of birth", this.birth), field("my-race", "Race (as the census asks)", this.race));
    this.state.value = app.view.s;
    this.fillCounties();
    this.answer();
  }

  fillCounties() {
    const { facts, byCode } = this.app.model;
    const counties = [...byCode.get(this.state.value).counties].sort((x, y) => facts.counties.name[x].localeCompare(facts.counties.name[y]));
    this.county.replaceChildren(...counties.map((county) => option(county, facts.counties.name[county])));
  }

  age() {
    const [year, month, day] = this.birth.value.split("-").map(Number);
    const [then, thenMonth, thenDay] = this.app.model.facts.population.date.split("-").map(Number);
    if (!year || !then) return null;
    const before = month > (thenMonth ?? 4) || (month === (thenMonth ?? 4) && day > (thenDay ?? 1));
    return then - year - (before ? 1 : 0);
  }

  answer() {
    const { model } = this.app;
    const { facts, people } = model;
    const age = this.age();
    const place = document.getElementById("person-answer");
    if (age === null || age < 0 || this.sex.value === "") {
      place.replaceChildren(make("p", { class: "quiet" }, `Choose a sex and a date of birth up to ${facts.population.date}.`));
      return;
    }
    const kind = facts.ages.findIndex(([low, width], i) => age >= low && (age < low + width || i === facts.ages.length - 1));
    const [low, width] = facts.ages[kind];
    const days = facts.daysPerYear * width;
    const count = (counties, sexes, races) => counties.reduce((sum, county) => {
      const cells = people.county(county);
      for (const sex of sexes) for (const race of races) sum += cells[(sex * people.races + race) * people.ages + kind];
      return sum;
    }, 0);
    const all = facts.census.categories.race.map((_, i) => i);
    const mine = [Number(this.county.value)];
    const state = model.byCode.get(this.state.value);
    const race = this.race.value === "" ? all : [Number(this.race.value)];
    const [sex, name] = [[Number(this.sex.value)], facts.counties.name[mine[0]]];
    const withRace = this.race.value === "" ? "" : " and race";
    const rows = [
      [`Sex${withRace}, date of birth, county`, count(mine, sex, race), days],
      [`Sex${withRace}, month of birth, county`, count(mine, sex, race), 12 * width],
      [`Sex${withRace}, year of birth, county`, count(mine, sex, race), width],
      [`Sex${withRace}, date of birth, state`, count(state.counties, sex, race), days],
      [`Sex${withRace}, year of birth, state`, count(state.counties, sex, race), width],
      ["Date of birth, county", count(mine, [0, 1], all), days],
    ];
    const group = Math.max(rows[0][1], 1);
    const others = (n, b) => Math.max(n - 1, 0) / b;
    const alone = (n, b) => (n <= 1 ? 1 : b === 1 ? 0 : (1 - 1 / b) ** (n - 1));
    place.replaceChildren(
      make("p", { class: "lead" }, `${whole(rows[0][1])} people of your sex${withRace} and age (${width > 1 ? `${low} to ${low + width - 1}` : low} on ${facts.population.date}) are counted in ${name}. On average ${whole(others(group, days))} others share your date of birth too; the chance that you are the only one is `, make("strong", {}, percent(alone(group, days))), "."),
      make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "How many people share these values" }, make("table", {}, make("thead", {}, make("tr", {}, ["A record that shows", "Others like you, on average", "Chance that you are the only one"].map((words) => make("th", { scope: "col" }, words)))),
        make("tbody", {}, rows.map(([words, n, b]) => make("tr", {}, make("th", { scope: "row" }, words), make("td", {}, whole(others(Math.max(n, 1), b))), make("td", {}, make("span", { class: "bar a", style: `width:${(100 * alone(Math.max(n, 1), b)).toFixed(1)}%`, "aria-hidden": "true" }), make("span", { class: "figure" }, percent(alone(Math.max(n, 1), b))))))))),
      make("p", { class: "help" }, `Counts by sex, age, race and county are partly modeled (${facts.population.name}); all birthdays are assumed to be equally likely. People who moved, were born or died since ${facts.population.date} are not in it.`));
  }
}

const RACE_WORDS = { white: "white", black: "Black", aian: "American Indian or Alaska Native", asian: "Asian", nhpi: "Native Hawaiian or Pacific Islander", other: "some other race", multiple: "two or more races" };
