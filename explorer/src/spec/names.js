// Names of groups and flows. Twin of python/dumbbell/spec/names.py.

import { baseName } from "./cc.js";
import { Problem, quoted } from "./problem.js";
import { scalar } from "./section.js";

const NUMBERED_NAME = /^([^\n]+)-([1-9][0-9]{0,8})$/u;

/** Names that two flows would have. @returns {Generator<Problem>} */
export function* nameProblems(groups) {
  const owner = new Map();
  for (const [index, group] of [...groups].entries()) {
    const name = givenName(group);
    if (name === null) continue;
    if (owner.has(name)) {
      const told = `${quoted(name)} is already the name of flows[${owner.get(name)}]`;
      yield new Problem(`flows[${index}].name`, told, "give each group a name of its own");
    } else {
      owner.set(name, index);
    }
  }
  const counts = new Map([...owner].map(([name, index]) => [name, scalar(groups[index].count)]));
  for (const [name, index] of owner) {
    const other = memberOf(name, counts);
    if (other !== null) {
      const told = `${quoted(name)} is also a flow of group ${quoted(other)}, which counts its flows so`;
      yield new Problem(`flows[${index}].name`, told, "give it another name");
    }
  }
}

/** The names of each group's flows; the first is the group's. @returns {string[][]} */
export function flowNames(groups) {
  const counts = new Map();
  for (const group of groups) {
    const name = givenName(group);
    if (name !== null) counts.set(name, scalar(group.count));
  }
  const used = new Map();
  return groups.map((group) => {
    const name = givenName(group);
    const count = Number(scalar(group.count));
    if (name !== null) return Array.from({ length: count }, (_, index) => numberedName(name, index + 1));
    const base = baseName(scalar(group.cc));
    const names = [];
    let number = used.get(base) ?? 0;
    while (names.length < count) {
      number += 1;
      const candidate = numberedName(base, number);
      if (!counts.has(candidate) && memberOf(candidate, counts) === null) names.push(candidate);
    }
    used.set(base, number);
    return names;
  });
}

function givenName(group) {
  return group.name === null ? null : scalar(group.name);
}

function numberedName(name, number) {
  return number === 1 ? name : `${name}-${number}`;
}

/** The group, if any, whose second or later flow has this name. */
function memberOf(name, counts) {
  const match = NUMBERED_NAME.exec(name);
  return match && 1n < BigInt(match[2]) && BigInt(match[2]) <= (counts.get(match[1]) ?? 0n) ? match[1] : null;
}
