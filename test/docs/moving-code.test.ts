import { readdirSync } from "node:fs";

import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";
import { writeBlocks } from "../support/docs/typed-blocks.ts";

const FOLDER = "docs/moving";

const pages = readdirSync(FOLDER);
/** Their types are large, and a busy machine takes minutes for them. */
const PATIENCE_MS = 240_000;

const blocks = pages.flatMap((page, i) =>
  codeBlocks(`${FOLDER}/${page}`)
    .filter(({ language }) => language === "ts")
    // A line of its own among those of all pages.
    .map((block) => Object.assign(block, { line: 10_000 * (i + 1) + block.line })),
);
const typed = writeBlocks("moving", blocks);
afterAll(typed.remove);

test(
  "what the pages about moving show, before and after, is what both libraries' types say",
  async () => {
    expect(blocks.length).toBeGreaterThanOrEqual(2 * pages.length);
    await typed.check();
  },
  PATIENCE_MS,
);
