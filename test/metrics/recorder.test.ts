import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { createDecision } from "../../src/decision/decision.ts";
import { listedDecision } from "../../src/decision/listed.ts";
import { metricsKeys } from "../../src/metrics/keys.ts";
import { metricsReader } from "../../src/metrics/reader.ts";
import { metrics } from "../../src/metrics/recorder.ts";
import { RedisReplyError, restSender, type SendCommand } from "../../src/store/redis/rest.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

const MINUTE = 60_000;
/** A moment at which a minute, an hour and ten minutes begin. */
const MORNING = Date.UTC(2031, 0, 1, 9);

interface Given {
  readonly url?: string;
  readonly through?: (send: SendCommand) => SendCommand;
}

/** An isolate with clocks of its own that counts into the Redis of this run. */
function startRecorder({ url = inject("redisRestUrl"), through = (send) => send }: Given = {}) {
  const endpoint = { url, token: inject("redisRestToken") };
  const prefix = crypto.randomUUID();
  const clock = { ms: 0 };
  const errors: string[] = [];
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const open = () =>
    metrics({
      send: through(restSender(endpoint, 5_000)),
      redis: endpoint,
      prefix,
      secret: "secret",
      flushMs: MINUTE,
      identities: "hashed",
      now: () => clock.ms,
      wallNow: () => MORNING + clock.ms,
      random: () => 0,
      onError: ({ message }) => void errors.push(message),
    });
  const reader = metricsReader(endpoint, prefix);
  return { ...open(), open, reader, clock, errors, redis, keys: metricsKeys(prefix) };
}

const passedOf = async ({ reader }: Pick<ReturnType<typeof startRecorder>, "reader">) =>
  (await reader.total()).requests.reduce((sum, { count }) => sum + count, 0);

const NO_RULES: readonly never[] = [];

/** Counts this many requests that no rule covers. */
function count(recorder: Pick<ReturnType<typeof metrics>, "counterOf">, times = 1): void {
  const counter = recorder.counterOf(NO_RULES);
  for (let i = 0; i < times; i++) counter.passed();
}

test("an isolate writes for the first time after a quarter to all of a flush, and then once in each", async () => {
  const { isDue, flush, clock } = startRecorder();
  expect(isDue()).toBe(false);
  clock.ms = 14_999;
  expect(isDue()).toBe(false);
  clock.ms = 15_000;
  expect(isDue()).toBe(true);
  const flushing = flush();
  // Others that come while it writes do not write, too.
  expect(isDue()).toBe(false);
  await flushing;
  clock.ms = 74_999;
  expect(isDue()).toBe(false);
  clock.ms = 75_000;
  expect(isDue()).toBe(true);
});

test("a flush has written what another one was preparing when it began", async () => {
  const recorder = startRecorder();
  count(recorder, 3);
  const first = recorder.flush();
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(3);
  await first;
  expect(await passedOf(recorder)).toBe(3);
});

/** The counts of each of the first minutes. */
async function minutesOf(
  { reader }: Pick<ReturnType<typeof startRecorder>, "reader">,
  minutes: number,
): Promise<readonly number[]> {
  const span = { fromMs: MORNING, toMs: MORNING + minutes * MINUTE };
  const { times, requests } = await reader.stats("minute", span);
  return times.map((_, i) => requests.reduce((sum, { counts }) => sum + counts[i]!, 0));
}

test("counts are dated by the minute in which they happened, however late they are written, by one command", async () => {
  const sent: string[] = [];
  const recorder = startRecorder({
    through: (send) => async (command) => {
      sent.push(String(command[0]));
      return send(command);
    },
    url: inject("flushedRestUrls")[1],
  });
  const perMinute = [793, 0, 1_175, 1_186, 790];
  for (const [i, times] of perMinute.entries()) {
    recorder.clock.ms = i * MINUTE + 59_000;
    if (times > 0) count(recorder, times);
  }
  recorder.clock.ms = 5 * MINUTE + 30_000;
  await recorder.flush();
  expect(await minutesOf(recorder, 6)).toEqual([...perMinute, 0]);
  expect(sent).toEqual(["EVAL"]);
  expect(await passedOf(recorder)).toBe(3_944);
});

