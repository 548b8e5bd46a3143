import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import type { CodeBlock } from "./code-blocks.ts";

/** Blocks of TypeScript as files, which import the package by its name. */
export interface TypedBlocks {
  /** Rejects with what is no TypeScript, or has other types than the package says. */
  check(): Promise<void>;
  /** Runs the block that begins on this line, and resolves to what it exports. */
  run<Module>(line: number): Promise<Module>;
  remove(): void;
}

/** Writes blocks into a folder of this name. */
export function writeBlocks(name: string, blocks: readonly CodeBlock[]): TypedBlocks {
  const folder = resolve(".tmp", name);
  const fileOf = (line: number) => join(folder, `line-${line}.ts`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { line, code } of blocks) writeFileSync(fileOf(line), code);
  const config = { extends: "../../tsconfig.json", include: ["*.ts", "../../src/runtime/*.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));

  return {
    async check() {
      await promisify(execFile)("tsc", ["-p", folder]);
    },
    run: (line) => import(fileOf(line)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
