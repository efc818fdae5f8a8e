// SHA-256, at once: browsers have one that answers later, and none on a page from plain http.

const SHA256_START = fractionsOfRoots(8, 1 / 2);
const SHA256_ROUND = fractionsOfRoots(64, 1 / 3);

/** First 32 bits of the fractional parts of roots of the first primes. */
function fractionsOfRoots(count, power) {
  const found = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false;
    if (isPrime) found.push(Math.floor((candidate ** power % 1) * 2 ** 32));
  }
  return Uint32Array.from(found);
}

function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** @param {string} text as UTF-8 @returns {Uint8Array} 32 bytes */
function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = Uint32Array.from(SHA256_START);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < blocks; block += 1) {
    for (let index = 0; index < 16; index += 1) schedule[index] = view.getUint32(block * 64 + index * 4);
    mixed(state, schedule);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, index) => out.setUint32(index * 4, word));
  return digest;
}

function mixed(state, schedule) {
  for (let index = 16; index < 64; index += 1) {
    const early = schedule[index - 15];
    const late = schedule[index - 2];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[index] = schedule[index - 16] + first + schedule[index - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let index = 0; index < 64; index += 1) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + high + ((e & f) ^ (~e & g)) + SHA256_ROUND[index] + schedule[index]) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] += word;
  });
}

/** @param {string} text as UTF-8 @returns {string} 64 digits */
export function sha256Hex(text) {
  return [...sha256(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