test("minutes of two hours go to both hours, and every key of them expires", async () => {
  const recorder = startRecorder();
  const { clock, reader, redis, keys } = recorder;
  for (const [ms, times] of [
    [59 * MINUTE, 3],
    [60 * MINUTE, 5],
    [61 * MINUTE, 7],
  ] as const) {
    clock.ms = ms;
    count(recorder, times);
  }
  await recorder.flush();
  const span = { fromMs: MORNING, toMs: MORNING + 62 * MINUTE };
  expect((await reader.stats("hour", span)).requests[0]!.counts).toEqual([3, 12]);
  const written = await redis.keys(`${keys.total.replace(/total$/, "")}*`);
  const lasting = await Promise.all(
    written.filter((key) => key !== keys.total).map((key) => redis.ttl(key)),
  );
  expect(written.length).toBe(3 + 2 + 1 + 1);
  expect(Math.min(...lasting)).toBeGreaterThan(7_000);
});

test("a request that began in a minute is counted in it, and the clock may step back", async () => {
  const recorder = startRecorder();
  recorder.clock.ms = 3 * MINUTE;
  count(recorder, 2);
  recorder.clock.ms = MINUTE;
  count(recorder, 3);
  recorder.clock.ms = 3 * MINUTE;
  count(recorder, 4);
  await recorder.flush();
  expect(await minutesOf(recorder, 4)).toEqual([0, 3, 0, 6]);
});

