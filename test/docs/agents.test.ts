import { afterAll, expect, test } from "vitest";

import { checkText } from "../../src/node/cli/check/check-text.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

// The statements about tools are held by test/llm/limit-tools.test.ts.
const blocks = codeBlocks("docs/agents.md");
const code = blocks.filter(({ language }) => language === "ts");
const typed = writeBlocks("agents", code);
afterAll(typed.remove);

test("docs/agents.md has its blocks", () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "toml", "ts"]);
});

test("the assertions about a model in docs/agents.md hold", async () => {
  await expect(typed.run(code[1]!.line)).resolves.toBeDefined();
});

test("docs/agents.md has rules that the gateway takes", () => {
  const rules = blocks.filter(({ language }) => language === "toml");
  expect(rules).toHaveLength(1);
  expect(checkText("wrangler.toml", rules[0]!.code)).toEqual([]);
});
