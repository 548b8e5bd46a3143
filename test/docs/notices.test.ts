import { afterAll, expect, test } from "vitest";

import { checkText } from "../../src/node/cli/check/check-text.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/notices.md");
const code = blocks.filter(({ language }) => language === "ts");
const typed = writeBlocks("notices", code);
afterAll(typed.remove);

test("docs/notices.md has its blocks", () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "toml", "json"]);
});

test("the assertions in docs/notices.md hold", async () => {
  await expect(typed.run(code[0]!.line)).resolves.toBeDefined();
});

test("docs/notices.md has rules that the gateway takes", () => {
  const rules = blocks.filter(({ language }) => language === "toml");
  expect(rules).toHaveLength(1);
  expect(checkText("wrangler.toml", rules[0]!.code)).toEqual([]);
});
