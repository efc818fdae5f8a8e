/** A worker: simulates one run at a time. It gets the compiled module once, and then runs as JSON; it gives back the bytes of
 * the answer, or what became of it. Stands alone: it is shipped as text. */

let simulator;

const asked = (request) => {
  const { room, answer, take_back: takeBack, memory } = simulator.exports;
  const bytes = new TextEncoder().encode(request);
  const place = room(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const packed = BigInt.asUintN(64, answer(place, bytes.length));
  const [at, length] = [Number(packed >> 32n), Number(packed & 0xffffffffn)];
  const found = new Uint8Array(memory.buffer, at, length).slice();
  takeBack(at, length);
  return found;
};

self.onmessage = async ({ data: { module, id, request } }) => {
  if (module) {
    simulator = await WebAssembly.instantiate(module, {});
    self.postMessage({ ready: true });
    return;
  }
  try {
    const bytes = asked(request);
    self.postMessage({ id, bytes, memory: simulator.exports.memory.buffer.byteLength }, [bytes.buffer]);
  } catch (error) {
    self.postMessage({ id, trap: String(error) });
  }
};
