import { expect, test } from "vitest";

import { until } from "../support/bridge/harness.ts";
import { connect, deployRedis, idsOf } from "../support/doctor/deployment.ts";

/** A master and a replica that follows it. */
async function deployReplica(...masterArgs: readonly string[]) {
  const master = await deployRedis("--repl-diskless-sync-delay", "0", ...masterArgs);
  const replica = await deployRedis("--replicaof", "127.0.0.1", `${master.port}`);
  const redis = connect(master.url);
  const isOnline = async () => (await redis.info("replication")).includes("state=online");
  await until(isOnline, 10_000);
  return { master, replica, redis };
}

test("a replica takes no decisions, and loses those that it takes", async () => {
  const { replica } = await deployReplica();
  const options = { redisUrl: replica.url };
  expect(await idsOf(options)).toEqual(["error redis-is-replica"]);
  await connect(replica.url).config("SET", "replica-read-only", "no");
  expect(await idsOf(options)).toEqual(["error redis-is-replica"]);
});

test("a master that goes on without its replica is found", async () => {
  const { master, redis } = await deployReplica();
  const options = { redisUrl: master.url };
  expect(await idsOf(options)).toEqual(["warning split-brain-unbounded"]);
  await redis.config("SET", "min-replicas-to-write", "1");
  expect(await idsOf(options)).toEqual([]);
});

test("a replica that does not answer is found before the master refuses", async () => {
  const { master, replica, redis } = await deployReplica("--min-replicas-to-write", "1");
  replica.kill("SIGSTOP");
  const lag = async () => Number(/lag=(\d+)/.exec(await redis.info("replication"))![1]);
  await until(async () => (await lag()) > 2, 15_000);
  expect(await idsOf({ redisUrl: master.url })).toEqual(["warning replica-lags"]);
});
