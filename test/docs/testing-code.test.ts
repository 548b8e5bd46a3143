import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/testing.md");
const typed = writeBlocks("testing", blocks);
afterAll(typed.remove);

test("the recipe has its two blocks", () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "ts"]);
});

test.for(blocks)("the assertions on line $line hold", async ({ line }) => {
  await expect(typed.run(line)).resolves.toBeDefined();
});
