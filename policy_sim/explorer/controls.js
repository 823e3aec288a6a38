// The settings: built once, then only their values change.

function option(value, words, chosen) {
  return make("option", { value, selected: chosen }, words);
}

function field(id, label, control, help) {
  control.id = id;
  if (help) control.setAttribute("aria-describedby", `${id}-help`);
  return make("div", { class: "field" }, make("label", { for: id }, label), control, help ? make("p", { id: `${id}-help`, class: "help" }, help) : null);
}

const STEP_OF_SHARE = 0.05; // of its logarithm

/** The share of the people in the file at a place of the slider. */
function shareAt(logarithm) {
  return logarithm > -0.001 ? 1 : Number((10 ** Math.max(logarithm, Math.log10(LEAST_SHARE))).toPrecision(2));
}

/** The shares up to some steps of the slider away, the nearest first. */
function sharesNear(share, reach) {
  const steps = Math.round(Math.log10(share) / STEP_OF_SHARE);
  const near = Array.from({ length: reach }, (_, i) => [steps - i - 1, steps + i + 1]).flat();
  return [...new Set(near.map((step) => shareAt(step * STEP_OF_SHARE)))].filter((each) => each !== share);
}

/** A select whose change goes to the app. */
function chooser(app, name, options) {
  return make("select", { name, onchange: (event) => app.set({ [name]: event.target.value }) }, options);
}

const COVERAGE_HELP = {
  registered: "Records counted by county. Assumed: the active ones are residents, by age as on two real lists; the others are of people who left.",
  survey: "As many adults of each state as say that they are registered; every age and county alike.",
};

class Controls {
  constructor(app) {
    this.app = app;
    this.form = document.getElementById("controls");
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.append(this.release("a", "Release A"), this.release("b", "Release B, beside it"), this.attacker(), this.file(), this.groupSize(), this.reset());
  }

