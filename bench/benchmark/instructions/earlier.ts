import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { decisionCall } from "../redis/tidegate.ts";

/** The package as it was at an earlier commit. */
export interface Earlier {
  readonly name: string;
  readonly decisionCall: typeof decisionCall;
  close(): Promise<void>;
}

/**
 * Unpacks a commit of this clone, to measure its scripts beside today's; `undefined` without one.
 *
 * @param commit as git names it
 */
export async function openEarlier(commit: string | undefined): Promise<Earlier | undefined> {
  if (!commit) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "tidegate-earlier-"));
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const file = join(folder, "bench/benchmark/redis/tidegate.ts");
  const { decisionCall } = (await import(pathToFileURL(file).href)) as Pick<
    Earlier,
    "decisionCall"
  >;
  return {
    name: commit,
    decisionCall,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
