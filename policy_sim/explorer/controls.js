// The settings: built once, then only their values change.

function option(value, words, chosen) {
  return make("option", { value, selected: chosen }, words);
}

function field(id, label, control, help) {
  control.id = id;
  if (help) control.setAttribute("aria-describedby", `${id}-help`);
  return make("div", { class: "field" }, make("label", { for: id }, label), control, help ? make("p", { id: `${id}-help`, class: "help" }, help) : null);
}

/** A select whose change goes to the app. */
function chooser(app, name, options) {
  return make("select", { name, onchange: (event) => app.set({ [name]: event.target.value }) }, options);
}

const COVERAGE_HELP = {
  registered: "Records are counted by county. We assume that active records are residents, with ages as on two real lists, and that the others are of people who left.",
  survey: "As many adults as say in a survey that they are registered, the same for every age and county.",
};

class Controls {
  constructor(app) {
    this.app = app;
    this.form = document.getElementById("controls");
    this.form.addEventListener("submit", (event) => event.preventDefault());
        this.first = document.getElementById("first");
    this.first.addEventListener("submit", (event) => event.preventDefault());
    this.first.append(this.state(), this.file(), this.places());
    this.form.append(this.release("a", "Policy A"), this.release("b", "Policy B, to compare"), this.attacker(), this.groupSize(), this.reset());
  }

  release(name, title) {
    const { model } = this.app;
    const shipped = [...model.policies.values()].map((policy) => option(policy.name, policyName(policy)));
    const select = make("select", { onchange: (event) => this.choosePolicy(name, event.target.value) }, name === "b" ? option("", "none") : null, shipped, option("own", "Your own …"));
    const parts = {
      gender: make("select", {}, option("none", "not shown"), option("value", "shown")),
      race: make("select", {}, option("none", "not shown"), option("broad", "white, Black, other"), option("five_races", "five races, as HCUP codes them"), option("value", "seven races"), model.byEthnicity ? [option("broad_race_ethnicity", "Hispanic; others: white, Black, other"), option("hcup", "Hispanic; others: HCUP's five races"), option("race_ethnicity", "Hispanic; others: seven races")] : null),
      birth: make("select", {}, ["none", "decade", "five_years", "year", "quarter", "month", "date"].map((each) => option(each, each === "none" ? "not shown" : FIELD_WORDS.birth[each]))),
      geography: make("select", {}, option("state", "state"), option("county", "county"), model.zipParts ? [option("zip3", "3-digit ZIP"), option("county_zip3", "county with 3-digit ZIP"), option("county_zip5", "county with ZIP"), ...model.facts.areas.map((name) => option(name, `area ${grouped(name.slice(5))}`))] : null),
      top: make("select", {}, option("", "each age"), [80, 85, 90].map((age) => option(age, `${age} and over together`))),
    };
    const change = () => this.app.set({ [name]: policyText(Object.fromEntries(FIELDS.map((each) => [each, parts[each]?.value ?? model.coarsest(each)])), parts.top.value) });
    const labels = { gender: "Sex", race: "Race", birth: "Birth", geography: "Place", top: "Oldest ages" };
    const rows = Object.entries(parts).map(([part, control]) => {
      control.addEventListener("change", change);
      return field(`${name}-${part}`, labels[part], control);
    });
    this[name] = { select, parts, shows: make("p", { class: "help shows" }), own: make("details", { class: "own" }, make("summary", {}, "Change what it shows"), make("div", { class: "own-fields" }, rows)) };
    return make("fieldset", { class: `release ${name}` }, make("legend", {}, title), field(`policy-${name}`, "Policy", select), this[name].shows, this[name].own);
  }

  choosePolicy(name, value) {
    if (value !== "own") {
      this.app.set({ [name]: value });
      return;
    }
    const { fields, top } = this.app.policies[name] ?? this.app.policies.a;
    this.app.set({ [name]: policyText({ ...fields, geography: fields.geography === "zip5" ? "county_zip5" : fields.geography }, top) });
    this[name].own.open = true;
  }