  release(name, title) {
    const { model } = this.app;
    const shipped = [...model.policies.values()].map((policy) => option(policy.name, policyName(policy)));
    const select = make("select", { onchange: (event) => this.choosePolicy(name, event.target.value) }, name === "b" ? option("", "none") : null, shipped, option("own", "Your own …"));
    const parts = {
      gender: make("select", {}, option("none", "not released"), option("value", "released")),
      race: make("select", {}, option("none", "not released"), option("broad", "white, Black, other"), option("value", "seven races"), model.byEthnicity ? [option("broad_race_ethnicity", "Hispanic; others: white, Black, other"), option("race_ethnicity", "Hispanic; others: seven races")] : null),
      birth: make("select", {}, ["none", "decade", "five_years", "year", "quarter", "month", "date"].map((each) => option(each, each === "none" ? "not released" : FIELD_WORDS.birth[each]))),
      geography: make("select", {}, option("state", "state"), option("county", "county"), model.zipParts ? [option("zip3", "3-digit ZIP"), option("county_zip3", "county with 3-digit ZIP"), option("county_zip5", "county with ZIP")] : null),
      top: make("select", {}, option("", "every age"), [80, 85, 90].map((age) => option(age, `${age} and over in one class`))),
    };
    const change = () => this.app.set({ [name]: policyText(Object.fromEntries(FIELDS.map((each) => [each, parts[each]?.value ?? model.coarsest(each)])), parts.top.value) });
    const labels = { gender: "Sex", race: "Race", birth: "Birth", geography: "Place", top: "Oldest" };
    const rows = Object.entries(parts).map(([part, control]) => {
      control.addEventListener("change", change);
      return field(`${name}-${part}`, labels[part], control);
    });
    this[name] = { select, parts, shows: make("p", { class: "help shows" }), own: make("details", { class: "own" }, make("summary", {}, "Change what it releases"), make("div", { class: "own-fields" }, rows)) };
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
    this.coverage = chooser(app, "cov", [option("registered", "by county and age"), option("survey", "the survey's rate of the state"), option("adults", "all adults"), option("everyone", "everyone (as the paper)"), option("share", "a share of adults …")]);
    this.coverage.onchange = null;
    this.share = make("input", { type: "range", min: 1, max: 100, step: 1, value: 70, oninput: (event) => app.set({ cov: Number(event.target.value) / 100 }) });
    this.shareOut = make("output", { for: "cov-share" });
    const words = { withheld: "withheld", value: "held", year: "year held", month: "month held", date: "date held", county: "held" };
    this.edits = Object.fromEntries(Object.keys(LIST_EDITS).map((name) => [name, chooser(app, name, EDIT_WORDS[name].map((each) => option(each, each ? words[each] : "as listed")))]));
    this.price = make("input", { type: "number", min: 0, step: "any", inputmode: "decimal", placeholder: "as each state asks", oninput: (event) => app.set({ price: event.target.value === "" ? "" : Math.max(0, Number(event.target.value)) }) });
    this.priceSlider = make("input", { type: "range", min: 0, max: 6, step: 0.05, value: 0, "aria-label": "Price of the list, as a slider", oninput: (event) => app.set({ price: Number(event.target.value) === 0 ? 0 : Number((10 ** Number(event.target.value)).toPrecision(2)) }) });
    this.listed = make("div", { class: "list-only" },
      field("cov", "Who is on the list", this.coverage), (this.coverageHelp = make("p", { class: "help" })),
      (this.shareField = make("div", { class: "field" }, make("label", { for: "cov-share" }, "Share of adults on it ", this.shareOut), (this.share.id = "cov-share", this.share))),
      make("div", { class: "own-fields" }, field("lg", "Sex", this.edits.lg), field("lr", "Race", this.edits.lr), field("lb", "Birth", this.edits.lb), field("lp", "County", this.edits.lp)),
      field("price", "Price of the list, dollars", this.price), this.priceSlider);
    this.files = make("select", { onchange: (event) => this.chooseFile(event.target.value) }, [...app.model.files.values()].map((file) => option(file.name, `${file.title}${file.states ? ` (${file.states.join(", ")})` : ""}`)));
    this.fileHelp = make("p", { class: "help" });
    this.fileShare = make("input", { type: "range", min: -1, max: 100, step: 1, value: -1, oninput: (event) => app.set({ share: Number(event.target.value) < 0 ? "" : Number(event.target.value) / 100 }) });
    this.fileShareOut = make("output", { for: "file-share" });
    this.filed = make("div", { class: "list-only" }, field("file", "File", this.files), this.fileHelp,
      make("div", { class: "field" }, make("label", { for: "file-share" }, "Share of these people in it ", this.fileShareOut), (this.fileShare.id = "file-share", this.fileShare)));
    return make("fieldset", {}, make("legend", {}, "Who links"),
      radio("everyone", "Someone who knows everyone", "GENERAL: the worst case"), radio("list", "Someone with the state's voter list", "VOTER: what the list contains, at its price"), this.listed,
      app.model.files.size ? radio("file", "Someone with another file", "A birth index, a tax roll, a register of contributors") : null, this.filed);
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

  file() {
    const { app } = this;
    this.h = make("input", { type: "range", min: Math.log10(LEAST_SHARE), max: 0, step: STEP_OF_SHARE, value: 0, oninput: (event) => app.set({ h: shareAt(Number(event.target.value)) }) });
    this.hOut = make("output", { for: "h" });
    return make("fieldset", {}, make("legend", {}, "Who is in the file"),
      make("div", { class: "field" }, make("label", { for: "h" }, "Share of the people in the file ", this.hOut), (this.h.id = "h", this.h), (this.hHelp = make("p", { class: "help" }))));
  }

  groupSize() {
    this.g = make("input", { type: "range", min: 1, max: MOST_GROUP, step: 1, oninput: (event) => this.app.set({ g: Number(event.target.value) }) });
    this.gOut = make("output", { for: "g" });
    return make("fieldset", {}, make("legend", {}, "Small groups"), make("div", { class: "field" }, make("label", { for: "g" }, "Group size g ", this.gOut), (this.g.id = "g", this.g), make("p", { class: "help" }, "Counts the people who share their values with fewer than g others.")));
  }

  reset() {
    return make("button", { type: "button", class: "wide", onclick: () => this.app.reset() }, "Back to the first view");
  }

  /** Show the values of the view. */
  show() {
    const { view, policies } = this.app;
    const held = this.app.model.files.get(view.who);
    for (const name of ["a", "b"]) {
      const policy = policies[name];
      this[name].select.value = !policy ? "" : policy.own ? "own" : policy.name;
      this[name].own.hidden = !policy || Boolean(policy.byState);
      this[name].shows.textContent = policy ? `Releases ${releasesIn(policy, null, this.app.model)}.` : "One release only.";
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
    this.h.value = Math.log10(view.h);
    this.hOut.textContent = view.h === 1 ? "everyone" : percent(view.h);
    this.h.setAttribute("aria-valuetext", this.hOut.textContent);
    this.hHelp.textContent = view.h === 1 ? "Everyone is in the file. Move the slider left for a hospital or a registry." : "The attacker knows who is in the file. Shares are of the people in the file.";
    this.g.value = view.g;
    this.gOut.textContent = view.g;
    const file = view.h === 1 ? "everyone in the file" : `${percent(view.h)} in the file`;
    const now = `${policyName(policies.a)}${policies.b ? ` and ${policyName(policies.b)}` : ""} · ${held ? held.kind : view.who === "list" ? "voter list" : "knows everyone"} · ${file}`;
    document.getElementById("settings-now").textContent = now;
    document.getElementById("print-settings").textContent = `Settings: ${now}, g ${view.g}. ${location.href}`;
  }
}
