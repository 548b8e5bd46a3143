// Sends the riders of an incident against an API, without a limiter and with each layer of it, on real parts.
// Then it plays scenes in which limiters go wrong.
// `npm run surge -- [--short] [--only with,boundaryBurst] [--seed 1] [--share 0.5] [--out bench/surge.json]`
// With `--redraw` it runs nothing, and writes the pictures and the page of the results that are there.

import { parseArgs } from "node:util";

import { endSignal } from "../local-stack/end-signal.ts";
import type { Figures, Second } from "./figures/figures.ts";
import { measure, secondsOf } from "./figures/measure.ts";
import { lengthOf, PHASES, SHORT_PHASES } from "./people/phases.ts";
import { RIDERS } from "./people/population.ts";
import { startProgress } from "./progress.ts";
import { writeReport } from "./report/report.ts";
import { inColumns, tableOf } from "./report/table.ts";
import {
  machine,
  type PartOfResults,
  readResults,
  type SetupName,
  SETUPS,
  type SurgeResults,
  writeResults,
} from "./results.ts";
import { runSurge } from "./run/run.ts";
import { SCENES, type SceneName, type Scenes } from "./scenes/scenes.ts";
import { gatewaySetup, peerSetup, type Setup } from "./setups/setup.ts";

/** Calls per second that the matching service of 2,000 riders can do. */
const CAPACITY = 150;

const RESULTS = "bench/surge.json";
const PARTS: readonly string[] = [...SETUPS, ...Object.keys(SCENES)];

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: PARTS.join(",") },
    seed: { type: "string", default: "1" },
    share: { type: "string", default: "0.5" },
    out: { type: "string" },
    redraw: { type: "boolean", default: false },
  },
});
const [seed, share] = [Number(values.seed), Number(values.share)];
if (!Number.isSafeInteger(seed) || !(share > 0 && share <= 1)) {
  console.error("--seed takes a whole number, and --share a number above 0, at most 1");
  process.exit(2);
}
if (values.redraw) {
  const file = values.out ?? RESULTS;
  await writeReport(file, await readResults(file));
  process.exit();
}
const chosen = values.only.split(",");
const unknown = chosen.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  console.error(`--only takes ${PARTS.join(", ")}; not ${unknown.join(", ")}`);
  process.exit(2);
}
// All parts end with this process.
endSignal().addEventListener("abort", () => process.exit(130));

const phases = values.short ? SHORT_PHASES : PHASES;
const capacity = CAPACITY * share;
const setups: Record<SetupName, Setup> = {
  without: gatewaySetup("without", capacity),
  bucket: gatewaySetup("bucket", capacity),
  ceiling: gatewaySetup("ceiling", capacity),
  with: gatewaySetup("with", capacity),
  upstashTokenBucket: peerSetup("token-bucket"),
  upstashSlidingWindow: peerSetup("sliding-window"),
};

const before = machine();
const figures: Partial<Record<SetupName, Figures>> = {};
const seconds: Partial<Record<SetupName, readonly Second[]>> = {};
for (const name of SETUPS.filter((name) => chosen.includes(name))) {
  const setup = setups[name];
  const startMs = Date.now();
  const bar = startProgress(setup.name, lengthOf(phases));
  const run = await runSurge(setup, {
    seed,
    phases,
    share,
    capacity,
    onProgress: (progress, load) => bar.update(progress, load, Date.now() - startMs),
  });
  bar.stop();
  figures[name] = measure(run);
  seconds[name] = secondsOf(run);
}

const scenes: { -readonly [Name in SceneName]?: Scenes[Name] } = {};

async function play<Name extends SceneName>(name: Name): Promise<void> {
  console.error(`${name} …`);
  scenes[name] = await SCENES[name]({
    size: values.short ? "short" : "full",
    seed,
    share,
    capacity,
    tell: (line) => console.error(`${name}: ${line}`),
  });
}
for (const name of Object.keys(SCENES) as SceneName[]) {
  if (chosen.includes(name)) await play(name);
}

const results: PartOfResults = {
  date: new Date().toISOString(),
  machine: before,
  seed,
  share,
  riders: Math.round(RIDERS * share),
  capacity,
  phases,
  ...figures,
  seconds,
  scenes,
};
if (isWhole(results)) console.log(`\n${inColumns(tableOf(results))}\n`);
// Figures of a short run mean nothing, those of a part are not all: neither takes the place of those that are.
const out = values.out ?? (values.short || !isWhole(results) ? undefined : RESULTS);
if (out !== undefined) {
  await writeResults(out, results);
  if (isWhole(results)) await writeReport(out, results);
  console.log(`written to ${out}`);
}
process.exit();

function isWhole(results: PartOfResults): results is PartOfResults & SurgeResults {
  return PARTS.every((name) => name in results || name in results.scenes);
}
