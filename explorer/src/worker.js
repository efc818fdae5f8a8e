/** A worker: simulates one run at a time. It gets the compiled module once, and then runs as JSON; it gives back the bytes of
 * the answer, or what became of it. Shipped as a text of its own, with what it imports. */

import { answerTo } from "./simulator.js";

let simulator;

self.onmessage = async ({ data: { module, id, request } }) => {
  if (module) {
    simulator = await WebAssembly.instantiate(module, {});
    self.postMessage({ ready: true });
    return;
  }
  try {
    const bytes = answerTo(simulator, request);
    self.postMessage({ id, bytes, memory: simulator.exports.memory.buffer.byteLength }, [bytes.buffer]);
  } catch (error) {
    self.postMessage({ id, trap: String(error) });
  }
};
