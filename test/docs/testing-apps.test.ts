import { afterAll, describe } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

// This project has two versions of Fastify, under names of their own.
const apps = codeBlocks("docs/testing.md")
  .filter(({ code }) => code.includes('from "vitest"'))
  .map(({ line, language, code }) => {
    return { line, language, code: code.replace('"fastify"', '"fastify5"') };
  });
const typed = writeBlocks("testing-apps", apps);
afterAll(typed.remove);

// Each block has a test of its own, which runs where the block is read.
for (const { line } of apps) {
  describe(`the app on line ${line} of docs/testing.md`, async () => {
    await typed.run(line);
  });
}
