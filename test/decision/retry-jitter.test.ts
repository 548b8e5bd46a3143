import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import { row, scriptedStore } from "../support/limiter/scripted-store.ts";
import { burst, daily, decide, full, room } from "./decide.ts";

const tenth = { ...burst, retryJitter: 0.1 };

/** The wait in `Retry-After` and in `t`, for a wait in seconds and a random number. */
function told(seconds: number, random: number, policy = tenth): [number, number] {
  const rows = [[policy, full(seconds, seconds)]] as const;
  const headers = decide(rows, "limited", {}, undefined, () => random).headers();
  const t = /;t=(\d+)/.exec(headers.get("RateLimit")!)![1];
  return [Number(headers.get("Retry-After")), Number(t)];
}

const WAITS = [0.000001, 0.4, 1, 2.5, 10, 59.2, 99.5, 100, 3600, 86_400];
const DRAWS = [0, 0.001, 0.25, 0.5, 0.75, 0.999999999];

describe("a jitter of 0.1", () => {
  test("never makes a wait shorter, and never longer than a tenth and the rounding up", () => {
    for (const wait of WAITS) {
      for (const draw of DRAWS) {
        const [retryAfter, t] = told(wait, draw);
        expect(retryAfter).toBe(t);
        expect(retryAfter).toBeGreaterThanOrEqual(Math.ceil(wait));
        expect(retryAfter).toBeLessThan(wait * 1.1 + 1);
      }
    }
  });

  test("spreads a wait over the whole range", () => {
    expect(DRAWS.map((draw) => told(3600, draw)[0])).toEqual([3600, 3601, 3690, 3780, 3870, 3960]);
    const tenths = Array.from({ length: 10 }, (_, i) => told(100, (i + 0.5) / 10)[0]);
    expect(tenths).toEqual([101, 102, 103, 104, 105, 106, 107, 108, 109, 110]);
  });

  test.each([
    [10, 769],
    [20, 512],
    [60, 168],
  ])(
    "leaves of a crowd that is locked out for %d s so many in a thousand together",
    (lockout, together) => {
      // Denied at five moments of the lockout's first second; the figure is their mean.
      const fullest = [0.05, 0.25, 0.45, 0.65, 0.85].map((at) => {
        const waits = Array.from(
          { length: 1_000 },
          (_, i) => told(lockout - at, (i + 0.5) / 1_000)[0],
        );
        return Math.max(
          ...Object.values(Object.groupBy(waits, String)).map((group) => group!.length),
        );
      });
      expect(Math.round(fullest.reduce((a, b) => a + b) / fullest.length)).toBe(together);
    },
  );

  test("adds no second for less than a microsecond", () => {
    expect(told(1, 0.000_001)).toEqual([1, 1]);
    expect(told(1, 0.000_011)).toEqual([2, 2]);
  });

  test("spreads the waits of a thousand decisions with random numbers of the platform", () => {
    const waits = Array.from({ length: 1_000 }, () => told(1_000, DEFAULTS.random())[0]);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_100);
    // Each of the hundred seconds is missed by one test in 20,000.
    expect(new Set(waits).size).toBeGreaterThan(80);
  });

  test("leaves the program's arguments, and the moment of the reset, as they are", () => {
    const at = (random: number) =>
      decide([[tenth, full(100, 200)]], "limited", {}, undefined, () => random);
    expect([at(0).retryAfterMs, at(0.9).retryAfterMs]).toEqual([100_000, 100_000]);
    expect(at(0.9).policies[0]!.retryAfterMs).toBe(100_000);
    const reset = (random: number) =>
      Number(at(random).headers().get("X-RateLimit-Reset")) - Math.floor(Date.now() / 1000);
    expect(reset(0.9)).toBeLessThanOrEqual(202);
  });

  test("is drawn once per decision: fields and response tell the same wait", async () => {
    const draws = [0.2, 0.9, 0.4];
    const rows = [
      [tenth, full(1_000, 1_000)],
      [{ ...daily, retryJitter: 0.5 }, full(1_000, 1_000)],
    ] as const;
    const decision = decide(rows, "limited", {}, undefined, () => draws.shift()!);
    const headers = [...decision.headers()];
    expect(decision.headers().get("RateLimit")).toBe('"burst";r=0;t=1020, "daily";r=0;t=1100');
    expect(decision.headers().get("Retry-After")).toBe("1100");
    expect([...decision.headers()]).toEqual(headers);
    const response = decision.response();
    expect(response.headers.get("Retry-After")).toBe("1100");
    expect(await response.json()).toMatchObject({
      detail: "The request quota is used up. Try again in 19 minutes.",
    });
    expect(draws).toEqual([0.9, 0.4]);
  });

  test("leaves the t of policies that do not deny: the time until their quota is whole", () => {
    const rows = [
      [{ ...daily, retryJitter: 1 }, room(3, 100)],
      [tenth, full(10, 10)],
    ] as const;
    const headers = decide(rows, "limited", {}, undefined, () => 0.99).headers();
    expect(headers.get("RateLimit")).toBe('"daily";r=3;t=100, "burst";r=0;t=11');
    expect(headers.get("Retry-After")).toBe("11");
  });

  test("lengthens the window that stands for never", () => {
    const never = { allowed: false, remaining: 20, retryAfterUs: Infinity, resetAfterUs: 0 };
    const rows = [[{ ...daily, retryJitter: 0.1 }, never]] as const;
    const headers = decide(rows, "cost-exceeds-limit", {}, undefined, () => 0.5).headers();
    expect(headers.get("Retry-After")).toBe(String(86_400 * 1.05));
  });

  test("lengthens the wait for a policy that is not advertised", () => {
    const rows = [[{ ...tenth, advertise: false }, full(100, 100)]] as const;
    const headers = decide(rows, "limited", {}, undefined, () => 0.5).headers();
    expect(headers.get("Retry-After")).toBe("105");
  });
});

