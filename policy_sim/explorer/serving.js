// A worker, a thread of the browser with some of the states: it answers the newest question, or draws the newest curves.
// While it has nothing to do, it looks at what the reader may ask next, so that the answer is there.

const FAR_AHEAD = 50; // the largest group size of the slider
const STEP = 5; // milliseconds of work between two looks at what is asked

class Server {
  constructor() {
    this.answers = null;
    this.states = [];
    this.question = null;
    this.curves = null;
    this.ranges = null;
    this.likely = [];
    this.working = false;
    this.pause = new MessageChannel();
  }

  async receive(data) {
    if (data.bytes) {
      const model = await modelFrom(data.bytes);
      this.answers = new Answers(model);
      this.states = data.states.map((code) => model.byCode.get(code));
      postMessage({ started: true });
    } else if (data.curve) this.curves = data;
    else if (data.ranges) this.ranges = data;
    else this.question = data;
    this.work();
  }

  /** Work in small steps, and look after each whether there is a newer question. */
  async work() {
    if (this.working || !this.answers) return;
    this.working = true;
    for (let job = this.next(null); job; job = this.next(job)) {
      const end = performance.now() + STEP;
      while (!job.done && performance.now() < end) job.done = job.next().done;
      await new Promise((resume) => {
        this.pause.port1.onmessage = resume;
        this.pause.port2.postMessage(null);
      });
    }
    this.working = false;
  }

  next(job) {
    const { question, curves, ranges } = this;
    if (question) {
      this.question = null;
      this.likely = [];
      return this.answer(question);
    }
    if (ranges) {
      this.ranges = null;
      return this.range(ranges);
    }
    if (curves && (!job || job.done)) {
      this.curves = null;
      return this.draw(curves);
    }
    if (job && !job.done) return job;
    return this.likely.length ? this.prepare(this.likely.shift()) : null;
  }

  *answer(question) {
    const found = [];
    for (const state of this.states) {
      found.push(yield* this.answers.finding(state, question));
      yield;
    }
    postMessage({ run: question.run, found });
    this.likely = question.likely;
  }

  /** Find what may be asked next: a policy in a setting, which the page is told of if it wishes, or every group size of one. */
  *prepare({ release, setting, g, sizes, keep, tell }) {
    const { model } = this.answers;
    const found = [];
    for (const state of this.states) {
      if (sizes) yield* model.lookAhead(state, policyOf(release, model), setting, FAR_AHEAD);
      else found.push({ code: state.code, figures: yield* this.answers.figures(state, release, setting, g, keep) });
      yield;
    }
    if (tell) postMessage({ foreseen: found, release, setting, g });
  }

  /** The ends of ranges. */
  *range({ ranges, questions }) {
    postMessage({ ranges, found: yield* this.answers.ranges(questions) });
  }

  *draw(request) {
    postMessage({ curve: request.curve, lines: curvesOf(this.answers.model, request) });
  }
}

if (typeof document === "undefined" && typeof postMessage === "function") {
  const server = new Server();
  globalThis.addEventListener("unhandledrejection", () => postMessage({ failed: true }));
  globalThis.onmessage = ({ data }) => server.receive(data);
}
