// Measures Tidegate against its peers, on real parts only.
// `npm run bench -- [--short] [--only redis,trips,lease,edge,workerd,bundle,cold] [--out bench/results.json]`
// With `--redraw` it measures nothing, and draws the pictures of the results that are there.

import { dirname } from "node:path";
import { parseArgs } from "node:util";

import { coldPart } from "./cold/cold.ts";
import { bundlePart } from "./edge/bundle.ts";
import { edgePart } from "./edge/edge.ts";
import type { Part } from "./figure.ts";
import { leasePart } from "./lease/lease.ts";
import { writePlots } from "./plot/plot.ts";
import { redisPart } from "./redis/redis.ts";
import { type PartResults, partResults, readResults, writeResults } from "./results.ts";
import { table } from "./table.ts";
import { tripsPart } from "./trips/trips.ts";
import { workerdPart } from "./workerd/workerd.ts";

const PARTS: Record<string, Part> = {
  redis: redisPart,
  trips: tripsPart,
  lease: leasePart,
  edge: edgePart,
  workerd: workerdPart,
  bundle: bundlePart,
  cold: coldPart,
};

const RESULTS = "bench/results.json";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: Object.keys(PARTS).join(",") },
    out: { type: "string" },
    redraw: { type: "boolean", default: false },
  },
});
const names = values.only.split(",");
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`--only takes ${Object.keys(PARTS).join(", ")}; not ${unknown.join(", ")}`);
  process.exit(2);
}

if (values.redraw) {
  const file = values.out ?? RESULTS;
  await writePlots(dirname(file), await readResults(file));
  process.exit();
}

const parts: Record<string, PartResults> = {};
for (const name of names) {
  const figures = await PARTS[name]!({ short: values.short });
  parts[name] = partResults(figures);
  console.log(table(name, figures));
}
// Numbers of a short run mean nothing, and must not take the place of those that do.
const out = values.out ?? (values.short ? undefined : RESULTS);
if (out !== undefined) {
  const results = await writeResults(out, parts);
  await writePlots(dirname(out), results);
  console.log(`written to ${out}`);
}
