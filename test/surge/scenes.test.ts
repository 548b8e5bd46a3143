import { expect, test } from "vitest";

import { boundaryBurst } from "../../bench/surge/scenes/boundary-burst.ts";
import { retryStorm } from "../../bench/surge/scenes/retry-storm.ts";
import { SCENES } from "../../bench/surge/scenes/scenes.ts";
import { wholeSeconds } from "../../bench/surge/scenes/whole-seconds.ts";

test("at a boundary, each algorithm admits the promised number in the worst window", async () => {
  const { limit, algorithms } = await boundaryBurst();
  const worst = algorithms.map(({ algorithm, admittedInWorstWindow }) => [
    algorithm,
    admittedInWorstWindow,
  ]);
  expect(worst).toEqual([
    ["fixed-window", 2 * limit],
    ["sliding-window-counter", 2 * limit - 1],
    // A millisecond more, and the refill of a whole window is there.
    ["token-bucket", 2 * limit - 1],
    ["segmented-window", limit],
    ["sliding-window-log", limit],
  ]);
  // Only the fixed window lets twice the limit through at once.
  const bursts = algorithms.map(({ admittedInWorstTenth }) => admittedInWorstTenth / limit);
  expect(bursts).toEqual([2, 1.09, 1.09, 1, 1]);
  for (const { moments, worstWindow, admittedInWorstWindow, stated } of algorithms) {
    expect(worstWindow).toBe(admittedInWorstWindow / limit);
    expect(moments[0]).toEqual({ atMs: -1, admitted: limit, total: limit });
    expect(moments.at(-1)!.total).toBe(moments.reduce((sum, { admitted }) => sum + admitted, 0));
    expect(stated.bytesPerKey).toBeGreaterThan(50);
    expect(stated.commandsOfDenial).toBe(2);
  }
});

test("a tenth of a wait of a second is lost in whole seconds, a tenth of a minute is not", async () => {
  const rows = await wholeSeconds();
  const shareOf = (wantedS: number, wanted: number) =>
    rows.find(({ lockoutS, jitter }) => lockoutS === wantedS && jitter === wanted)!.worstPeakShare;
  expect(shareOf(1, 0.1)).toBe(1);
  expect(shareOf(60, 0.1)).toBeLessThan(0.4);
});

test("clients who obey Retry-After come back once, none before the lockout ends", async () => {
  const options = { clients: 60, limit: 10, lockoutMs: 2_000 };
  const { crowds } = await retryStorm(options, () => {});
  expect(crowds.map(({ jitter }) => jitter)).toEqual([0, 0.1, 0.5, 0]);
  for (const { denied, failed, arrivals, peak, peakShare, peakSecondShare } of crowds) {
    expect([denied, failed]).toEqual([50, 0]);
    expect(arrivals.reduce((sum, { arrived }) => sum + arrived, 0)).toBe(denied);
    expect(arrivals.filter(({ atMs, arrived }) => atMs < 0 && arrived > 0)).toEqual([]);
    expect(peak).toBe(Math.max(...arrivals.map(({ arrived }) => arrived)));
    expect(peakShare).toBe(peak / denied);
    expect(peakSecondShare).toBeGreaterThanOrEqual(peakShare);
  }
});

test(
  "without Redis the gateway goes on, and is exact again once it is back",
  { timeout: 90_000 },
  async () => {
    const lines: string[] = [];
    const options = { size: "short", seed: 1, share: 0.1, capacity: 15 } as const;
    const { gateway, peer } = await SCENES.redisLost({
      ...options,
      tell: (line) => lines.push(line),
    });
    expect(lines).toHaveLength(2);
    expect(gateway.failed).toBe(0);
    expect(gateway.duringLoss.sent).toBeGreaterThan(0);
    for (const { requests, allowed, denied, failed, duringLoss, seconds } of [gateway, peer]) {
      expect(requests).toBe(allowed + denied + failed);
      expect(duringLoss.sent).toBe(duringLoss.allowed + duringLoss.denied + duringLoss.failed);
      expect(seconds.reduce((sum, { sent }) => sum + sent, 0)).toBe(requests);
      expect(seconds.some(({ withoutRedis }) => withoutRedis > 0)).toBe(true);
      expect(seconds[0]!.withoutRedis).toBe(0);
    }
    expect(peer.duringLoss.failedByLimiter).toBeGreaterThan(0);
  },
);