test("while Redis is down minutes wait with their dates, and overlapping flushes write each once", async () => {
  let isDown = true;
  const recorder = startRecorder({
    through: (send) => async (command) => {
      if (isDown) throw new Error("down");
      return send(command);
    },
  });
  for (let i = 0; i < 10; i++) {
    recorder.clock.ms = i * MINUTE;
    count(recorder, i + 1);
    if (i % 3 === 0) await recorder.flush();
  }
  isDown = false;
  await Promise.all([recorder.flush(), recorder.flush(), recorder.flush()]);
  expect(await minutesOf(recorder, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("counts of several flushes add up, and their keys expire", async () => {
  const recorder = startRecorder();
  const { flush, clock, reader, redis, keys } = recorder;
  for (const [ms, times] of [
    [0, 1],
    [59_999, 2],
    [MINUTE, 3],
    [60 * MINUTE, 4],
  ] as const) {
    clock.ms = ms;
    count(recorder, times);
    await flush();
  }
  const span = { fromMs: MORNING, toMs: MORNING + 61 * MINUTE };
  const minutes = await reader.stats("minute", span);
  const [{ counts }] = minutes.requests as [(typeof minutes.requests)[number]];
  expect(minutes.times).toHaveLength(61);
  expect([counts.slice(0, 3), counts.slice(-2)]).toEqual([
    [3, 3, 0],
    [0, 4],
  ]);
  const hours = await reader.stats("hour", span);
  expect(hours.requests.map((each) => each.counts)).toEqual([[6, 4]]);
  expect(await passedOf(recorder)).toBe(10);
  const [minute, hour, total] = await Promise.all(
    [keys.minute(MORNING), keys.hour(MORNING), keys.total].map((key) => redis.ttl(key)),
  );
  expect(minute).toBeGreaterThan(86_000);
  expect(minute).toBeLessThanOrEqual(86_400);
  expect(hour).toBeGreaterThan(30 * 86_400);
  expect(hour).toBeLessThanOrEqual(31 * 86_400);
  expect(total).toBe(-1);
});

test("without counts nothing is written, and each flush is one command", async () => {
  const sent: string[] = [];
  const recorder = startRecorder({
    through: (send) => async (command) => {
      sent.push(String(command[0]));
      return send(command);
    },
    url: inject("flushedRestUrls")[1],
  });
  const { flush } = recorder;
  await flush();
  expect(sent).toEqual([]);
  for (let i = 0; i < 3; i++) {
    count(recorder, 5);
    await flush();
  }
  expect(sent).toEqual(["EVAL", "EVAL", "EVAL"]);
});

test("counts whose confirmation is lost are sent again, and count once", async () => {
  let fails = 3;
  const recorder = startRecorder({
    through: (send) => async (command) => {
      const reply = await send(command);
      // It has run; the isolate does not hear of it.
      if (fails-- > 0) throw new Error("lost");
      return reply;
    },
    // Knows the first spelling of the script at once.
    url: inject("flushedRestUrls")[1],
  });
  for (let i = 0; i < 5; i++) {
    count(recorder, 7);
    await recorder.flush();
  }
  // One outage is told once, and the next one again.
  expect(recorder.errors).toHaveLength(1);
  expect((await recorder.reader.total()).lost).toBe(0);
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(35);
  fails = 1;
  for (let i = 0; i < 2; i++) {
    count(recorder, 1);
    await recorder.flush();
  }
  expect(recorder.errors).toHaveLength(2);
  expect(await passedOf(recorder)).toBe(37);
});

test("two flushes at once write everything once", async () => {
  const recorder = startRecorder();
  for (let i = 0; i < 20; i++) {
    count(recorder, 3);
    const first = recorder.flush();
    count(recorder, 4);
    await Promise.all([first, recorder.flush()]);
  }
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(140);
});

test("counts that Redis refuses are kept, and written when it takes them", async () => {
  let refuses = true;
  const recorder = startRecorder({
    through: (send) => async (command) => {
      if (refuses) throw new RedisReplyError("OOM command not allowed when used memory");
      return send(command);
    },
  });
  for (let i = 0; i < 4; i++) {
    count(recorder, 5);
    await recorder.flush();
  }
  expect(await passedOf(recorder)).toBe(0);
  refuses = false;
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(20);
});

test("counts that Redis has not confirmed for an hour are given up, and the loss is counted", async () => {
  let isDown = true;
  const recorder = startRecorder({
    through: (send) => async (command) => {
      if (isDown) throw new Error("down");
      return send(command);
    },
  });
  count(recorder, 5);
  await recorder.flush();
  count(recorder, 2);
  recorder.clock.ms = 60 * MINUTE;
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(0);
  recorder.clock.ms++;
  isDown = false;
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(5);
  expect(await passedOf(recorder)).toBe(2);
  count(recorder);
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(5);
});

test("an isolate that dies loses its counts since its last flush, and no others", async () => {
  const first = startRecorder();
  count(first, 30);
  await first.flush();
  count(first, 11);
  // A new isolate takes its place; the old one is never flushed.
  const second = first.open();
  count(second, 6);
  await second.flush();
  expect(await passedOf(first)).toBe(36);
});

test("a hash with as many fields as it may have counts those that it knows, and how many it does not", async () => {
  const recorder = startRecorder();
  const { redis, keys } = recorder;
  const others = Array.from({ length: 2_000 }, (_, i) => [`x${i}`, "1"]).flat();
  await redis.hset(keys.minute(MORNING), ...others);
  count(recorder, 2);
  await recorder.flush();
  expect(await redis.hlen(keys.minute(MORNING))).toBe(2_001);
  expect(await redis.hget(keys.minute(MORNING), "o")).toBe("2");
  expect(await passedOf(recorder)).toBe(2);
});

test("an hour with as many fields as it may have counts those that it knows", async () => {
  const recorder = startRecorder();
  const { redis, keys } = recorder;
  const others = Array.from({ length: 5_000 }, (_, i) => [`x${i}`, "1"]).flat();
  await redis.hset(keys.hour(MORNING), ...others);
  count(recorder, 2);
  await recorder.flush();
  expect(await redis.hlen(keys.hour(MORNING))).toBe(5_001);
});

test("flushes that overlap while Redis fails lose no count, and add none twice", async () => {
  const rules = Array.from({ length: 1_000 }, (_, i) => ({
    route: { methods: ["GET"], path: `/rule/${i}` },
    settings: { policies: [] },
  }));
  for (let run = 0; run < runs(4); run++) {
    const draw = random(run);
    let isSound = false;
    const recorder = startRecorder({
      through: (send) => async (command) => {
        if (!isSound && draw() < 0.3) throw new Error("down");
        const reply = await send(command);
        // It has run; the isolate does not hear of it.
        if (!isSound && draw() < 0.3) throw new Error("lost");
        return reply;
      },
    });
    const counter = recorder.counterOf(rules);
    const exempt = listedDecision("exempt");
    let counted = 0;
    for (let round = 0; round < 3; round++) {
      for (const rule of rules) {
        counter.refused([rule]);
        counter.decided([rule], exempt);
        counter.failed();
        counted += 3;
      }
      const flushes = [recorder.flush()];
      for (let wait = Math.floor(draw() * 4); wait > 0; wait--) await Promise.resolve();
      counter.passed();
      counted++;
      flushes.push(recorder.flush(), recorder.flush());
      await Promise.all(flushes);
    }
    isSound = true;
    for (let i = 0; i < 3; i++) await recorder.flush();
    expect(await passedOf(recorder)).toBe(counted);
  }
});

test("a flush whose batch another one has written meanwhile takes none of the next batch with it", async () => {
  const held: PromiseWithResolvers<void>[] = [];
  let redis: "up" | "slow" | "down" = "up";
  const recorder = startRecorder({
    through: (send) => async (command) => {
      if (redis === "down") throw new Error("down");
      if (redis === "slow") await held[held.push(Promise.withResolvers()) - 1]!.promise;
      return send(command);
    },
  });
  const sent = (calls: number) => expect.poll(() => held.length).toBe(calls);
  // The script is in Redis from here on, so that each batch is one call.
  count(recorder, 1);
  await recorder.flush();
  redis = "slow";
  count(recorder, 2);
  const first = recorder.flush();
  await sent(1);
  const again = recorder.flush();
  await sent(2);
  held[0]!.resolve();
  await first;
  count(recorder, 4);
  const next = recorder.flush();
  await sent(3);
  redis = "down";
  held[1]!.resolve();
  await again;
  held[2]!.reject(new Error("down"));
  await next;
  redis = "up";
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(7);
});

test("a key of another kind stops a flush before it writes anything", async () => {
  const recorder = startRecorder();
  const { redis, keys } = recorder;
  await redis.set(keys.top("near", MORNING), "text");
  count(recorder, 2);
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(0);
  await redis.del(keys.top("near", MORNING));
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(2);
});

test("the counts of a thousand rules are written in parts, all of them", async () => {
  const recorder = startRecorder();
  const rules = Array.from({ length: 1_003 }, (_, i) => ({
    route: { methods: ["GET"], path: `/rule/${i}` },
    settings: { policies: [] },
  }));
  const counter = recorder.counterOf(rules);
  const exempt = listedDecision("exempt");
  for (const rule of rules) {
    counter.refused([rule]);
    counter.decided([rule], exempt);
  }
  counter.passed();
  counter.failed();
  await recorder.flush();
  const { requests } = await recorder.reader.total();
  expect(requests).toHaveLength(2_004);
  const others = requests.filter(({ rule }) => rule === "other");
  expect(others.map(({ outcome, count }) => `${outcome} ${count}`).sort()).toEqual([
    "exempt 3",
    "refused 3",
  ]);
  expect(await passedOf(recorder)).toBe(2_008);
});

test("a flush writes a bounded text, and says how much it left out", async () => {
  const recorder = startRecorder();
  const policies = Array.from({ length: 7_000 }, (_, i) => ({
    ...compilePolicy(fixedWindow({ name: "p", limit: 10, window: "1h" })),
    name: `p${i}`,
  }));
  const row = { allowed: true, remaining: 4, retryAfterUs: 0, resetAfterUs: 0 };
  const rule = { route: { methods: ["GET"], path: "/" }, settings: { policies } };
  const counter = recorder.counterOf([rule]);
  const decision = createDecision({
    reason: "allowed",
    status: 200,
    policies,
    rows: policies.map(() => row),
    nowUs: 0,
    headerOptions: {},
    random: () => 0,
  });
  counter.decided([rule], decision);
  await recorder.flush();
  const total = await recorder.reader.total();
  // Of each policy the evaluation, the bucket, and the sum; besides them the request and the flush.
  expect(total.requests).toHaveLength(1);
  expect(total.overflow).toBe(21_002 - 20_000);
});

test("requests that the isolate counted itself are told apart from those without a count", async () => {
  const recorder = startRecorder();
  const policy = (name: string, onFailure: "local" | "open" | "closed") =>
    compilePolicy(fixedWindow({ name, limit: 10, window: "1h", onFailure }));
  const row = { allowed: true, remaining: 4, retryAfterUs: 0, resetAfterUs: 0 };
  const decide = (policies: ReturnType<typeof policy>[]) => {
    const rule = { route: { methods: ["GET"], path: "/" }, settings: { policies } };
    const rows = policies.map(() => row);
    const given = { nowUs: 0, headerOptions: {}, random: () => 0 };
    const decision = createDecision({
      reason: "store-unavailable",
      status: 200,
      policies,
      rows,
      ...given,
    });
    recorder.counterOf([rule]).decided([rule], decision);
  };
  decide([policy("a", "open")]);
  decide([policy("a", "open"), policy("b", "open")]);
  decide([policy("a", "open"), policy("b", "local")]);
  decide([policy("b", "local")]);
  await recorder.flush();
  const { requests } = await recorder.reader.total();
  expect(requests.map(({ reason, count }) => `${reason} ${count}`).sort()).toEqual([
    "store-unavailable 2",
    "store-unavailable-open 2",
  ]);
});
