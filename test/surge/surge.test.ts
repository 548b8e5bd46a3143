import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { measure } from "../../bench/surge/figures/measure.ts";
import type { PartOfResults } from "../../bench/surge/results.ts";
import { run } from "../support/stack/command.ts";
import { madeRun } from "./made-run.ts";

const FIGURES = Object.keys(measure(madeRun([], [])));
const FIELDS = "date machine seed share riders capacity phases bucket with seconds scenes".split(
  " ",
);

test(
  "a short surge of two set-ups and two scenes holds the limits",
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "surge-"));
    try {
      const out = join(folder, "surge.json");
      const only = "bucket,with,deployAmnesia,boundaryBurst";
      const flags = ["--short", "--share", "0.1", "--only", only, "--out", out];
      const command = run(["npm", "run", "surge", "--", ...flags]);
      expect([await command.ended(), command.err()]).toEqual([0, expect.any(String)]);
      const results = JSON.parse(await readFile(out, "utf8")) as PartOfResults;

      expect(new Set(Object.keys(results))).toEqual(new Set(FIELDS));
      expect(results).toMatchObject({ seed: 1, share: 0.1, riders: 200, capacity: 15 });
      expect(Object.keys(results.seconds)).toEqual(["bucket", "with"]);
      for (const name of ["bucket", "with"] as const) {
        const figures = results[name]!;
        // JSON has null for a number that is not finite.
        expect(Object.keys(figures)).toEqual(FIGURES);
        expect(Object.values(figures).filter((value) => !Number.isFinite(value))).toEqual([]);
        expect(figures.requests).toBe(figures.allowed + figures.denied + figures.failed);
        expect(figures.requests).toBeGreaterThan(100);
        expect(figures.overAdmitted).toBe(0);
        const sent = results.seconds[name]!.reduce((sum, second) => sum + second.sent, 0);
        expect(sent).toBe(figures.requests);
      }

      expect(Object.keys(results.scenes)).toEqual(["deployAmnesia", "boundaryBurst"]);
      const { limit, deploys, redis, perIsolate } = results.scenes.deployAmnesia!;
      expect(redis.admittedInWorstWindow).toBe(limit);
      // Each isolate admits the limit anew; on a busy machine the last one may be asked less than that.
      expect(perIsolate.admitted).toBeGreaterThan(deploys * limit);
      for (const counted of [redis, perIsolate]) {
        expect(counted.requests).toBe(counted.admitted + counted.denied + counted.failed);
        expect(counted.failed).toBe(0);
        expect(counted.deploysAtMs).toHaveLength(deploys);
        const stepped = counted.steps.reduce((sum, { admitted }) => sum + admitted, 0);
        expect(stepped).toBe(counted.admitted);
      }
      expect(results.scenes.boundaryBurst!.algorithms).toHaveLength(5);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test("an unknown part is refused, with the names of those that there are", async () => {
  const command = run(["npm", "run", "surge", "--", "--only", "with,nothing"]);
  expect(await command.ended()).toBe(2);
  expect(command.err()).toMatch(/'nothing'\sis\snone\sof\swithout,\sbucket,[^]*redisLost/);
});
