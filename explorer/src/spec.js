/** Specs, about which the page asks the compiled `crates/spec` in its own thread: problems, words and runs are the package's. */

import { valueAt } from "./edit.js";
import { Refused } from "./pool.js";
import { answerTo, GIVEN } from "./simulator.js";

/** Fields as the JSON that `crates/web` reads: a tree of maps and lists, whose whole numbers are bigints. */
export const fieldsJson = (fields) => JSON.stringify(fields, (_, value) => {
  if (value instanceof Map) return { table: [...value] };
  return typeof value === "bigint" ? { integer: String(value) } : value;
});

const parsed = (json) => JSON.parse(json, (_, value) => {
  if (value?.table) return new Map(value.table);
  return value?.integer === undefined ? value : BigInt(value.integer);
});

/** The algorithm or variant without its parameters. */
export const baseName = (cc) => cc.split("[")[0].trim();

/** What answers, with the files that specs name. */
export class Specs {
  constructor(simulator) {
    this.simulator = simulator;
    this.files = {}; // texts by their names
  }

  /** A spec, `{toml}` or `{fields}`: `{problems, fields, experiment}`. There are fields of what is TOML, and an experiment, which
   * `resolve` takes, of what has no problems. */
  check(spec) {
    const source = fieldsJson({ spec, files: this.files });
    const { problems, fields, seeds } = this.#answer("check", source);
    return { problems, fields, experiment: problems.length ? null : { source, seeds: seeds.map(BigInt) } };
  }

  /** A run of the first point. `record`: what it records where that is not what the spec says, "summary" or
   * `{series: {sample_ns, until_ns}}`. */
  resolve({ source }, seed, record = null) {
    return this.#answer("resolve", `{"source":${source},"seed":${seed},"record":${JSON.stringify(record)}}`);
  }

  /** Fields as TOML. */
  toml(fields) {
    return this.#answer("toml", fieldsJson(fields));
  }

  /** A path's fields with the keys of its link, where it writes none itself. */
  completed(path) {
    return this.#answer("completed", fieldsJson(path));
  }

  /** A queue's room by the path of its buffer in an experiment's fields: `{written, bdp, ms, kB, packets}`, the first one of the
   * others; or null. */
  rooms(fields, path) {
    const [network, queue] = [valueAt(fields, "path"), valueAt(fields, path.replace(/\.buffer$/, ""))];
    if (!(network instanceof Map && queue instanceof Map)) return null;
    if (network === queue) return this.#answer("rooms", fieldsJson(network));
    if (typeof queue.get("buffer") !== "string") return null;
    const alone = (buffer) => {
      const ofAll = ["rtt", "mtu"].filter((key) => network.has(key)).map((key) => [key, network.get(key)]);
      return this.#answer("rooms", fieldsJson(new Map([...ofAll, ...queue, ["buffer", buffer]])));
    };
    // By itself a queue has a BDP of its own: theirs is that of the bottleneck.
    const written = alone(queue.get("buffer"));
    const [bytes, bdp] = this.#answer("amounts", fieldsJson([path, queue.get("buffer"), fields]));
    return written && bdp ? { ...alone(`${bytes[1]} B`), bdp: bdp[1], written: written.written } : null;
  }

  /** A queue discipline by its name: `{parameters, usual}`, the names of those that it takes, and what `tc` gives them. */
  discipline(kind) {
    this.disciplines ??= new Map(this.#answerTo('"disciplines"').map(([name, parameters, { codel, ...own }]) => (
      [name, { parameters, usual: { ...own, ...codel } }])));
    return this.disciplines.get(kind) ?? { parameters: [], usual: {} };
  }

  /** `[number, unit, magnitude]` of a text, or null; magnitudes are in the order of quantities. */
  quantity(text) {
    return this.#answer("quantity", fieldsJson(text));
  }

  #answer(what, request) {
    return this.#answerTo(`{"${what}":${request}}`);
  }

  #answerTo(request) {
    const bytes = answerTo(this.simulator, request);
    const text = new TextDecoder().decode(bytes.subarray(1));
    if (bytes[0] !== GIVEN) throw new Refused(text);
    return parsed(text);
  }
}
