import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { CodeBlock } from "./code-blocks.ts";

/** Blocks of TypeScript as files, which import the package by its name. `test/docs/types.test.ts` checks their types. */
export interface TypedBlocks {
  /** Runs the block that begins on this line anew, and resolves to its exports. */
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

  return {
    run: (line) => import(`${fileOf(line)}?run=${crypto.randomUUID()}`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
