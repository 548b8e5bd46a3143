import { describe, expect, test } from "vitest";

import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { createLimiter, fixedWindow, memoryStore, type Policy } from "../support/limiter/plain.ts";
import { some } from "../support/runs.ts";
import { everyone, flood, ledgerOf } from "./flood.ts";

/** Microseconds, at the start of an hour. */
const START = 3_999_999_600_000_000;

/** Requests a millisecond apart, each from an address of its own unless `ip` is given. */
async function send(policies: Policy[], requests: number, ip?: string) {
  let nowUs = START;
  const limiter = createLimiter({
    store: memoryStore({ now: () => nowUs }),
    policies,
    denialCache: false,
  });
  const sent = { admitted: 0, within: 0 };
  for (let request = 0; request < requests; request++) {
    nowUs += 1_000;
    const decision = await limiter.limit({ ip: ip ?? `ip-${request}` });
    const told = [...decision.policies, ...decision.shadow].find(({ name }) => name === "hint");
    sent.admitted += Number(decision.allowed);
    sent.within += Number(decision.allowed && told?.allowed === true);
  }
  return sent;
}

const FLOOD = {
  algorithm: "fixed-window",
  limit: 400,
  load: 1.4,
  obeys: "not",
  isolates: 2,
  seconds: 4,
  seed: 61,
} as const;

const ADVISED = (["known", "off", "cluster"] as const).flatMap((denials) =>
  EVERY_ALGORITHM.map(({ algorithm }) => [algorithm, denials] as const),
);

describe.each(["shadow", "soft"] as const)("a leased %s policy", (mode) => {
  const everybody = { by: "*", window: "1h", lease: "100ms" } as const;
  const hint = { ...fixedWindow({ ...everybody, name: "hint", limit: 100 }), mode };
  const address = fixedWindow({ name: "address", by: "ip", limit: 50, window: "1h" });

  test("alone says of as many requests that they are within its limit as it has units", async () => {
    const { admitted, within } = await send([hint], 600);
    expect(admitted).toBe(600);
    expect(within).toBeLessThanOrEqual(100);
    expect(within).toBeGreaterThanOrEqual(95);
  });

  test("beside one that is enforced says it of no more requests than it has units", async () => {
    const enough = fixedWindow({ ...everybody, name: "everyone", limit: 10_000 });
    const { admitted, within } = await send([enough, hint], 600);
    expect(admitted).toBe(600);
    expect(within).toBeLessThanOrEqual(100);
    expect(within).toBeGreaterThanOrEqual(95);
  });

  test.for(some(ADVISED))(
    "of an %s says in a flood the same as without leases, with denials: %s",
    async ([algorithm, denials]) => {
      const limit = 200;
      const hint = { ...everyone(algorithm, "hint", limit), mode };
      const { advice } = await flood({ ...FLOOD, denials, advisory: [hint] });
      const ledger = ledgerOf(algorithm, limit);
      const told = { leased: 0, ledger: 0 };
      for (const [atUs, said] of advice) {
        told.leased += Number(said["hint"]);
        told.ledger += Number(ledger.ask(atUs).allowed);
      }
      expect(told.ledger).toBeGreaterThan(limit * (FLOOD.seconds - 1));
      expect(told.ledger).toBeLessThan(advice.length - limit);
      // The most that a lease takes of the limit above, in each window.
      expect(Math.abs(told.leased - told.ledger) / FLOOD.seconds).toBeLessThanOrEqual(40);
    },
  );

  test("without units lets no other dimension be forgotten", async () => {
    expect((await send([hint, address], 600, "greedy")).admitted).toBe(50);
  });
});
