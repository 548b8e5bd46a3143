import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { PICTURES } from "../../bench/benchmark/pictures.ts";
import type { Results } from "../../bench/benchmark/results.ts";

test("a short benchmark runs all parts and leaves no figure out", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const out = join(folder, "results.json");
    await promisify(execFile)(
      process.execPath,
      ["bench/benchmark/main.ts", "--short", "--out", out],
      {
        maxBuffer: 1e7,
      },
    );
    const { parts } = JSON.parse(await readFile(out, "utf8")) as Results;
    expect(Object.keys(parts).sort()).toEqual([
      "bundle",
      "distance",
      "edge",
      "files",
      "gateway",
      "lease",
      "objects",
      "redis",
      "regions",
      "trips",
      "workerd",
    ]);
    for (const { figures } of Object.values(parts)) {
      expect(figures.length).toBeGreaterThan(0);
      for (const { name, tidegate, peer, ratio } of figures) {
        // The clock of a process ticks a hundred times a second: the few requests of a short run may take no tick.
        const ratios = name.includes("CPU") ? [] : Object.values(ratio ?? {});
        const numbers = [tidegate, peer?.value ?? 0, ...ratios];
        expect(numbers.every(Number.isFinite), `${name}: ${numbers.join(" ")}`).toBe(true);
      }
    }
    for (const name of Object.keys(PICTURES)) {
      expect(await readFile(join(folder, `${name}.svg`), "utf8")).toMatch(/^<svg /);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}, 600_000);
