import assert from "node:assert/strict";
import { test } from "node:test";

import { csvOf } from "../../src/experiment.js";

test("a chart's CSV has no formula", () => {
  const line = '=HYPERLINK("http://x")';
  const layer = { data: { name: "lines", values: [{ x: 1, y: -2.5 }] } };
  const spec = { concat: [{ layer: [layer] }], usermeta: { panels: [{ y: "-1+1", layers: [line] }] } };
  assert.equal(csvOf(spec), `quantity,line,x,y\n'-1+1,"'=HYPERLINK(""http://x"")",1,-2.5\n`);
});
