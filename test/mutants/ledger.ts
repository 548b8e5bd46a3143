import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Result } from "./mutant.ts";
import { ROOT } from "./root.ts";

/** A result without the mutant, which the program knows by its name. */
export type Kept = Omit<Result, "mutant">;

/** The findings of an earlier run, by the mutants' names. */
export interface Ledger {
  get(name: string): Kept | undefined;
  add(result: Result): void;
}

const FILE = join(ROOT, ".tmp/mutants.json");

/** Kept beside a digest of every file that a result may depend on: with one of them it starts anew. */
export function createLedger(resume: boolean): Ledger {
  const files = globSync("{src,packages/*/src,lua,test,scripts}/**/*.{ts,tsx,css,lua}", {
    cwd: ROOT,
  }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(ROOT, file)));
  const state = hash.digest("hex");
  const results = new Map(Object.entries(resume ? read(state) : {}));
  return {
    get: (name) => results.get(name),
    add({ mutant, ...kept }) {
      results.set(mutant.name, kept);
      mkdirSync(dirname(FILE), { recursive: true });
      writeFileSync(FILE, JSON.stringify({ state, results: Object.fromEntries(results) }));
    },
  };
}

function read(state: string): Readonly<Record<string, Kept>> {
  try {
    const kept = JSON.parse(readFileSync(FILE, "utf8")) as {
      state: string;
      results: Record<string, Kept>;
    };
    return kept.state === state ? kept.results : {};
  } catch {
    return {};
  }
}