  attacker() {
    const { app } = this;
    const radio = (value, title, words) => make("label", { class: "radio" }, make("input", { type: "radio", name: "who", value, onchange: () => (value === "file" ? this.chooseFile(this.files.value) : app.set({ who: value })) }), make("span", {}, make("strong", {}, title), make("small", {}, words)));
    this.coverage = chooser(app, "cov", [option("registered", "by county and age"), option("survey", "as many as the state's survey says"), option("adults", "all adults"), option("everyone", "everyone (as in the 2010 paper)"), option("share", "a share of adults …")]);
    this.coverage.onchange = null;
    this.share = make("input", { type: "range", min: 1, max: 100, step: 1, value: 70, oninput: (event) => app.set({ cov: Number(event.target.value) / 100 }) });
    this.shareOut = make("output", { for: "cov-share" });
    const words = { withheld: "left out", value: "on the list", hcup: "HCUP's six codes", race_ethnicity: "Hispanic as an answer", year: "year", month: "month", date: "full date", county: "on the list" };
    this.edits = Object.fromEntries(Object.keys(LIST_EDITS).map((name) => [name, chooser(app, name, EDIT_WORDS[name].filter((each) => app.model.byEthnicity || !(each in app.model.facts.raceAlone)).map((each) => option(each, each ? words[each] : "as it is")))]));
    this.price = make("input", { type: "number", min: 0, step: "any", inputmode: "decimal", placeholder: "what each state charges", oninput: (event) => app.set({ price: event.target.value === "" ? "" : Math.max(0, Number(event.target.value)) }) });
    this.priceSlider = make("input", { type: "range", min: 0, max: 6, step: 0.05, value: 0, "aria-label": "Price of the list, as a slider", oninput: (event) => app.set({ price: Number(event.target.value) === 0 ? 0 : Number((10 ** Number(event.target.value)).toPrecision(2)) }) });
    this.listed = make("div", { class: "list-only" },
      field("cov", "Who is on the list", this.coverage), (this.coverageHelp = make("p", { class: "help" })),
      (this.shareField = make("div", { class: "field" }, make("label", { for: "cov-share" }, "Share of adults on it ", this.shareOut), (this.share.id = "cov-share", this.share))),
      make("div", { class: "own-fields" }, field("lg", "Sex", this.edits.lg), field("lr", "Race", this.edits.lr), field("lb", "Birth", this.edits.lb), field("lp", "County", this.edits.lp)),
      field("price", "Price of the list, in dollars", this.price), this.priceSlider);
    this.files = make("select", { onchange: (event) => this.chooseFile(event.target.value) }, [...app.model.files.values()].map((file) => option(file.name, `${file.title}${file.states ? ` (${file.states.join(", ")})` : ""}`)));
    this.fileHelp = make("p", { class: "help" });
    this.fileShare = make("input", { type: "range", min: -1, max: 100, step: 1, value: -1, oninput: (event) => app.set({ share: Number(event.target.value) < 0 ? "" : Number(event.target.value) / 100 }) });
    this.fileShareOut = make("output", { for: "file-share" });
    this.filed = make("div", { class: "list-only" }, field("file", "File", this.files), this.fileHelp,
      make("div", { class: "field" }, make("label", { for: "file-share" }, "Share of these people in it ", this.fileShareOut), (this.fileShare.id = "file-share", this.fileShare)));
    return make("fieldset", {}, make("legend", {}, "Who tries to name people"),
      radio("list", "Someone with the state's voter list", "what the list contains, at its price"), this.listed,
      radio("everyone", "Someone who knows everyone", "the worst case"),
      app.model.files.size ? radio("file", "Someone with another file", "a birth index, a tax roll, a register of contributors") : null, this.filed);
  }

  /** Choose a file, and a state that it covers. */
  chooseFile(name) {
    const { app } = this;
    const { states } = app.model.files.get(name);
    app.set({ who: name, share: "", ...(states && !states.includes(app.view.s) ? { s: states[0] } : {}) });
  }

