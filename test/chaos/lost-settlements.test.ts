import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import {
  type Decision,
  fixedWindow,
  type Hold,
  type Policy,
  refundable,
  type Settlement,
} from "../../src/index.ts";
import { figures } from "../support/chaos/figures.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { dropReplies, type Fault, none, resetBefore } from "../support/fault-proxy.ts";
import { random } from "../support/random.ts";
import { FACTOR, IS_WHOLE, least, runs } from "../support/runs.ts";
import { type Admitted, mostAboveRefill, mostInAnyWindow, mostInOneWindow } from "./admissions.ts";
import { givesBack, isolateOn, nowMs } from "./give-backs.ts";
import { type OwnStore, startOwnStore, TOKEN } from "./own-store.ts";

let store: OwnStore;
beforeAll(async () => {
  store = await startOwnStore();
});
afterAll(() => store.stop());

/** Enough to cross several windows; a longer run takes more. */
const HOLDS = runs(600);
/** A short form has fewer, so that they reach their limits all the same. */
const USERS = IS_WHOLE ? 6 : 2;
const ESTIMATE = 5;

const ACCOUNT = 1_000_000_000;
const POLICIES: Policy[] = [
  ...everyPolicy(25, "1s").map((policy) =>
    Object.assign(policy, { name: policy.algorithm, refundable: refundable() }),
  ),
  // Forgets nothing, so that it shows the refunds.
  fixedWindow({ name: "account", limit: ACCOUNT, window: "366d", refundable: refundable() }),
];

const isolate = () => isolateOn(store.proxy.url, { token: TOKEN, policies: POLICIES });

/** A tenth of the settlements never arrives, and of another tenth the answer is lost. */
function roulette(seed: number) {
  const draw = random(seed);
  const counts = { before: 0, after: 0 };
  const fault: Fault = (exchange) => {
    const drawn = givesBack(exchange.body) ? draw() : 1;
    if (drawn >= 0.2) return none(exchange);
    counts[drawn < 0.1 ? "before" : "after"]++;
    return drawn < 0.1 ? resetBefore(exchange) : dropReplies(1)(exchange);
  };
  return { counts, fault };
}

/** One hold: its client, its time, the units that it used, and its settlement. */
interface Story {
  readonly user: string;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly used: number;
  readonly settlement: Settlement;
}

/** Settles, and again for as long as it surely did not run; then twice more, which changes nothing. */
async function settle(hold: Hold, used: number): Promise<Settlement> {
  let settlement = await hold.settle(used);
  while (settlement.status === "not-sent") {
    await sleep(100);
    settlement = await hold.settle();
  }
  expect(await Promise.all([hold.release(), hold.settle(ESTIMATE)])).toEqual([
    settlement,
    settlement,
  ]);
  return settlement;
}

test(
  "a tenth of the settlements lost and a tenth unanswered: never above a limit, nothing given back twice, all back with the window",
  { timeout: 60_000 + HOLDS * 100 },
  async () => {
    const { fault, counts } = roulette(3);
    const isolates = Array.from({ length: 3 }, isolate);
    const users = Array.from({ length: USERS }, () => `user-${crypto.randomUUID()}`);
    // The scripts need not be sent any more.
    for (const limiter of isolates) await (await limiter.reserve("first")).release();
    const before = store.proxy.forwarded.length;
    store.proxy.fault = fault;
    const stories: Story[] = [];
    const denied: Decision[] = [];
    const untilMs = nowMs() + 6_000 * Math.min(1, FACTOR);
    const client = async (number: number) => {
      const draw = random(20 + number);
      while (stories.length + denied.length < HOLDS || nowMs() < untilMs) {
        const user = users[Math.floor(draw() * users.length)]!;
        const sentAtMs = nowMs();
        const hold = await isolates[number % 3]!.reserve(user, { cost: ESTIMATE });
        const receivedAtMs = nowMs();
        await sleep(draw() * 100);
        if (!hold.allowed) {
          denied.push(hold);
          continue;
        }
        const used = Math.floor(draw() * 4);
        const settlement = await settle(hold, used);
        stories.push({ user, sentAtMs, receivedAtMs, used, settlement });
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, number) => client(number)));
    await store.proxy.settled();
    store.proxy.fault = none;

    const own = isolate();
    const ran = store.proxy.forwarded.slice(before).flatMap(({ body }) => givesBack(body) ?? []);
    expect(new Set(ran).size).toBe(ran.length);
    const lost = stories.filter(({ settlement }) => settlement.status === "unknown");
    expect(lost).toHaveLength(counts.before + counts.after);
    expect(ran).toHaveLength(stories.length - counts.before);

    // A client whose hold was reported as settled got everything back but for units that a bucket has refilled, or whose window
    // has ended.
    for (const { used, settlement } of stories) {
      const { status, returned } = settlement;
      if (status !== "settled") expect(returned).toEqual({});
      else expect(returned["account"]).toBe(ESTIMATE - used);
    }
    await sleep(2_001);
    let unreturned = 0;
    for (const user of users) {
      const mine = stories.filter((story) => story.user === user);
      const settled = units(mine);
      expect(mostInAnyWindow(settled, 1_000)).toBeLessThanOrEqual(25);
      expect(mostAboveRefill(settled, 25 / 1_000)).toBeLessThanOrEqual(25);
      expect(mostInOneWindow(settled, 1_000)).toBeLessThanOrEqual(25);

      const { policies } = await own.peek(user);
      const left = Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
      const { account, ...others } = left;
      expect(Object.values(others)).toEqual(Array(5).fill(25));
      const used = settled.reduce((sum, each) => sum + each.units, 0);
      unreturned += ACCOUNT - account! - used;
    }
    // A lost settlement keeps its estimate, and no other does: it is unknown which of the lost ones these are.
    const excess = lost.map(({ used }) => ESTIMATE - used).toSorted((a, b) => a - b);
    const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
    expect(unreturned).toBeGreaterThanOrEqual(sum(excess.slice(0, counts.before)));
    expect(unreturned).toBeLessThanOrEqual(sum(excess.slice(counts.after)));
    figures("settlements lost", {
      holds: stories.length,
      denied: denied.length,
      "lost before": counts.before,
      "lost after": counts.after,
      "units not given back": unreturned,
      "given back twice": 0,
    });
    expect(Math.min(counts.before, counts.after)).toBeGreaterThan(least(HOLDS / 60));
    expect(Math.min(stories.length, denied.length)).toBeGreaterThan(HOLDS / 10);
  },
);

function units(stories: readonly Story[]): Admitted[] {
  return stories.map(({ sentAtMs, receivedAtMs, used }) => ({
    sentAtMs,
    receivedAtMs,
    units: used,
  }));
}
