import { execFile } from "node:child_process";
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { guideBlocks } from "./guides.ts";

/** The pages beside the guides whose TypeScript needs no other types than this project has. */
const PAGES = [
  ..."admin agents llm metrics node notices outages pacing recipes testing"
    .split(" ")
    .map((page) => `docs/${page}.md`),
  ...globSync("docs/moving/*.md"),
];

/** The other files that are compiled with them. */
const BESIDE = {
  // Of Workers, whose types this project does without.
  "workers.d.ts": `
declare const WebSocketPair: new () => { 0: WebSocket; 1: WebSocket & { accept(): void } };
interface ResponseInit { webSocket?: WebSocket }
`,
  "node-declared.ts": `
import type { Response } from "express";
import type { FastifyRequest } from "fastify";

export const reasonsOf = (response: Response, request: FastifyRequest): string[] => [
  response.locals.rateLimit.reason,
  request.rateLimit.reason,
];
// @ts-expect-error What docs/node.md declares is typed.
export const wrong = (response: Response): number => response.locals.rateLimit.reason;
`,
};

/** The types of the libraries that people move from are large, and a busy machine takes minutes for them. */
const PATIENCE_MS = 240_000;

// One run of the compiler for all: each reads the whole library and its companions.
test(
  "the TypeScript of the documents agrees with the types",
  async () => {
    const folder = resolve(".tmp/types");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const files: Record<string, string> = { ...BESIDE };
    for (const { file, code } of guideBlocks("ts")) files[file] = code;
    for (const page of PAGES) {
      const blocks = codeBlocks(page).filter(({ language }) => language === "ts");
      // A page about moving shows the earlier code, too.
      const least = page.startsWith("docs/moving/") ? 2 : 1;
      expect(blocks.length, page).toBeGreaterThanOrEqual(least);
      for (const { line, code } of blocks) {
        files[`${page.replaceAll(/\W/g, "-")}-${line}.ts`] = code;
      }
    }
    for (const [file, code] of Object.entries(files)) writeFileSync(join(folder, file), code);
    const include = ["*.ts", "../../src/runtime/*.d.ts"];
    const config = { extends: "../../tsconfig.json", include };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const said = await promisify(execFile)("tsc", ["-p", folder]).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(said).toBe("");
    rmSync(folder, { recursive: true });
  },
  PATIENCE_MS,
);
