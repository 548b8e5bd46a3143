import { dirname } from "node:path";

import type { Command } from "commander";

import { startProgress } from "../../scripts/support/progress.ts";
import {
  type Measured,
  type MeasuringOptions,
  measuringProgram,
} from "../support/measuring-program.ts";
import { PARTS } from "./parts.ts";
import {
  type PartResults,
  partResults,
  readResults,
  type Results,
  writeResults,
} from "./results.ts";
import { table } from "./table.ts";

const NAMES = PARTS.map(({ name }) => name);

export function benchmarkProgram(): Command {
  return measuringProgram({
    call: "npm run bench --",
    description:
      "Measures Tidegate against its peers, on real parts: a Redis, workerd and Node. " +
      "Targets that are missed are shown, and are no failure.",
    examples: [
      "npm run bench",
      "npm run bench -- --only bundle,lease",
      "npm run bench -- --short --json",
      "npm run bench -- --redraw",
    ],
    parts: NAMES,
    file: "bench/results.json",
    // Numbers of a short run must not take the place of those that mean something.
    unwritten: "--short",
    measure,
    redraw: async (file) => drawPictures(file, await readResults(file)),
  });
}

/** Drawing brings a browser's document, which takes longer to load than all else that most calls need. */
async function drawPictures(file: string, results: Results): Promise<void> {
  const { writePictures } = await import("./pictures.ts");
  await writePictures(dirname(file), results);
}

async function measure({ short = false, only }: MeasuringOptions): Promise<Measured> {
  const chosen = PARTS.filter(({ name }) => only.includes(name));
  const progress = startProgress(
    chosen.map(({ name, seconds }) => ({ name, expectedMs: 1_000 * seconds[short ? 1 : 0] })),
  );
  const parts: Record<string, PartResults> = {};
  for (const { name, load } of chosen) {
    progress.begin(name);
    const measure = await load();
    parts[name] = partResults(await measure({ short, tell: progress.tell }));
  }
  progress.end();
  return {
    results: { parts },
    text: (columns) =>
      Object.entries(parts)
        .map(([name, { figures }]) => table(name, figures, columns))
        .join("\n"),
    complete: !short,
    write: async (file) => drawPictures(file, await writeResults(file, parts)),
  };
}
