import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { type PartOfResults, readResults } from "../../bench/surge/results.ts";
import { run } from "../support/stack/command.ts";

test(
  "a short surge of two set-ups and two scenes holds the limits",
  // Half a minute on a machine that does nothing else.
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "surge-"));
    try {
      const out = join(folder, "surge.json");
      const only = "bucket,with,deployAmnesia,boundaryBurst";
      const flags = ["--short", "--share", "0.1", "--only", only, "--out", out];
      const command = run(["npm", "run", "surge", "--", ...flags]);
      expect([await command.ended(), command.err()]).toEqual([0, expect.any(String)]);
      const results = JSON.parse(await readFile(out, "utf8")) as PartOfResults;

      const { without: _, ceiling: __, ...committed } = await readResults("bench/surge.json");
      expect(Object.keys(results)).toEqual(Object.keys(committed));
      expect(results).toMatchObject({ seed: 1, share: 0.1, riders: 200, capacity: 15 });
      for (const name of ["bucket", "with"] as const) {
        const figures = results[name]!;
        expect(Object.keys(figures)).toEqual(Object.keys(committed[name]));
        // JSON has null for a number that is not finite.
        expect(Object.values(figures).filter((value) => !Number.isFinite(value))).toEqual([]);
        expect(figures.requests).toBe(figures.allowed + figures.denied + figures.failed);
        expect(figures.requests).toBeGreaterThan(100);
        expect(figures.overAdmitted).toBe(0);
        const sent = results.seconds[name]!.map((each) => each.allowed + each.denied + each.failed);
        expect(sent.reduce((a, b) => a + b)).toBe(figures.requests);
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
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
