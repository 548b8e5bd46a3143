import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { ROOT } from "./root.ts";

/** Which mutants an earlier run has seen noticed. */
export interface Ledger {
  has(name: string): boolean;
  add(name: string): void;
}

const FILE = join(ROOT, ".tmp/mutants.json");

/** Kept beside a digest of every file that a result may depend on: with one of them it starts anew. */
export function createLedger(resume: boolean): Ledger {
  const files = globSync("{src,lua,test,scripts}/**/*.{ts,tsx,css,lua}", { cwd: ROOT }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(ROOT, file)));
  const state = hash.digest("hex");
  const noticed = new Set(resume ? read(state) : []);
  return {
    has: (name) => noticed.has(name),
    add(name) {
      noticed.add(name);
      mkdirSync(dirname(FILE), { recursive: true });
      writeFileSync(FILE, JSON.stringify({ state, noticed: [...noticed] }));
    },
  };
}

function read(state: string): readonly string[] {
  try {
    const kept = JSON.parse(readFileSync(FILE, "utf8")) as { state: string; noticed: string[] };
    return kept.state === state ? kept.noticed : [];
  } catch {
    return [];
  }
}
