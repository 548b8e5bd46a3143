import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { some } from "../support/runs.ts";
import { flood, type FloodOptions } from "./flood.ts";

/*
 * The units admitted of a limit that is leased for a twentieth of its window, by those that a ledger of its own admits of the
 * same clients. The units that a lease takes and no request spends are missing here.
 */

const clients = ["not", "exactly", "seconds"] as const;
const topologies = ["known", "off", "cluster"] as const;

/** At fifty times its limit, a small one still has two hundred requests per lease. */
const LOADS = [
  { load: 1.4, limit: 400, seconds: 6 },
  { load: 5, limit: 400, seconds: 3 },
  { load: 50, limit: 80, seconds: 3 },
] as const;

const cells = clients.flatMap((obeys) =>
  topologies.flatMap((denials) =>
    LOADS.map((of) => Object.assign({ obeys, denials, isolates: 1, seed: 31 }, of)),
  ),
);

describe.each(EVERY_ALGORITHM)("a $algorithm", ({ algorithm }) => {
  test.for(some(cells))(
    "is admitted at $load times its limit, to clients that wait: $obeys, denials: $denials",
    async (cell) => {
      const { share } = await flood({ algorithm, ...cell });
      expect(share).toBeGreaterThanOrEqual(0.95);
      // No more than the limit either, but for the differences of the memory's log and of the clients' chances.
      expect(share).toBeLessThanOrEqual(1.03);
    },
  );

  test.for(some(clients))(
    "is admitted by four isolates, to clients that wait: %s",
    async (obeys) => {
      const busy = { limit: 800, load: 1.4, seconds: 5, denials: "off", seed: 41 } as const;
      const { share } = await flood({ algorithm, obeys, isolates: 4, ...busy });
      expect(share).toBeGreaterThanOrEqual(0.95);
    },
  );
});

const scene: FloodOptions = {
  algorithm: "fixed-window",
  limit: 400,
  load: 1.4,
  obeys: "not",
  denials: "off",
  isolates: 1,
  seconds: 4,
  seed: 51,
};

describe.each(["shadow", "soft"] as const)(
  "beside a %s policy that is far over its limit",
  (mode) => {
    test.for(some(clients))(
      "a limit is admitted as ever, to clients that wait: %s",
      async (obeys) => {
        const hint = { ...fixedWindow({ name: "hint", by: "*", limit: 100, window: "1h" }), mode };
        const { share } = await flood({ ...scene, obeys, advisory: [hint] });
        expect(share).toBeGreaterThanOrEqual(0.95);
      },
    );
  },
);

test("below its limit, a key of 12 to 36 requests per lease needs as few calls as ever", async () => {
  const callsAt = async (perLease: number) => {
    const limit = Math.round((perLease * 20) / 0.85);
    const quiet = { load: 0.85, denials: "known", algorithm: "token-bucket" } as const;
    const { calls, decisions, share } = await flood({ ...scene, ...quiet, limit });
    expect(share).toBeGreaterThanOrEqual(0.99);
    return calls / decisions;
  };
  expect(await callsAt(12)).toBeLessThanOrEqual(0.3);
  expect(await callsAt(18)).toBeLessThanOrEqual(0.2);
  expect(await callsAt(36)).toBeLessThanOrEqual(0.1);
});
