import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/llm.md");
const typed = writeBlocks("llm", blocks);
afterAll(typed.remove);

test("docs/llm.md has its four blocks", () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "ts", "ts", "ts"]);
});

test.for(blocks)("the assertions on line $line of docs/llm.md hold", async ({ line }) => {
  await expect(typed.run(line)).resolves.toBeDefined();
});
