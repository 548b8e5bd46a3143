import { expect, test } from "vitest";

import { deployBridge, deployRedis, idsOf } from "../../support/cli/deployment.ts";

/* What the doctor says of the Redis of a region. */

const looked = async (url: string, rest?: { readonly url: string; readonly token: string }) =>
  (await idsOf({ region: { url }, ...(rest && { rest }) })).filter((id) => id.includes("region"));

test("a Redis that keeps nothing and stands alone is right", async () => {
  const [home, nearby] = [await deployRedis(), await deployRedis()];
  expect(await looked(nearby.url, await deployBridge(home.url))).toEqual([]);
});

test.each([
  ["snapshots", ["--save", "900 1"], "warning region-keeps-data"],
  ["an append-only file", ["--appendonly", "yes"], "warning region-keeps-data"],
])("%s are a finding", async (_, args, found) => {
  expect(await looked((await deployRedis(...args)).url)).toEqual([found]);
});

test("replicas are a finding, on either side", async () => {
  const nearby = await deployRedis();
  const replica = await deployRedis("--replicaof", "127.0.0.1", String(nearby.port));
  await expect
    .poll(() => looked(nearby.url), { timeout: 15_000 })
    .toEqual(["warning region-has-replicas"]);
  expect(await looked(replica.url)).toContain("warning region-has-replicas");
});

test("home in the place of the region is found, also by another address", async () => {
  const home = await deployRedis();
  const rest = await deployBridge(home.url);
  expect(await looked(home.url, rest)).toEqual(["warning region-is-home"]);
  const { findings } = { findings: await idsOf({ rest, region: rest }) };
  expect(findings).toContain("warning region-is-home");
});

test("a region that does not answer is found", async () => {
  expect(await looked("redis://127.0.0.1:1")).toEqual(["error region-unreachable"]);
});
