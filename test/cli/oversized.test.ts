import { expect, test } from "vitest";

import { oversizedVariables } from "../../src/node/cli/check/oversized.ts";

/** A wrangler file whose variable RULES has so many bytes, with two in each character of its path. */
function fileOf(bytes: number): string {
  const empty = JSON.stringify([{ path: "/", policies: [] }]).length;
  const left = bytes - empty;
  const path = `/${"ü".repeat(Math.floor(left / 2))}${"x".repeat(left % 2)}`;
  return JSON.stringify({ vars: { RULES: [{ path, policies: [] }] } });
}

test.each([
  [5_120, 0],
  [5_121, 1],
])("a variable of %i bytes, in fewer characters, has %i warnings", (bytes, warnings) => {
  const lines = oversizedVariables("wrangler.json", fileOf(bytes));
  expect(lines).toHaveLength(warnings);
  if (warnings > 0) expect(lines[0]).toContain(`vars.RULES has ${bytes} bytes`);
});