  /** The shares of adults up to six steps of its slider away, the nearest first. */
  coveragesNear() {
    const now = Number(this.share.value);
    const steps = [0, 1, 2, 3, 4, 5, 6].flatMap((step) => [now - step, now + step]);
    return [...new Set(steps)].filter((each) => each >= 1 && each <= 100).map((each) => each / 100);
  }

  state() {
    const { app } = this;
    this.states = make("select", { onchange: (event) => app.set({ s: event.target.value }) }, app.model.states.map((state) => option(state.code, state.name)));
    return make("fieldset", { class: "state" }, field("state-one", "State", this.states));
  }

  /** How many people are in the file: typed, or everyone. */
  file() {
    const { app } = this;
    const everyone = () => app.set({ h: 1 });
    const type = (event) => {
      const size = sizeFrom(this.people.value);
      if (size !== null) app.set({ h: size });
      if (event.type === "change") this.showFile(size === null);
    };
    const radio = (value, words, onchange) => make("label", { class: "check" }, make("input", { type: "radio", name: "file-size", value, onchange }), words);
    this.people = make("input", { type: "text", inputmode: "numeric", id: "file-people", "aria-label": "People in the file", "aria-describedby": "file-people-help file-people-error", placeholder: "18,000", oninput: type, onchange: type, onfocus: () => (this.sizes[1].checked = true) });
    const choices = [radio("everyone", "everyone in the state", everyone), radio("number", "this many people:", () => this.people.focus())];
    this.sizes = choices.map((choice) => choice.firstChild);
    this.fileError = make("p", { id: "file-people-error", class: "error", role: "alert" });
    return make("fieldset", {}, make("legend", {}, "In the file"), ...choices, this.people, this.fileError,
      make("p", { class: "help", id: "file-people-help" }, "Count people, not records. A share such as 1% works too."));
  }

  /** The counties that the people of the file come from, each with its share if that is given. */
  places() {
    this.names = make("datalist", { id: "county-names" });
    const isPicked = (event) => !event.inputType || event.inputType === "insertReplacementText"; // from the list
    this.addCounty = make("input", { type: "text", list: "county-names", onchange: () => this.addPlaces(), oninput: (event) => isPicked(event) && this.addPlaces() });
    this.chosen = make("ul", { class: "places" });
    this.placesError = make("p", { class: "error", role: "alert" });
    this.placesNote = make("p", { class: "help", role: "status" });
    return make("fieldset", {}, field("file-county", "Counties where they live", this.addCounty), this.names, this.chosen, this.placesError, this.placesNote);
  }

  /** Add the counties that are typed: one name or several, of one state or several, each perhaps with its share: Allen, Lucas=40%; MI: Monroe. */
  addPlaces() {
    const { view, model } = this.app;
    const typed = typedPlaces(this.addCounty.value, model);
    const found = typed.map((place) => [countyOf(place, view.s, model), place.share ? Number(place.share.replace("%", "")) / (place.share.endsWith("%") ? 100 : 1) : null]);
    const wrong = found.findIndex(([county, share]) => county === undefined || (share !== null && !(share > 0 && share <= 1)));
    this.placesError.textContent = wrong < 0 ? "" : found[wrong][0] === undefined ? this.noCounty(typed[wrong]) : `“${typed[wrong].share}” is not a share. Write 40% or 0.4.`;
    if (wrong >= 0 || !typed.length) return;
    this.placesNote.textContent = this.sharedNames(typed);
    this.addCounty.value = "";
    this.changePlaces((places) => [...places.filter(([county]) => !found.some(([other]) => other === county)), ...new Map(found)], "add");
  }

