import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part, type Scale } from "../figure.ts";
import { cpuInWorkerd } from "./in-workerd.ts";
import { type Decide, tidegate, upstash } from "./limiters.ts";
import { selectionFigures } from "./selection.ts";
import { firstDecision } from "./start.ts";

/** The cost of a decision in the isolate itself. */
export const edgePart: Part = async (scale) => {
  const figures: Figure[] = [];
  for (const [i, [what, measure]] of MEASURES.entries()) {
    scale.tell(what, i / MEASURES.length);
    figures.push(...(await measure(scale)));
  }
  return figures;
};

const MEASURES: readonly (readonly [string, Part])[] = [
  ["CPU in Node", cpuFigures],
  ["CPU in workerd", cpuInWorkerd],
  ["selecting rules", selectionFigures],
  ["heap", heapFigures],
  ["first decision", firstDecision],
];

async function cpuFigures({ short }: Scale): Promise<Figure[]> {
  const identities = Array.from({ length: 1_000 }, (_, i) => `203.0.113.${i}`);
  const contenders = [
    tidegate({ admits: false }),
    upstash({ admits: false }),
    tidegate({ admits: true }),
    upstash({ admits: true }),
  ];
  const calls = short ? 2_000 : 50_000;

  async function measure(decide: Decide): Promise<number> {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call++) await decide(identities[call % identities.length]!);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  }

  // Compiled, and with all denials known.
  for (const decide of contenders) await measure(decide);
  const samples = await interleave(
    contenders.map((decide) => () => measure(decide)),
    short ? 2 : 21,
  );
  const [denials, theirDenials, allows, theirAllows] = samples as [
    number[],
    number[],
    number[],
    number[],
  ];
  return [
    {
      name: "denial from knowledge: CPU",
      unit: "us",
      ...compare(denials, "@upstash/ratelimit", theirDenials),
      target: atMost(2, "tidegate"),
    },
    {
      name: "allow, the store answers at once: CPU",
      unit: "us",
      ...compare(allows, "@upstash/ratelimit", theirAllows),
    },
  ];
}

const heapChild = fileURLToPath(new URL("heap-child.ts", import.meta.url));

async function heapFigures({ short }: Scale): Promise<Figure[]> {
  async function measure(name: string): Promise<number> {
    const args = ["--expose-gc", heapChild, name, short ? "10000" : "100000"];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  }
  const [ours, theirs] = await interleave(
    ["tidegate", "upstash"].map((name) => () => measure(name)),
    short ? 1 : 3,
  );
  return [
    {
      name: "known denial: heap",
      unit: "bytes",
      ...compare(ours!, "@upstash/ratelimit", theirs!),
      target: atMost(100, "tidegate"),
    },
  ];
}
