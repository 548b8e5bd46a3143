import { AsyncLocalStorage } from "node:async_hooks";

import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../../src/limiter/settings.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { tightenPolicy } from "../../../src/policy/tighten.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { compile } from "../../../test/support/compile-policy.ts";
import type { Admission } from "../../../test/support/model/trailing-window.ts";
import { virtualTime } from "../../../test/support/virtual-time.ts";
import { random } from "../trips/workload.ts";

export interface HotKey {
  readonly policy: Policy;
  /** Microseconds; none if left out. */
  readonly lease?: number;
  readonly isolates: number;
  /** Requests per second that reach each isolate. */
  readonly perIsolate: number;
  readonly seconds: number;
}

export interface Tally {
  readonly decisions: number;
  readonly calls: number;
  readonly admitted: number;
  /** In which these were. */
  readonly seconds: number;
  /** All admissions from the start on, in order of time. */
  readonly admissions: readonly Admission[];
}

/** Milliseconds later than any real clock, and whole windows since 1970. */
const START = 4_000_000_000_000_000;

/** Microseconds. The initial quotas are used up before counting starts. */
const WARM_UP = 10e6;

/**
 * One identity that many requests ask for, in virtual time, a few milliseconds away from the model that the Lua is
 * checked against.
 */
export async function replayHotKey({
  policy,
  lease,
  isolates,
  perIsolate,
  seconds,
}: HotKey): Promise<Tally> {
  const time = virtualTime(START);
  const next = random(1);
  const travel = () => time.pass(200 + Math.floor(next() * 8_000));
  const model = openMemoryStore({ now: () => time.now() });
  let calls = 0;
  /** When the request that is being decided was debited by a call of its own. It may make a second one. */
  const own = new AsyncLocalStorage<{ debitedAt?: number }>();

  const distant: Store = {
    async decide(...request) {
      if (time.now() >= START + WARM_UP) calls++;
      await travel();
      const reply = await model.decide(...request);
      const { leased: taken = Number(reply.rows.every(({ allowed }) => allowed)) } = reply;
      if (taken > 0) own.getStore()!.debitedAt = time.now();
      await travel();
      return reply;
    },
    reset: () => {},
  };
  const now = () => time.now() / 1000;
  const policies = compile([policy]).map((given) =>
    lease === undefined ? given : Object.assign(tightenPolicy(given, lease), { leaseUs: lease }),
  );
  const settings = { ...DEFAULTS, policies, now, random: next };
  const limiters = Array.from({ length: isolates }, () =>
    buildLimiter(distant, settings, EVERY_FEATURE),
  );

  const admissions: Admission[] = [];
  let decisions = 0;
  let admitted = 0;
  let at = 0;
  for (;;) {
    at += (-Math.log(1 - next()) / (perIsolate * isolates)) * 1e6;
    if (at > seconds * 1e6) break;
    const limiter = limiters[Math.floor(next() * isolates)]!;
    const counts = at >= WARM_UP;
    time.at(START + Math.floor(at), async () => {
      const mine: { debitedAt?: number } = {};
      const { allowed } = await own.run(mine, () => limiter.limit("hot"));
      if (allowed) admissions.push({ time: mine.debitedAt ?? time.now(), units: 1 });
      if (!counts) return;
      decisions++;
      admitted += Number(allowed);
    });
  }
  await time.run();
  admissions.sort((a, b) => a.time - b.time);
  return { decisions, calls, admitted, seconds: seconds - WARM_UP / 1e6, admissions };
}