test("without jitter no number is drawn, and the waits are only rounded up", () => {
  const never = () => {
    throw new Error("drawn");
  };
  for (const policy of [burst, { ...burst, retryJitter: 0 }]) {
    for (const wait of WAITS) {
      const headers = decide([[policy, full(wait, wait)]], "limited", {}, undefined, never);
      expect(headers.headers().get("Retry-After")).toBe(String(Math.ceil(wait)));
      expect(headers.headers().get("RateLimit")).toBe(`"burst";r=0;t=${Math.ceil(wait)}`);
    }
  }
});

test("an allowed request draws nothing", () => {
  const decision = decide([[tenth, room(1, 100)]], "allowed", {}, undefined, () => {
    throw new Error("drawn");
  });
  expect(decision.headers().get("RateLimit")).toBe('"burst";r=1;t=100');
});

describe("of a limiter", () => {
  const window = "1h";
  const policies = [
    fixedWindow({ name: "own", limit: 1, window, retryJitter: 0.5 }),
    fixedWindow({ name: "none", limit: 1, window, retryJitter: 0 }),
    fixedWindow({ name: "limiter", limit: 1, window }),
  ];

  async function waits(options: { readonly retryJitter?: number }) {
    const { store } = scriptedStore(() => ({
      nowUs: 0,
      rows: [row(100_000), row(100_000), row(100_000)],
    }));
    const { limit } = limiterOver(store, { policies, ...options }, { random: () => 0.5 });
    const decision = await limit("ada");
    const again = await limit("ada");
    expect(again.reason).toBe("cached-denial");
    return [decision, again].map((each) =>
      [
        ...each
          .headers()
          .get("RateLimit")!
          .matchAll(/t=(\d+)/g),
      ].map(([, t]) => Number(t)),
    );
  }

  test("the jitter is that of the policies that have none of their own", async () => {
    expect((await waits({ retryJitter: 0.2 }))[0]).toEqual([125, 100, 110]);
    expect((await waits({}))[0]).toEqual([125, 100, 100]);
  });

  test("a denial that is known has its jitter, too", async () => {
    const [, known] = await waits({ retryJitter: 0.2 });
    expect(known).toEqual([125, 100, 110]);
  });
});