  /** Why a typed name is no county, and where one of its name is. */
  noCounty({ name, state }) {
    const { view, model } = this.app;
    const own = model.byCode.get(state || view.s);
    if (!own) return `“${state}” is no state. Write its code before the county, such as MI: Monroe.`;
    const near = state ? undefined : model.facts.neighbors[view.s].find((code) => countyOf({ name, state: code }, code, model) !== undefined);
    return `${own.name} has no county “${name}”. ${near ? `${model.byCode.get(near).name} has one: write ${near}: ${name}.` : "Choose one from the list."}`;
  }

  /** Which of the typed names, without a state, a bordering state has too. */
  sharedNames(typed) {
    const { view, model } = this.app;
    return typed.filter(({ name, state }) => !state && !/^\d{5}$/.test(name)).flatMap((place) => {
      const near = model.facts.neighbors[view.s].filter((code) => countyOf({ ...place, state: code }, code, model) !== undefined);
      return near.length ? [`${place.name} is ${model.byCode.get(view.s).name}'s; ${andOf(near.map((code) => model.byCode.get(code).name))} ${near.length > 1 ? "have" : "has"} one too: to mean that, write ${near[0]}: ${place.name}.`] : [];
    }).join(" ");
  }

  changePlaces(change, focus) {
    const { app } = this;
    const { state } = app.model.facts.counties;
    const places = change(placesOf(app.view.from, app.model));
    const s = !places.length || places.some(([county]) => state[county] === app.view.s) ? app.view.s : state[places[0][0]];
    app.set({ s, from: placesText(places, app.model) });
    if (focus) this.addCounty.focus();
  }

  showFile(misread = false) {
    const { view, model } = this.app;
    const state = model.byCode.get(view.s);
    this.states.value = view.s;
    const typing = document.activeElement === this.people;
    this.sizes.forEach((radio, i) => (radio.checked = i === Number(view.h !== 1 || typing)));
    if (!typing && !misread) this.people.value = view.h === 1 ? "" : sizeWords(view.h);
    this.fileError.textContent = misread ? "Type a number of people, 2 or more, such as 18,000, or a share such as 1%." : view.h > state.people ? `${state.name} has ${whole(state.people)} people. Type a smaller number, or choose everyone.` : "";
    this.people.setAttribute("aria-invalid", String(Boolean(this.fileError.textContent)));
  }

  showPlaces() {
    const { app } = this;
    const { model, view, froms } = app;
    const { name: names, state: states } = model.facts.counties;
    const places = placesOf(view.from, model);
    const records = [...froms.values()].reduce((sum, from) => sum + (from.records ?? 0), 0);
    const called = (county) => names[county] + (states[county] === view.s ? "" : `, ${states[county]}`);
    const taken = places.map(([county]) => county);
    const left = model.byCode.get(view.s).counties.filter((county) => !taken.includes(county)).sort((x, y) => names[x].localeCompare(names[y]));
    this.names.replaceChildren(...left.map((county) => option(names[county], "")));
    this.addCounty.placeholder = places.length ? "add a county" : "the whole state";
    this.placesError.textContent = froms.values().next().value?.reason ?? "";
    if (!places.length) this.placesNote.textContent = "";
    const row = ([county, share]) => {
      const { chances, counties } = froms.get(states[county]);
      const part = chances ? Math.round((100 * chances[counties.indexOf(county)] * model.people.residents(county)) / records) : "";
      const input = make("input", { type: "number", min: 1, max: 100, step: "any", placeholder: part, value: share === null ? "" : Number((100 * share).toFixed(4)), "aria-label": `Percent of the file from ${called(county)}; empty: by its people`, "data-focus": `share-${county}`,
        onchange: (event) => this.changePlaces((now) => now.map((each) => (each[0] === county ? [county, event.target.value > 0 ? Math.min(Number(event.target.value) / 100, 1) : null] : each))) });
      const away = make("button", { type: "button", "aria-label": `Remove ${called(county)}`, onclick: () => this.changePlaces((now) => now.filter((each) => each[0] !== county), "add") }, "×");
      return make("li", {}, make("span", {}, called(county)), input, "%", away);
    };
    const asked = JSON.stringify([view.from, [...froms.values()].map(({ chances }) => chances), view.s]);
    if (this.placesAsked !== asked) replaceIn(this.chosen, places.map(row)); // a row keeps the focus while nothing changes
    this.placesAsked = asked;
    this.chosen.hidden = !places.length;
  }

