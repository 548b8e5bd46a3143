import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";
import { writeBlocks } from "../support/docs/typed-blocks.ts";

const blocks = codeBlocks("docs/notices.md");
const code = blocks.filter(({ language }) => language === "ts");
const typed = writeBlocks("notices", code);
afterAll(typed.remove);

test("docs/notices.md has its blocks, and they are what the types say", async () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "toml", "json"]);
  await typed.check();
});

test("what is asserted in docs/notices.md holds", async () => {
  await typed.run(code[0]!.line);
});
