import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";

const blocks = codeBlocks("docs/llm.md");
const folder = resolve(".tmp/llm");
const fileOf = (line: number) => join(folder, `line-${line}.ts`);

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { line, code } of blocks) writeFileSync(fileOf(line), code);
  const config = { extends: "../../tsconfig.json", include: ["*.ts", "../../src/runtime/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("docs/llm.md has its three blocks, and they are what the types say", async () => {
  expect(blocks.map(({ language }) => language)).toEqual(["ts", "ts", "ts"]);
  await promisify(execFile)("tsc", ["-p", folder]);
});

test.for(blocks)("what is asserted on line $line of docs/llm.md holds", async ({ line }) => {
  await import(fileOf(line));
});
