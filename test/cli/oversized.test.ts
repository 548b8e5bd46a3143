import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { oversizedVariables, variablesIn } from "../../packages/cli/src/check/in-wrangler-file.ts";
import { checkVariables } from "../../packages/cli/src/doctor/checks/variables.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

/** A wrangler file whose variable RULES has this many bytes, with two in each character of its path. */
function fileOf(bytes: number): string {
  const empty = JSON.stringify([{ path: "/", policies: [] }]).length;
  const left = bytes - empty;
  const path = `/${"ü".repeat(Math.floor(left / 2))}${"x".repeat(left % 2)}`;
  return JSON.stringify({ vars: { RULES: [{ path, policies: [] }] } });
}

test.each([
  [4_608, 0],
  [4_609, 1],
  [5_121, 1],
])("a variable of %i bytes, in fewer characters, has %i warnings", (bytes, warnings) => {
  const lines = oversizedVariables("wrangler.json", fileOf(bytes));
  expect(lines).toHaveLength(warnings);
  if (warnings > 0) expect(lines[0]).toContain(`vars.RULES has ${bytes} bytes`);
});

test.each([
  [4_608, undefined, undefined],
  [4_609, "variable-near-limit", "warning"],
  [5_120, "variable-near-limit", "warning"],
  [5_121, "variable-too-large", "error"],
])("the doctor finds a variable of %i bytes: %s", (bytes, id, severity) => {
  const found = checkVariables(variablesIn("wrangler.json", fileOf(bytes)));
  expect([found?.id, found?.severity]).toEqual([id, severity]);
});

test("the doctor looks at a wrangler file alone, and says what to do", async () => {
  writeFileSync(join(on.cwd, "wrangler.json"), fileOf(5_000));
  const { out, exit } = await on.run(["doctor", "--config", "wrangler.json"], {
    env: { TIDEGATE_URL: "", UPSTASH_REDIS_REST_URL: "" },
  });
  expect(exit).toBe(1);
  expect(out).toContain("vars.RULES has 5000 of 5120 bytes");
  expect(out).toContain("npx tidegate rules push");
});
