import { expect, test } from "vitest";

import { checkReplica } from "../../../packages/cli/src/doctor/checks/replica.ts";
import { type Connection, ReplyError } from "../../../packages/cli/src/doctor/gather/connection.ts";
import { gatherReplica } from "../../../packages/cli/src/doctor/gather/replica.ts";
import { connect, deployBridge, deployRedis, idsOf } from "../../support/cli/deployment.ts";
import { until } from "../../support/redis-rest/harness.ts";

/** A master and a replica that follows it. */
async function deployReplica(...masterArgs: readonly string[]) {
  const master = await deployRedis("--repl-diskless-sync-delay", "0", ...masterArgs);
  const replica = await deployRedis("--replicaof", "127.0.0.1", `${master.port}`);
  const redis = connect(master.url);
  const isOnline = async () => (await redis.info("replication")).includes("state=online");
  await until(isOnline, 10_000);
  return { master, replica, redis };
}

const address = new URL("https://near.example");

/** A Redis, and a replica that shows what was written to it so many milliseconds later. */
async function look(lagMs: number, reply = (_name: string): unknown => undefined) {
  let nowMs = 0;
  let written: string | undefined;
  let visibleAtMs = Infinity;
  const sent: string[] = [];
  const redis: Connection = {
    async send([name, , value]) {
      if (name !== "SET") throw new ReplyError("unknown");
      written = value;
      visibleAtMs = nowMs + lagMs;
      return "OK";
    },
    close() {},
  };
  const replica: Connection = {
    async send([name = ""]) {
      sent.push(name);
      await reply(name);
      return nowMs >= visibleAtMs ? written : null;
    },
    close() {},
  };
  const wait = async (ms: number) => void (nowMs += ms);
  const facts = await gatherReplica(
    { redis, replica },
    { address, prefix: "tg", now: () => nowMs, wait },
  );
  return { facts, sent, ids: checkReplica(facts).map(({ id }) => id) };
}

test.each([
  [0, []],
  [1_000, []],
  [1_001, ["replica-shows-writes-late"]],
  [5_000, ["replica-shows-writes-late"]],
  [5_001, ["replica-shows-no-writes"]],
])("a replica that shows a write after %i ms", async (lagMs, ids) => {
  expect((await look(lagMs)).ids).toEqual(ids);
});

test("an older replica is read by the older command, one that refuses both is said to", async () => {
  const refuse = (words: string) => (name: string) => {
    if (name === "EVAL_RO") throw new ReplyError(words);
  };
  const older = await look(0, refuse("ERR unknown command 'EVAL_RO'"));
  expect([older.sent, older.ids]).toEqual([["EVAL_RO", "EVAL", "EVAL"], []]);
  const refusing = await look(0, refuse("NOPERM"));
  expect([refusing.sent, refusing.ids]).toEqual([["EVAL_RO"], ["replica-refuses"]]);
  const dead = await look(0, () => Promise.reject(new Error("ECONNREFUSED")));
  expect([dead.facts.reason, dead.ids]).toEqual(["ECONNREFUSED", ["replica-unreachable"]]);
});

test("a replica of Redis has no finding, and one that lost its master refuses", async () => {
  const { master, replica } = await deployReplica("--min-replicas-to-write", "1");
  const near = connect(replica.url);
  await near.config("SET", "replica-serve-stale-data", "no");
  const { url, token } = await deployBridge(replica.url, { token: "near" });
  const options = { redisUrl: master.url, replica: { url, token }, timeoutMs: 5_000 };
  expect(await idsOf(options)).toEqual([]);
  expect(await idsOf({ ...options, replica: { url, token: "wrong" } })).toEqual([
    "warning replica-unreachable",
  ]);
  await near.replicaof("127.0.0.1", "1");
  await until(async () => (await near.info("replication")).includes("link_status:down"), 10_000);
  expect(await idsOf(options)).toContain("warning replica-refuses");
});

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
