import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { listedDecision } from "../../src/decide/listed.ts";
import { createRecorder } from "../../src/metrics/recorder.ts";
import { metricsKeys, redisMetrics } from "../../src/store/redis/redis-metrics.ts";
import { restSender, type SendCommand } from "../../src/store/redis/rest.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { decisionOf } from "../support/metrics/decision-of.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

const MINUTE = 60_000;
/** A moment at which a minute, an hour and ten minutes begin. */
const MORNING = Date.UTC(2031, 0, 1, 9);

interface Given {
  readonly url?: string;
  readonly through?: (send: SendCommand) => SendCommand;
}

/** An isolate with clocks of its own that counts into the Redis of this run, and faults on the way there. */
function startRecorder({ url = inject("redisRestUrl"), through = (send) => send }: Given = {}) {
  const endpoint = { url, token: inject("redisRestToken") };
  const prefix = crypto.randomUUID();
  const clock = { ms: 0 };
  const errors: string[] = [];
  const sent: string[] = [];
  const fault: { before?: Error | undefined; after?: Error | undefined } = {};
  const failing =
    (send: SendCommand): SendCommand =>
    async (command) => {
      sent.push(String(command[0]));
      if (fault.before) throw fault.before;
      const reply = await send(command);
      // It has run; the isolate does not hear of it.
      if (fault.after) throw fault.after;
      return reply;
    };
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const send = through(failing(restSender(endpoint, 5_000)));
  const recorder = createRecorder({
    openStore: (onCommands) => redisMetrics(endpoint, prefix, send, onCommands),
    flushMs: MINUTE,
    identities: "hashed",
    now: () => clock.ms,
    wallNow: () => MORNING + clock.ms,
    random: () => 0,
    onError: ({ message }) => void errors.push(message),
  });
  return { ...recorder, clock, errors, sent, fault, redis, keys: metricsKeys(prefix) };
}

const passedOf = async ({ reader }: ReturnType<typeof startRecorder>) =>
  (await reader.total()).requests.reduce((sum, { count }) => sum + count, 0);

const NO_RULES: readonly never[] = [];

/** Counts this many requests that no rule covers. */
function count(recorder: ReturnType<typeof startRecorder>, times = 1): void {
  const counter = recorder.counterOf(NO_RULES);
  for (let i = 0; i < times; i++) counter.passed();
}

const rulesFor = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    route: { methods: ["GET"], path: `/rule/${i}` },
    settings: { policies: [] },
  }));

