// What the page shows of each state, computed here or in workers: threads of the browser, each with some of the states.

/** What a state answers: under each release, and what its list costs. */
function answersOf(model, state, { releases, setting, g }) {
  const results = {};
  for (const [name, policy] of Object.entries(releases)) results[name] = model.evaluate(state, policyOf(policy, model), { ...setting, g });
  return { code: state.code, results, price: setting.who === "everyone" ? null : model.price(state, setting) };
}

/** Read the model out of the page's compressed data. */
async function modelFrom(bytes) {
  const [facts, zips, chances, lengths] = await Promise.all(["facts", "zip-parts", "chances", "lengths"].map((name) => inflated(bytes[name])));
  const known = JSON.parse(new TextDecoder().decode(facts));
  const shape = [known.counties.code.length, 2, known.races.length, known.ages.length];
  const people = new People(shortsOf(chances), shortsOf(lengths), bytes.people, shape);
  return new Model(known, people, zips.length ? zipPartsOf(zips, known.counties.code.length) : null);
}

/** The curves of some states. */
function curvesOf(model, { lines, setting, most }) {
  return lines.map(({ code, policy }) => model.curve(model.byCode.get(code), policyOf(policy, model), setting, most));
}

const FAR_AHEAD = 50; // the largest group size of the slider

/** In a worker: answer the newest question, state by state, and look for a newer one after each; then draw curves. */
function serve() {
  let model = null;
  const newest = { states: null, curves: null };
  const pause = new MessageChannel();
  const rest = () => new Promise((resume) => {
    pause.port1.onmessage = resume;
    pause.port2.postMessage(null);
  });
  const answer = async (request) => {
    const found = [];
    for (const code of request.states) {
      found.push(answersOf(model, model.byCode.get(code), request));
      await rest();
      if (newest.states !== request) return;
    }
    newest.states = null;
    if (request.g > 1) ahead = { request, states: [...request.states] };
    postMessage({ run: request.run, found });
  };
  let ahead = null; // group sizes that a slider may come to next
  const goAhead = () => {
    const { request, states } = ahead;
    const code = states.shift();
    if (!code) ahead = null;
    else for (const policy of Object.values(request.releases)) model.lookAhead(model.byCode.get(code), policyOf(policy, model), request.setting, FAR_AHEAD);
  };
  let working = false;
  const work = async () => {
    if (working || !model) return;
    working = true;
    while (newest.states || newest.curves || ahead) {
      if (newest.states) {
        ahead = null;
        await answer(newest.states);
      } else if (!newest.curves) {
        goAhead();
        await rest();
      } else {
        const { curve } = newest.curves;
        const lines = curvesOf(model, newest.curves);
        newest.curves = null;
        postMessage({ curve, lines });
        await rest();
      }
    }
    working = false;
  };
  globalThis.addEventListener("unhandledrejection", () => postMessage({ failed: true }));
  globalThis.onmessage = async ({ data }) => {
    if (data.bytes) {
      model = await modelFrom(data.bytes);
      postMessage({ started: true });
    } else newest[data.curve ? "curves" : "states"] = data;
    work();
  };
}
if (typeof document === "undefined" && typeof postMessage === "function") serve();
