import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { MODELS } from "../../docs/.vitepress/theme/playground/models.ts";
import type { Policy as Sent } from "../../packages/dashboard/src/api/answers.ts";
import { termsOf } from "../../packages/dashboard/src/parts/rule-label.ts";
import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import * as tidegate from "../../src/index.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";

const COUNTING = Object.keys(IMPLEMENTATIONS).toSorted();
const ALL = [...COUNTING, "concurrency"].toSorted();

/** The first column of a section's table. */
function rowsOf(file: string, heading: string): string[] {
  const [, section = ""] = readFileSync(file, "utf8").split(`${heading}\n`);
  const [text = ""] = section.split("\n## ");
  return Array.from(text.matchAll(/^\| `([a-z-]+)` +\|/gm), ([, name]) => name!).toSorted();
}

test.for([
  ["README.md", "## Choosing an algorithm", ALL],
  ["docs/algorithms.md", "# Choosing an algorithm", ALL],
  ["docs/guarantees.md", "## What it costs", COUNTING],
  ["docs/redis.md", "## Memory", ALL],
] as const)("%s, %s: a row for each algorithm", ([file, heading, names]) => {
  expect(rowsOf(file, heading)).toEqual(names);
});

test("the options say which names a rule may give", () => {
  const text = readFileSync("docs/options.md", "utf8");
  const [, names = ""] = /plus `algorithm`, which is ([^.]+)\./.exec(text) ?? [];
  expect(Array.from(names.matchAll(/"([a-z-]+)"/g), ([, name]) => name).toSorted()).toEqual(
    COUNTING,
  );
});

test("the playground has each algorithm", () => {
  expect(MODELS.map(({ id }) => id)).toEqual(expect.arrayContaining(ALL));
});

const builderOf = (name: string) =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

test.for(ALL)("the package exports a builder for %s", (name) => {
  expect(tidegate).toHaveProperty(builderOf(name), expect.any(Function));
});

test.for(ALL)("the options name the builder of %s above its table", (name) => {
  const [, ...before] = readFileSync("docs/options.md", "utf8")
    .split(/^<!-- options: /m)
    .map((text) => text.split("<!-- end -->").at(-1));
  expect([before.join(""), name]).toEqual([
    expect.stringContaining(`\`${builderOf(name)}()\``),
    name,
  ]);
});

/** A policy as the admin API sends it. */
const sent = (policy: object) => JSON.parse(JSON.stringify(policy)) as Sent;

/** The options without a default: a policy's limit and rate are made from them. */
const numbersIn = (name: keyof typeof IMPLEMENTATIONS) =>
  Object.entries(IMPLEMENTATIONS[name].options)
    .filter(([, option]) => !("default" in option))
    .map(([option]) => option);

test.for(EVERY_ALGORITHM)("the dashboard says the terms of $algorithm", ({ algorithm, of }) => {
  const policy = sent(of(7, "90s"));
  const terms = termsOf(policy);
  expect(terms).not.toContain("undefined");
  for (const option of ["limit", ...numbersIn(algorithm)]) {
    expect(terms).toContain(String(policy[option]));
  }
});

test("20 per second, smooth: as many pass at once and in a second as the page says", async () => {
  let now = 0;
  const admitted = async (limit: number) => {
    const store = tidegate.memoryStore({ now: () => now * 1_000 });
    const policies = [tidegate.tokenBucket({ name: "smooth", limit, refill: 20, per: "1s" })];
    const limiter = tidegate.createLimiter({ store, policies });
    const counts = { first: 0, second: 0, retryAfterMs: 0 };
    for (const startMs = (now += 10_000); now <= startMs + 1_000; now += 10) {
      for (let i = 0; i < 50; i++) {
        const { allowed, retryAfterMs } = await limiter.limit("ada");
        if (now === startMs) counts.retryAfterMs = retryAfterMs;
        if (!allowed) break;
        counts.second++;
        if (now === startMs) counts.first++;
      }
    }
    return counts;
  };
  expect(await admitted(20)).toEqual({ first: 20, second: 40, retryAfterMs: 50 });
  expect(await admitted(2)).toEqual({ first: 2, second: 22, retryAfterMs: 50 });
});
