import { afterAll, describe, expect, test } from "vitest";

import { checkText } from "../../packages/cli/src/check/check-text.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

/** The pages whose code states what it does, and the languages of their blocks: those with `!` hold assertions. */
const PAGES = [
  // The statements about tools are held by test/llm/limit-tools.test.ts.
  ["agents", "ts toml ts! ts! ts!"],
  ["llm", "ts! ts! ts! ts! ts! js ts! ts! ts! ts! ts!"],
  ["notices", "ts! toml json"],
  ["pacing", "ts!"],
  ["outages", "ts!"],
  // Its apps are held by test/docs/testing-apps.test.ts.
  ["testing", "ts! ts! ts ts ts ts"],
] as const;

describe.each(PAGES)("docs/%s.md", (page, languages) => {
  const blocks = codeBlocks(`docs/${page}.md`);
  const typed = writeBlocks(
    page,
    blocks.filter(({ language }) => language === "ts"),
  );
  afterAll(typed.remove);

  test(`has its blocks: ${languages}`, () => {
    expect(blocks.map(({ language }) => language).join(" ")).toBe(languages.replaceAll("!", ""));
  });

  test.for(blocks.filter((_, i) => languages.split(" ")[i] === "ts!"))(
    "the assertions on line $line hold",
    async ({ line }) => {
      await expect(typed.run(line)).resolves.toBeDefined();
    },
  );

  test.for(blocks.filter(({ language }) => language === "toml"))(
    "the rules on line $line are such that the gateway takes them",
    ({ code }) => {
      expect(checkText("wrangler.toml", code)).toEqual([]);
    },
  );
});
