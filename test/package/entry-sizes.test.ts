import { expect, test } from "vitest";

import { measureEntries } from "../../bench/benchmark/edge/entries.ts";
import { measureWorkers } from "../../bench/benchmark/edge/workers.ts";
import { meets } from "../../bench/benchmark/figure.ts";
import manifest from "../../package.json" with { type: "json" };
import sources from "../../src/package.json" with { type: "json" };

const figures = await measureEntries();
const wholes = figures.filter(({ target }) => target !== undefined);

test("every entry of the package has a budget, and none is larger", () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"));
  expect(wholes.map(({ name }) => name.replace(", all of it, gzipped", "")).sort()).toEqual(
    entries.map((entry) => entry.replace(".", "tidegate")).sort(),
  );
  expect(wholes.filter((figure) => !meets(figure))).toEqual([]);
});

test("every worker with a part of the package has a budget, and none is larger", async () => {
  const workers = await measureWorkers();
  expect(workers.map(meets)).toEqual(workers.map(() => true));
  expect(workers.filter(({ tidegate, target }) => target!.value > tidegate * 1.05)).toEqual([]);
});

test("a budget is no more than a seventh above the size, so that it is noticed", () => {
  const loose = wholes.filter(({ tidegate, target }) => target!.value > tidegate * 1.15);
  expect(loose).toEqual([]);
});

test("a platform finds the same files in the package as in its sources", () => {
  const built = Object.entries(manifest.imports).map(([name, found]) => [
    name,
    Object.entries(found).map(([platform, file]) => [platform, file.replace("/dist/lib/", "/")]),
  ]);
  const own = Object.entries(sources.imports).map(([name, found]) => [
    name,
    Object.entries(found)
      // The compiler alone looks for it, so that it needs no types of Node.
      .filter(([platform]) => platform !== "types")
      .map(([platform, file]) => [platform, file.replace(/ts$/, "js")]),
  ]);
  expect(built).toEqual(own);
});

test("the library has no other package's code in it, tidegate/jwt that of one, the gateway that of four", () => {
  const others = figures
    .map(({ name }) => /^(.+), code of (.+), minified$/.exec(name)?.slice(1).join(": "))
    .filter((text) => text !== undefined);
  expect(others).toEqual([
    "tidegate/jwt: jose",
    "tidegate/admin: hono",
    "tidegate/admin: microdiff",
    "tidegate/admin: zod",
    "tidegate/gateway: hono",
    "tidegate/gateway: jose",
    "tidegate/gateway: zod",
    "tidegate/worker: hono",
    "tidegate/worker: jose",
    "tidegate/worker: microdiff",
    "tidegate/worker: zod",
  ]);
});
