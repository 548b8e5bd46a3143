import { mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { expect, test } from "vitest";

import { buildDashboard } from "../../scripts/build-dashboard/build.ts";

test("a server that lists the folder during a build finds no file that is about to go", async () => {
  const parent = mkdtempSync(join(tmpdir(), "dashboard-"));
  const folder = join(parent, "dashboard");
  mkdirSync(folder);
  const seen = new Set<string>();
  const watcher = watch(folder, (_, name) => seen.add(name!));
  try {
    await buildDashboard(folder);
    await expect.poll(() => seen.has("THIRD-PARTY-LICENSES.txt"), { timeout: 15_000 }).toBe(true);
    await pause(0);
    expect([...seen].toSorted()).toEqual(readdirSync(folder).toSorted());
    expect(readdirSync(parent)).toEqual(["dashboard"]);
  } finally {
    watcher.close();
    rmSync(parent, { recursive: true });
  }
});
