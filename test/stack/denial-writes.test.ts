import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";

import { hash } from "../../src/partition/key-text.ts";
import { demoRules, newClient } from "./demo-rules.ts";
import { ask } from "./requests.ts";
import { useStack } from "./stack.ts";

const stack = useStack();

interface Seen {
  readonly command: string;
  readonly args: readonly string[];
  /** Whether a script ran it. */
  readonly inside: boolean;
}

/** What Redis runs, by its own word. */
async function watchRedis() {
  const redis = new Redis(stack.redis!, { disableClientInfo: true });
  const monitor = await redis.monitor();
  onTestFinished(() => {
    monitor.disconnect();
    redis.disconnect();
  });
  let seen: Seen[] = [];
  monitor.on("monitor", (_time, [command = "", ...args]: string[], source: string) => {
    seen.push({ command: command.toUpperCase(), args, inside: source === "lua" });
  });
  let marks = 0;
  return {
    redis,
    /** All that ran since the last call. */
    async take(): Promise<Seen[]> {
      const mark = `mark-${++marks}`;
      await redis.echo(mark);
      await expect.poll(() => seen.some(({ args }) => args[0] === mark)).toBe(true);
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}

async function isWrite(redis: Redis, { command, args }: Seen): Promise<boolean> {
  const [info] = (await redis.command("INFO", command)) as [[string, number, string[]]];
  const onlyReads = command === "BITFIELD" && !args.some((arg) => /^(?:SET|INCRBY)$/i.test(arg));
  return info[2].includes("write") && !onlyReads;
}

test.each(demoRules)("a denial of $route by Redis writes nothing", async ({ route }) => {
  const [first, second] = stack.workers;
  const { redis, take } = await watchRedis();
  const client = newClient();
  const partition =
    route === "POST /api/login"
      ? `{ip:${client["cf-connecting-ip"]}}`
      : `{x-api-key:${await hash(client["x-api-key"])}}`;

  // The second worker has not seen a denial, so it has to ask; unless something has refilled, the answer is no.
  let denied: Seen[] | undefined;
  while (!denied) {
    while ((await ask(first!, route, client)).status !== 429);
    await take();
    const { status, headers } = await ask(second!, route, client);
    const during = await take();
    if (status === 429 && headers.get("x-ratelimit-reason") === "limited") denied = during;
  }

  const touching = denied.filter(({ args }) => args.some((arg) => arg.includes(partition)));
  expect(touching.filter(({ inside }) => !inside).map(({ command }) => command)).toEqual([
    "EVALSHA",
  ]);
  const inside = touching.filter(({ inside }) => inside);
  expect(inside.length).toBeGreaterThanOrEqual(1);
  for (const seen of inside) {
    expect(await isWrite(redis, seen), seen.command).toBe(false);
  }
});

test("the watch would see a write", async () => {
  const { redis, take } = await watchRedis();
  await ask(stack.workers[0]!, "GET /api/export", newClient());
  const inside = (await take()).filter(({ inside }) => inside);
  const writes = await Promise.all(inside.map((seen) => isWrite(redis, seen)));
  expect(writes).toContain(true);
});
