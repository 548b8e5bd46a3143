import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../../scripts/support/free-port.ts";
import { connect, deployBridge, deployRedis, idsOf } from "../../support/cli/deployment.ts";
import { startRedisCluster } from "../../support/redis-cluster.ts";
import { until } from "../../support/redis-rest/harness.ts";

/** A cluster whose nodes are set as recommended, except as a test says. */
async function deployCluster(fullCoverage: "yes" | "no") {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const nodes = cluster.urls.map(connect);
  for (const node of nodes) {
    await node.config("SET", "maxmemory", "768mb");
    await node.config("SET", "cluster-require-full-coverage", fullCoverage);
  }
  return { cluster, first: nodes[0]! };
}

test("a whole cluster is sound, over the bridge and by one node", async () => {
  const { cluster } = await deployCluster("no");
  const rest = await deployBridge(cluster.urls.join(","), { cluster: true });
  expect(await idsOf({ rest })).toEqual([]);
  for (const redisUrl of cluster.urls) expect(await idsOf({ redisUrl })).toEqual([]);
});

test("a dead master is found, and that it stops all others", async () => {
  const { cluster, first } = await deployCluster("yes");
  const options = { redisUrl: cluster.urls[0]! };
  expect(await idsOf(options)).toEqual(["note cluster-full-coverage"]);
  await cluster.nodes[2]!.stop();
  const info = () => first.call("CLUSTER", "INFO").then(String);
  await until(async () => (await info()).includes("cluster_state:fail"), 15_000);
  expect(await idsOf(options)).toEqual(["error cluster-down"]);
  await first.config("SET", "cluster-require-full-coverage", "no");
  await until(async () => (await info()).includes("cluster_state:ok"), 15_000);
  expect(await idsOf(options)).toEqual(["error cluster-slots-failing"]);
});

test.for(["yes", "no"])(
  "hash slots without an owner are found, full coverage: %s",
  async (full) => {
    const busPort = `${await freePort()}`;
    const enabled = ["--cluster-enabled", "yes", "--cluster-port", busPort];
    const server = await deployRedis(...enabled, "--cluster-require-full-coverage", full);
    const redis = connect(server.url);
    await redis.call("CLUSTER", "ADDSLOTSRANGE", "0", "9000");
    expect(await idsOf({ redisUrl: server.url })).toEqual(["error cluster-slots-missing"]);
  },
);
