import { setTimeout as sleep } from "node:timers/promises";

import type { Redis } from "ioredis";

import type { Limiter } from "../../src/decide/limiter-types.ts";
import type { Decision } from "../../src/index.ts";

/** One of three masters, by its slots. */
export type Master = 0 | 1 | 2;

/** One call: its client, its cost, and its result. */
export interface Call {
  readonly user: string;
  readonly cost: number;
  readonly decision: Decision;
}

/** A user who asks without a pause until told to stop. */
export interface User {
  readonly calls: readonly Call[];
  stop(): Promise<void>;
}

/** Identities whose keys are all on one master. */
export async function usersOf(master: Master, count: number, node: Redis): Promise<string[]> {
  const users: string[] = [];
  while (users.length < count) {
    const user = crypto.randomUUID();
    const slot = Number(await node.cluster("KEYSLOT", `{${user}}`));
    if (Math.floor((slot * 3) / 16_384) === master) users.push(user);
  }
  return users;
}

/** Calls that keep coming at this rate, even if earlier ones are still open, until told to stop. */
export function startCrowd(limiter: Limiter, next: () => string, perSecond: number): User {
  const calls: Call[] = [];
  const underWay: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    const user = next();
    const call = limiter.limit(user).then((decision) => calls.push({ user, cost: 1, decision }));
    underWay.push(call);
  }, 1_000 / perSecond);
  return {
    calls,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/**
 * Each call costs something else, so that the sum says which calls it is of.
 *
 * @param next whose turn it is
 */
export function startUser(limiter: Limiter, next: () => string): User {
  const calls: Call[] = [];
  const stopping = new AbortController();
  const asking = (async () => {
    while (!stopping.signal.aborted) {
      const cost = 1 + calls.length;
      const user = next();
      calls.push({ user, cost, decision: await limiter.limit(user, { cost }) });
      await sleep(1);
    }
  })();
  return {
    calls,
    stop() {
      stopping.abort();
      return asking;
    },
  };
}