  groupSize() {
    this.g = make("input", { type: "range", min: 1, max: MOST_GROUP, step: 1, oninput: (event) => this.app.set({ g: Number(event.target.value) }) });
    this.gOut = make("output", { for: "g" });
    return make("fieldset", {}, make("legend", {}, "Small groups"), make("div", { class: "field" }, make("label", { for: "g" }, "People who share the same values, up to ", this.gOut), (this.g.id = "g", this.g), make("p", { class: "help" }, "Small groups are those of this size or smaller.")));
  }

  reset() {
    return make("button", { type: "button", class: "wide", onclick: () => this.app.reset() }, "Reset policies and attacker");
  }

  /** Show the values of the view. */
  show() {
    const { view, policies } = this.app;
    const held = this.app.model.files.get(view.who);
    for (const name of ["a", "b"]) {
      const policy = policies[name];
      this[name].select.value = !policy ? "" : policy.own ? "own" : policy.name;
      this[name].own.hidden = !policy || Boolean(policy.byState);
      this[name].shows.textContent = policy ? `Shows ${releasesIn(policy, null, this.app.model)}.${noSafeHarbor(policy)}` : "One policy only.";
      if (!policy) continue;
      for (const part of FIELDS) {
        const control = this[name].parts[part];
        if (!control) continue;
        control.value = policy.fields[part];
        if (control.selectedIndex < 0) control.value = part === "geography" ? "county" : "none";
      }
      this[name].parts.top.value = policy.top ?? "";
    }
    for (const radio of this.form.querySelectorAll("input[name=who]")) radio.checked = radio.value === (held ? "file" : view.who);
    this.listed.hidden = view.who !== "list";
    this.filed.hidden = !held;
    if (held) {
      this.files.value = held.name;
      this.fileHelp.textContent = `Holds ${held.people}. ${view.share === "" && held.shares.length > 1 ? "How many of them is not known: figures lie between two ends." : ""}`;
      this.fileShare.value = view.share === "" ? -1 : Math.round(100 * view.share);
      this.fileShareOut.textContent = view.share === "" ? (held.shares.length > 1 ? "not known" : percent(held.shares[0])) : percent(view.share);
      this.fileShare.setAttribute("aria-valuetext", this.fileShareOut.textContent);
    }
    const share = typeof view.cov === "number";
    this.coverage.value = share ? "share" : view.cov;
    this.coverage.onchange = () => this.app.set({ cov: this.coverage.value === "share" ? Number(this.share.value) / 100 : this.coverage.value });
    this.coverageHelp.textContent = COVERAGE_HELP[view.cov] ?? "";
    this.coverageHelp.hidden = !COVERAGE_HELP[view.cov];
    this.shareField.hidden = !share;
    if (share) this.share.value = Math.round(view.cov * 100);
    this.shareOut.textContent = share ? `${significant(100 * view.cov, 2)}%` : "";
    for (const name in this.edits) this.edits[name].value = view[name];
    if (document.activeElement !== this.price) this.price.value = view.price;
    this.priceSlider.value = view.price > 0 ? Math.log10(view.price) : 0;
    this.showFile();
    this.showPlaces();
    this.g.value = view.g;
    this.gOut.textContent = view.g;
    const now = `${policyName(policies.a)}${policies.b ? ` and ${policyName(policies.b)}` : ""} · ${held ? held.kind : view.who === "list" ? "voter list" : "knows everyone"}`;
    document.getElementById("settings-now").textContent = now;
    document.getElementById("print-settings").textContent = `${fileWords(this.app)} Settings: ${now}; groups of ${view.g}. ${location.href}`;
  }
}
