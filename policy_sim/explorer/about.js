// Where the figures come from, how they are made, and what the page must not be used for.

function aboutText(facts) {
  const { population } = facts;
  const item = (title, ...words) => [make("dt", {}, title), ...words.map((each) => make("dd", {}, each))];
  const place = document.getElementById("about-text");
  place.append(
    make("div", { class: "columns" },
      make("div", {}, make("h3", {}, "How it is computed"),
        make("p", {}, "The page contains the population of every county by sex, race and age (and by ethnicity), and computes every figure itself. People who share what the record and the attacker's list both show form a group; n people fall at random into b equally likely values (365 birthdays in a year of age)."),
        make("ul", {},
          make("li", {}, "Named correctly: b (1 − (1 − c/b)ⁿ), where c is the chance that a person is on the list."),
          make("li", {}, "Unique: n c (1 − c/b)ⁿ⁻¹; in a group of g or fewer: the sum of the binomial up to g."),
          make("li", {}, "Who is on a voter list: people of each county and age with a chance c of their own, and records of people who moved away or died. These share the values of a group like everybody else, but nobody in the release is theirs; a guess or a claim may fall on one. People of one group with different chances count as a binomial with the same mean and variance."),
          make("li", {}, "Race alone in a release, and race with Hispanic as an answer on the list, or the other way around: each record is compared with all people who may be its own, and each of those n people has 1/n of their figures."),
          make("li", {}, "A file of a share h, where the attacker knows who is in it: the same with c h in place of c, as a share of the people in the file."),
          make("li", {}, "A file from some counties: each county has a share h of its own, so a group that takes in several counties has parts s: b (1 − Π (1 − cₛhₛ/b)ⁿˢ) named correctly. The people of the file are assumed to be drawn at random from those of each county."),
          make("li", {}, "ZIP codes: the people of a county are assigned to its ZIP code areas by chance, and each area has its counted number of people; every figure is the mean over all such assignments."),
          make("li", {}, "Two figures, such as 2% to 5%: a field that no source mentions, withheld and released; or a file of which nobody says how many people it holds, from none to all."),
          make("li", {}, "Figures are means over how birthdays and homes fall. Where the counts by sex, age, race and county are modeled, each state's table says how far the same model was off where it could be compared with a count."),
          make("li", {}, "Matches that look certain: records that exactly one listed person fits; some are wrong, because the list misses people.")),
        make("p", {}, "Golle 2006; Benitez and Malin 2010. They assume that everyone is in the file and on the list; choose that with “everyone (as in the 2010 paper)”.")),
      make("div", {}, make("h3", {}, "Use it responsibly"),
        make("p", {}, "The figures are expected values over a population. They say nothing about any one person, and no one can be looked up here. Use them to decide what a release may show, what a list should hold, and where a data use agreement is needed."),
        make("p", {}, "Do not use them to choose whom to identify, or to call a release safe without an expert determination. A low figure for everyone can hide a high figure for a few people: look at the counties, and at the people who are unique."),
        make("p", {}, "Voter lists have their own rules. Having a list, and using it to name patients, can break the law of the state, a contract, or HIPAA."))),
    make("details", { class: "sources-of-all" }, make("summary", {}, "Sources and notes"), make("dl", {}, item("People", population.describe, `${population.publisher}, ${population.date}. ${population.how}`), item("Sources of the people", ...population.sources), population.notes.length ? item("Notes on the people", ...population.notes) : [],
      item("Voter lists", `vintage ${facts.vintage}; each fact has its source on the state's card`), item("On the list", facts.listing.title, ...facts.listing.notes, `or by state: ${facts.surveyTitle}`), item("Options", ...facts.notes), facts.counties.notes.length ? item("Map", ...facts.counties.notes) : [],
      item("Program", `policy_sim ${facts.version}; population sha256 ${population.sha256}`))),
    make("h3", {}, "Cite"), make("pre", {}, facts.citation));
}
