// Workers that compute the nation while the page stays quick. Without workers, the page computes in pieces.

const MOST_WORKERS = 6;
const PATIENCE = 8000; // milliseconds until a worker that has not begun is given up

class Pool {
  constructor(answers, bytes) {
    this.answers = answers;
    this.waiting = null;
    this.runs = 0;
    this.drawing = null;
    this.workers = [];
    this.drawer = null;
    this.ranger = null;
    this.ranging = null;
    try {
      this.start(bytes);
    } catch {
      this.workers = [];
    }
  }

  start(bytes) {
    const source = document.getElementById("model").textContent;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const begun = (states) => {
      const worker = new Worker(address);
      worker.onmessage = ({ data }) => this.receive(data);
      worker.onerror = () => this.fail();
      worker.postMessage({ bytes, states });
      return worker;
    };
    const many = Math.max(1, Math.min(MOST_WORKERS, (navigator.hardwareConcurrency || 2) - 1));
    for (const states of this.dealt(many)) this.workers.push(begun(states));
    this.drawer = begun([]); // curves take long: no other answer waits for them
    this.ranger = begun([]); // nor for the ends of ranges
    this.idle = many + 2;
    setTimeout(() => this.idle && this.fail(), PATIENCE);
  }

  /** The states of each worker, about as much work for each. */
  dealt(many) {
    const shares = Array.from({ length: many }, () => ({ states: [], work: 0 }));
    const work = (state) => state.counties.reduce((sum, county) => sum + 4 + (this.answers.model.zipParts?.[county].length ?? 0), 0);
    for (const [state, each] of this.answers.model.states.map((state) => [state, work(state)]).sort((x, y) => y[1] - x[1])) {
      const least = shares.reduce((best, share) => (share.work < best.work ? share : best));
      least.states.push(state.code);
      least.work += each;
    }
    return shares.map((share) => share.states);
  }

  /** Ask for the answers of every state; null where a newer question came before they were all known. */
  ask(request) {
    this.waiting?.resolve(null);
    return new Promise((resolve) => {
      const asked = { ...request, run: ++this.runs };
      this.waiting = { run: asked.run, left: this.workers.length, found: [], resolve, request: asked };
      if (!this.workers.length) this.askHere(this.waiting);
      this.workers.forEach((worker) => worker.postMessage(asked));
    });
  }

  /** Ask for the curves of some states: only the newest are drawn. */
  askCurves(request) {
    return new Promise((resolve) => {
      this.drawing = { request, resolve };
      if (this.workers.length) this.drawer.postMessage(request);
      else this.drawHere();
    });
  }

  /** Ask for the ends of ranges; null where newer ones were asked for before. */
  askRanges(questions) {
    this.ranging?.resolve(null);
    return new Promise((resolve) => {
      this.ranging = { ranges: ++this.runs, questions, resolve };
      if (this.workers.length) this.ranger.postMessage({ ranges: this.runs, questions });
      else this.rangeHere(this.ranging);
    });
  }

  rangeHere(ranging) {
    inPieces(this.answers.ranges(ranging.questions), () => this.ranging === ranging, ranging.resolve);
  }

  drawHere() {
    const { drawing } = this;
    setTimeout(() => drawing === this.drawing && drawing.resolve(curvesOf(this.answers.model, drawing.request)), 200);
  }

  receive({ started, failed, run, found, curve, lines, ranges, foreseen, release, setting, g }) {
    if (failed) {
      this.fail();
      return;
    }
    if (started) {
      this.idle--;
      return;
    }
    if (foreseen) {
      for (const { code, figures } of foreseen) this.answers.remember(this.answers.model.byCode.get(code), release, setting, g, figures);
      return;
    }
    if (curve) {
      if (this.drawing.request.curve === curve) this.drawing.resolve(lines);
      return;
    }
    if (ranges) {
      if (this.ranging.ranges === ranges) this.ranging.resolve(found);
      return;
    }
    const { waiting } = this;
    if (waiting?.run !== run) return;
    waiting.found.push(...found);
    if (--waiting.left === 0) waiting.resolve(waiting.found);
  }

  /** A worker that cannot run, as in a browser that forbids them: the page computes instead. */
  fail() {
    if (!this.workers.length) return;
    [...this.workers, this.drawer, this.ranger].forEach((worker) => worker?.terminate());
    this.workers = [];
    if (this.drawing) this.drawHere();
    if (this.ranging) this.rangeHere(this.ranging);
    if (this.waiting?.left) this.askHere(this.waiting);
  }

  askHere(waiting) {
    const work = [...this.answers.model.states];
    const found = [];
    const step = () => {
      if (this.waiting !== waiting) return;
      const end = performance.now() + 30;
      while (work.length && performance.now() < end) found.push(this.answers.of(work.shift(), waiting.request));
      if (work.length) setTimeout(step, 0);
      else waiting.resolve(found);
    };
    setTimeout(step, 0);
  }
}

const PIECE = 30; // milliseconds of work before the page may do something else

/** Take the steps of some work in pieces, as long as it is wanted. */
function inPieces(steps, wanted, done) {
  const piece = () => {
    const end = performance.now() + PIECE;
    while (wanted() && performance.now() < end) {
      const { done: over, value } = steps.next();
      if (over) return done(value);
    }
    return wanted() && setTimeout(piece, 0);
  };
  setTimeout(piece, 0);
}
