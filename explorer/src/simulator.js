/** The compiled simulator in the thread that it was made in: text in, bytes out. */

/** First byte of an answer that is what was asked for. */
export const GIVEN = 48;

/** The answer to a request, JSON text: its first byte, and then what that says it is. */
export function answerTo(simulator, request) {
  const { room, answer, take_back: takeBack, memory } = simulator.exports;
  const bytes = new TextEncoder().encode(request);
  const place = room(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const packed = BigInt.asUintN(64, answer(place, bytes.length));
  const [at, length] = [Number(packed >> 32n), Number(packed & 0xffffffffn)];
  const reply = new Uint8Array(memory.buffer, at, length).slice();
  takeBack(at, length);
  return reply;
}
