import { createHash, randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { DASHBOARD } from "../build-dashboard/build.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(root, "node_modules/.cache/tidegate-worker");

/** All that a bundle is made from. */
const SOURCES = [
  "src",
  "packages/dashboard/src",
  "scripts/build-dashboard",
  "wrangler.toml",
  "tsconfig.json",
  "package-lock.json",
];

/** The number of kept bundles of older sources, so that going back and forth between two states builds each once. */
const KEPT = 4;

/** Bundling takes four seconds of a processor, and dozens of tests and each `npm start` need the same one. */
export async function keptBundle<Bundle>(build: () => Promise<Bundle>): Promise<Bundle> {
  const file = join(FOLDER, `${digestOfSources()}.json`);
  const kept = read<Bundle>(file);
  if (kept && kept.page === readPage()) return kept.bundle;
  const bundle = await build();
  write(file, { bundle, page: readPage() });
  return bundle;
}

interface Kept<Bundle> {
  readonly bundle: Bundle;
  /** The dashboard's, which is built with it: it names its scripts by their contents. */
  readonly page: string | undefined;
}

function digestOfSources(): string {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const file of filesOf(join(root, source))) {
      hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex").slice(0, 32);
}

function filesOf(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

const readPage = () => readIfThere(join(DASHBOARD, "index.html"));

function read<Bundle>(file: string): Kept<Bundle> | undefined {
  const text = readIfThere(file);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Kept<Bundle>);
  } catch {
    // A disk that was full left half of it: it is built anew.
    return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Renamed into place, because another process may read it meanwhile. */
function write(file: string, kept: Kept<unknown>): void {
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = join(FOLDER, `${randomUUID()}.part`);
  writeFileSync(unfinished, JSON.stringify(kept));
  renameSync(unfinished, file);
  const newestFirst = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(FOLDER, name))
    .toSorted((a, b) => modified(b) - modified(a));
  for (const old of newestFirst.slice(KEPT)) rmSync(old, { force: true });
}

/** Another process may have removed it. */
const modified = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
