/** Fields of an experiment's words, a tree of maps and lists as TOML has it, by their paths: `flows[0].cc`. */

const steps = (path) => path.match(/[^.[\]]+/g).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
const child = (parent, step) => (typeof step === "number" ? parent[step] : parent.get(step));

/** The value at a path; undefined where there is none. */
export function valueAt(fields, path) {
  let value = fields;
  for (const step of steps(path)) {
    if (!(value instanceof Map || Array.isArray(value))) return undefined;
    value = child(value, step);
  }
  return value;
}

/** A copy with another value at a path; `undefined` takes the field out. Tables on the way are made. */
export function changed(fields, path, value) {
  const copy = copied(fields);
  const way = steps(path);
  const last = way.pop();
  let parent = copy;
  for (const step of way) {
    let next = child(parent, step);
    if (!(next instanceof Map || Array.isArray(next))) {
      next = new Map();
      if (typeof step === "number") parent[step] = next;
      else parent.set(step, next);
    }
    parent = next;
  }
  if (value === undefined) {
    if (typeof last === "number") parent.splice(last, 1);
    else parent.delete(last);
  } else if (typeof last === "number") parent[last] = value;
  else parent.set(last, value);
  return copy;
}

/** A copy of a tree; what is in it else is never changed. */
export function copied(value) {
  if (value instanceof Map) return new Map([...value].map(([key, own]) => [key, copied(own)]));
  return Array.isArray(value) ? value.map(copied) : value;
}
