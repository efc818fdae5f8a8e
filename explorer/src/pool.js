/** Workers that simulate, as many as the machine has cores, off the page's thread. A job that is cancelled while it runs takes
 * its worker with it: a running simulation cannot be interrupted otherwise. Another one is warm by then. A short one is not
 * worth it: it runs to its end, so that the picture follows a slider while it is dragged. */

import { GIVEN } from "./simulator.js";

/** Of a worker's memory, which never shrinks: beyond this it is replaced when it is idle. */
const MOST_BYTES = 256 * 2 ** 20;

/** A run that cannot be simulated: the model refuses it, or it trapped. */
export class Refused extends Error {}

/** Workers, and the jobs that wait for one. */
export class Pool {
  /** `script`: the text of `worker.js`; `module`: the compiled simulator. */
  constructor(script, module, size) {
    this.url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.module = module;
    this.idle = [];
    this.busy = new Map();
    this.waiting = [];
    this.next = 0;
    this.size = size;
    for (let i = 0; i < size + 1; i += 1) this.#spawn(); // one more, so that a cancelled one is not missed
  }

  /** The bytes of the answer to a request, JSON text, and how long the worker took: `{bytes, took_ms}`. `urgent`: before all
   * that wait. A signal that is aborted cancels it, but for a short one that has begun. */
  ask(request, { urgent = false, isShort = false, signal } = {}) {
    return new Promise((resolve, reject) => {
      const job = { id: this.next, request, isShort, resolve, reject };
      this.next += 1;
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener("abort", () => this.#cancel(job, signal.reason), { once: true });
      if (urgent) this.waiting.unshift(job);
      else this.waiting.push(job);
      this.#start();
    });
  }

  #spawn() {
    const worker = new Worker(this.url);
    worker.onmessage = ({ data }) => {
      if (data.ready) {
        this.idle.push(worker);
        this.#start();
        return;
      }
      const job = this.busy.get(worker);
      this.busy.delete(worker);
      if (data.trap !== undefined || data.memory > MOST_BYTES) {
        worker.terminate();
        this.#spawn();
      } else this.idle.push(worker);
      if (data.trap !== undefined) job?.reject(new Refused(`the simulation broke off: ${data.trap}`));
      else if (data.bytes[0] === GIVEN) job?.resolve({ bytes: data.bytes.subarray(1), took_ms: performance.now() - job.began_ms });
      else job?.reject(new Refused(new TextDecoder().decode(data.bytes.subarray(1))));
      this.#start();
    };
    worker.onerror = (event) => {
      this.busy.get(worker)?.reject(new Refused(event.message));
      this.busy.delete(worker);
    };
    worker.postMessage({ module: this.module });
  }

  #start() {
    while (this.waiting.length && this.idle.length && this.busy.size < this.size) {
      const [job, worker] = [this.waiting.shift(), this.idle.pop()];
      job.began_ms = performance.now();
      this.busy.set(worker, job);
      worker.postMessage({ id: job.id, request: job.request });
    }
  }

  #cancel(job, reason) {
    if (job.isShort && [...this.busy.values()].includes(job)) return;
    const at = this.waiting.indexOf(job);
    if (at >= 0) this.waiting.splice(at, 1);
    for (const [worker, own] of this.busy) {
      if (own !== job) continue;
      this.busy.delete(worker);
      worker.terminate();
      this.#spawn();
    }
    job.reject(reason);
    this.#start();
  }
}