/** Counts a request that these policies let pass. */
function decide(
  recorder: ReturnType<typeof startRecorder>,
  reason: "allowed" | "store-unavailable",
  policies: readonly ReturnType<typeof compilePolicy>[],
): void {
  const row = { allowed: true, remaining: 4, retryAfterUs: 0, resetAfterUs: 0 };
  const rule = { route: { methods: ["GET"], path: "/" }, settings: { policies } };
  const decision = decisionOf(policies, { rows: policies.map(() => row) }, reason);
  recorder.counterOf([rule]).decided([rule], decision);
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

/** Counts each of these rules once, and one more for each that is told. */
function countRules(recorder: ReturnType<typeof startRecorder>, rules: number): void {
  const row = { allowed: true, remaining: 4, retryAfterUs: 0, resetAfterUs: 0 };
  const policy = compilePolicy(fixedWindow({ name: "api", limit: 5, window: "1h" }));
  for (const rule of rulesFor(rules)) {
    const own = { ...rule, settings: { policies: [policy] } };
    recorder.counterOf([own]).decided([own], decisionOf([policy], { rows: [row] }, "allowed"));
  }
}

test("counts of more fields than one batch holds are written in two, each of them once", async () => {
  let calls = 0;
  const lost = new Set<number>();
  const recorder = startRecorder({
    through: (send) => async (command) => {
      const reply = await send(command);
      if (String(command[0]).startsWith("EVAL") && lost.has(++calls)) throw new Error("planned");
      return reply;
    },
  });
  // The script is known from here on.
  count(recorder);
  await recorder.flush();
  const rules = 2_300;
  countRules(recorder, rules);
  calls = 0;
  // The second batch is written, and the isolate does not hear of it.
  lost.add(2);
  await recorder.flush();
  expect([calls, recorder.errors]).toEqual([2, [expect.stringContaining("Redis")]]);
  expect(await passedOf(recorder)).toBe(1 + rules);
  lost.clear();
  count(recorder, 5);
  await recorder.flush();
  // The second batch again, and the new counts.
  expect(calls).toBe(4);
  expect(await passedOf(recorder)).toBe(1 + rules + 5);
  const { requests } = await recorder.reader.total();
  expect(requests.filter(({ count: times }) => times === 1)).toHaveLength(rules);
});

test("of two batches that are given up, each request is a loss", async () => {
  const recorder = startRecorder();
  recorder.fault.before = new Error("down");
  countRules(recorder, 2_300);
  await recorder.flush();
  recorder.clock.ms = 60 * MINUTE + 1;
  recorder.fault.before = undefined;
  await recorder.flush();
  expect([(await recorder.reader.total()).lost, await passedOf(recorder)]).toEqual([2_300, 0]);
});

test("partitions are written with the first of two batches alone", async () => {
  const recorder = startRecorder();
  const { redis, keys } = recorder;
  countRules(recorder, 2_300);
  const policy = compilePolicy(fixedWindow({ name: "api", limit: 5, window: "1h" }));
  const rule = { ...rulesFor(1)[0]!, settings: { policies: [policy] } };
  const row = { allowed: false, remaining: 0, retryAfterUs: 1, resetAfterUs: 1 };
  const denied = decisionOf([policy], { rows: [row] }, "limited");
  const identities = Array.from({ length: 400 }, (_, i) => `ip:${i}`);
  for (const identity of identities) {
    recorder.counterOf([rule]).decided([rule], denied, { "": identity });
  }
  await recorder.flush();
  const scores = await redis.zrange(keys.top("denied", MORNING), "0", "-1", "WITHSCORES");
  const highest = Math.max(...scores.map(Number).filter(Boolean));
  expect(highest).toBe(1);
});

/** The counts of each of the first minutes. */
async function minutesOf(
  { reader }: ReturnType<typeof startRecorder>,
  minutes: number,
): Promise<readonly number[]> {
  const span = { fromMs: MORNING, toMs: MORNING + minutes * MINUTE };
  const { times, requests } = await reader.stats("minute", span);
  return times.map((_, i) => requests.reduce((sum, { counts }) => sum + counts[i]!, 0));
}

test("counts are dated by the minute in which they happened, however late they are written, by one command", async () => {
  const recorder = startRecorder({ url: inject("flushedRestUrls")[1] });
  const perMinute = [793, 0, 1_175, 1_186, 790];
  for (const [i, times] of perMinute.entries()) {
    recorder.clock.ms = i * MINUTE + 59_000;
    if (times > 0) count(recorder, times);
  }
  recorder.clock.ms = 5 * MINUTE + 30_000;
  await recorder.flush();
  expect(await minutesOf(recorder, 6)).toEqual([...perMinute, 0]);
  expect(recorder.sent).toEqual(["EVAL"]);
  expect(await passedOf(recorder)).toBe(3_944);
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
  const recorder = startRecorder();
  recorder.fault.before = new Error("down");
  for (let i = 0; i < 10; i++) {
    recorder.clock.ms = i * MINUTE;
    count(recorder, i + 1);
    if (i % 3 === 0) await recorder.flush();
  }
  recorder.fault.before = undefined;
  await Promise.all([recorder.flush(), recorder.flush(), recorder.flush()]);
  expect(await minutesOf(recorder, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each([
  ["by one flush", false],
  ["by several", true],
])("counts go to their minutes, hours and the total, %s", async (_how, flushesEach) => {
  const recorder = startRecorder();
  const { flush, clock, reader } = recorder;
  for (const [ms, times] of [
    [0, 1],
    [59_999, 2],
    [MINUTE, 3],
    [60 * MINUTE, 4],
  ] as const) {
    clock.ms = ms;
    count(recorder, times);
    if (flushesEach) await flush();
  }
  await flush();
  expect(await minutesOf(recorder, 61)).toEqual([3, 3, ...Array(58).fill(0), 4]);
  const span = { fromMs: MORNING, toMs: MORNING + 61 * MINUTE };
  const hours = await reader.stats("hour", span);
  expect(hours.requests.map((each) => each.counts)).toEqual([[6, 4]]);
  expect(await passedOf(recorder)).toBe(10);
});

test("without counts nothing is written, and each flush is one command", async () => {
  const recorder = startRecorder({ url: inject("flushedRestUrls")[1] });
  const { flush, sent } = recorder;
  await flush();
  expect(sent).toEqual([]);
  for (let i = 0; i < 3; i++) {
    count(recorder, 5);
    await flush();
  }
  expect(sent).toEqual(["EVAL", "EVAL", "EVAL"]);
});

test("counts whose confirmation is lost are sent again, and count once", async () => {
  // It knows the first spelling of the script at once.
  const recorder = startRecorder({ url: inject("flushedRestUrls")[1] });
  const flushes = async (flushes: number, lost: number, times: number) => {
    for (let i = 0; i < flushes; i++) {
      recorder.fault.after = i < lost ? new Error("lost") : undefined;
      count(recorder, times);
      await recorder.flush();
    }
  };
  await flushes(5, 3, 7);
  // One outage is told once, and the next one again.
  expect(recorder.errors).toHaveLength(1);
  expect((await recorder.reader.total()).lost).toBe(0);
  await recorder.flush();
  expect(await passedOf(recorder)).toBe(35);
  await flushes(2, 1, 1);
  expect(recorder.errors).toHaveLength(2);
  expect(await passedOf(recorder)).toBe(37);
});

test("counts that Redis has not confirmed for an hour are given up, and the loss is counted", async () => {
  const recorder = startRecorder();
  recorder.fault.before = new Error("down");
  count(recorder, 5);
  await recorder.flush();
  count(recorder, 2);
  recorder.clock.ms = 60 * MINUTE;
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(0);
  recorder.clock.ms++;
  recorder.fault.before = undefined;
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(5);
  expect(await passedOf(recorder)).toBe(2);
  count(recorder);
  await recorder.flush();
  expect((await recorder.reader.total()).lost).toBe(5);
});

test("flushes that overlap while Redis fails lose no count, and add none twice", async () => {
  const rules = rulesFor(1_000);
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

test("a key of another kind stops a flush before it writes anything, and its counts are written later", async () => {
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
  const rules = rulesFor(1_003);
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
  decide(recorder, "allowed", policies);
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
  decide(recorder, "store-unavailable", [policy("a", "open")]);
  decide(recorder, "store-unavailable", [policy("a", "open"), policy("b", "open")]);
  decide(recorder, "store-unavailable", [policy("a", "open"), policy("b", "local")]);
  decide(recorder, "store-unavailable", [policy("b", "local")]);
  await recorder.flush();
  const { requests } = await recorder.reader.total();
  expect(requests.map(({ reason, count }) => `${reason} ${count}`).sort()).toEqual([
    "store-unavailable 2",
    "store-unavailable-open 2",
  ]);
});
