// What a spec leaves to chance, drawn by the compiled simulator's crates/draw, as for the package: `tables.draw` gives the
// text of an answer to the text of a request. Twin of python/dumbbell/spec/chance.py.

import { runJson } from "./runid.js";

/** @returns {string} the answer to a request of crates/draw, JSON */
export function drawn(what, request, tables) {
  return tables.draw(runJson({ [what]: request }));
}

/** A flow's own whole number for a purpose, uniform below `bound`. @param {bigint} seed @param {bigint} bound */
export function below(what, seed, flow, bound, tables) {
  return bound ? BigInt(drawn("below", { what, seed, name: flow, below: bound }, tables)) : 0n;
}
