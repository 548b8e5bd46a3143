import { expect, inject, test } from "vitest";

import {
  concurrency,
  createLimiter,
  day,
  fixedWindow,
  type Policy,
  refundable,
} from "../../src/index.ts";
import { dropReplies, type Fault, resetBefore, startFaultProxy } from "../support/fault-proxy.ts";
import { random } from "../support/random.ts";

/*
 * A run holds a budget of its team, and its sub-agents spend from that: the run's own window has as much as the parent holds, and
 * Redis decides each of them.
 */

const HELD = 60_000;
const TEAM = 1_000_000;
const CHILDREN = 1_000;

/** So many are under way at once, which a server on a laptop takes. */
const AT_ONCE = 100;

/** So many of them may ask a model at once. */
const AGENTS = 60;

const POLICIES: readonly Policy[] = [
  fixedWindow({
    name: "of-team",
    by: "team",
    limit: TEAM,
    window: day({ timeZone: "UTC" }),
    refundable: refundable(),
  }),
  fixedWindow({
    name: "of-run",
    by: "run",
    limit: HELD,
    window: "6h",
    aligned: false,
    refundable: refundable(),
  }),
  concurrency({ name: "agents", by: "run", limit: AGENTS, ttl: "10m" }),
];

/** Loses some calls on the way to Redis, and the replies of others. */
function loseCallsAndReplies(): Fault {
  const draw = random(11);
  const loseReply = dropReplies(0.1, 5);
  return (exchange) => (draw() < 0.05 ? resetBefore(exchange) : loseReply(exchange));
}

test("1,000 sub-agents, a hundred at once, spend what their parent holds and never more, with lost calls and lost replies", async () => {
  const proxy = await startFaultProxy(inject("redisRestUrl"));
  const prefix = crypto.randomUUID();
  const limiterAt = (url: string) =>
    createLimiter({
      redis: { url, token: inject("redisRestToken") },
      prefix,
      timeout: "20s",
      onFailure: "closed",
      policies: POLICIES,
    });
  try {
    const parent = limiterAt(inject("redisRestUrl"));
    const run = crypto.randomUUID();
    const held = await parent.reserve({ team: "tides" }, { cost: { "of-team": HELD } });
    expect(held.allowed).toBe(true);

    proxy.fault = loseCallsAndReplies();
    const isolates = Array.from({ length: 8 }, () => limiterAt(proxy.url));
    const draw = random(3);
    let billed = 0;
    const counts = { denied: 0, lost: 0, vanished: 0, asking: 0, mostAsking: 0 };
    async function child(limiter: (typeof isolates)[number], estimate: number): Promise<void> {
      const hold = await limiter.reserve({ run }, { cost: { "of-run": estimate } });
      if (!hold.allowed) {
        // Nothing is asked of a model, also where Redis has counted and its answer was lost.
        if (hold.reason === "store-unavailable") counts.lost++;
        else counts.denied++;
        return;
      }
      counts.mostAsking = Math.max(counts.mostAsking, ++counts.asking);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const bill = Math.floor(draw() * (estimate + 1));
      billed += bill;
      counts.asking--;
      if (draw() < 0.1) counts.vanished++;
      else await hold.settle({ "of-run": bill });
    }
    let next = 0;
    async function children(): Promise<void> {
      while (next < CHILDREN) {
        await child(isolates[next++ % isolates.length]!, 1 + Math.floor(draw() * 400));
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, children));
    await proxy.settled();

    expect(counts.denied).toBeGreaterThan(100);
    expect(counts.lost).toBeGreaterThan(5);
    expect(counts.vanished).toBeGreaterThan(5);
    expect(counts.mostAsking).toBeLessThanOrEqual(AGENTS);
    expect(billed).toBeLessThanOrEqual(HELD);
    const rows = (await parent.peek({ run })).policies;
    const spent = HELD - rows.find(({ name }) => name === "of-run")!.remaining;
    // The books have what was billed, and the estimates of those that vanished or whose answer was lost.
    expect(spent).toBeGreaterThanOrEqual(billed);
    expect(spent).toBeLessThanOrEqual(HELD);

    // A run that has ended spends nothing more, whoever still asks in its name.
    await parent.charge({ run }, { "of-run": HELD, agents: 0 });
    const late = await parent.reserve({ run }, { cost: { "of-run": 1 } });
    expect(late.policies.find(({ name }) => name === "of-run")!.allowed).toBe(false);

    await held.settle({ "of-team": spent });
    const [team] = (await parent.peek({ team: "tides" })).policies;
    expect(TEAM - team!.remaining).toBe(spent);
  } finally {
    await proxy.stop();
  }
});
