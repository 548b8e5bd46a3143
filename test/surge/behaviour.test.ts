import { describe, expect, test } from "vitest";

import { live } from "../../bench/surge/behaviour.ts";
import type { Person } from "../../bench/surge/population.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { virtualTime } from "../support/virtual-time.ts";

interface Reply {
  readonly status: number;
  readonly afterMs: number;
  readonly retryAfterMs?: number;
}

const SERVED: Reply = { status: 200, afterMs: 30 };
const FAILED: Reply = { status: 503, afterMs: 0 };
const NEVER: Reply = { status: 0, afterMs: 1_000_000 };
const denied = (retryAfterMs: number): Reply => ({ status: 429, afterMs: 100, retryAfterMs });

/** When a person asks who has these wishes; the replies are told in turn, the last for ever. */
async function lifeOf(
  kind: Person["kind"],
  replies: readonly Reply[],
  { seed = 1, wishesMs = [0] }: { seed?: number; wishesMs?: readonly number[] } = {},
): Promise<number[]> {
  const time = virtualTime(0);
  const now = () => time.now() / 1000;
  const asked: number[] = [];
  const intentions = wishesMs.map((atMs) => ({ atMs, endpoint: "rides" as const }));
  const ended = live(
    { id: "somebody", kind, intentions, seed },
    {
      now,
      until: (ms) => time.pass(Math.max(0, Math.ceil(ms * 1000) - time.now())),
      async ask() {
        const { status, afterMs, retryAfterMs = 1_000 } = replies[asked.length] ?? replies.at(-1)!;
        asked.push(now());
        await time.pass(Math.round(afterMs * 1000));
        return { status, retryAfterMs };
      },
    },
  );
  await time.run();
  await ended;
  return asked;
}

const gapsOf = (times: readonly number[]) => times.slice(1).map((time, i) => time - times[i]!);

describe("a patient rider", () => {
  test("obeys Retry-After, from the moment of the answer", async () => {
    expect(await lifeOf("patient", [denied(5_000), denied(1_000), SERVED])).toEqual([
      0, 5_100, 6_200,
    ]);
  });

  test("does not ask again while an answer is missing", async () => {
    expect(await lifeOf("patient", [NEVER])).toEqual([0]);
  });

  test("comes back 2 to 5 s after an error, and stands four of them", async () => {
    const gaps = gapsOf(await lifeOf("patient", [FAILED]));
    expect(gaps).toHaveLength(3);
    expect(gaps.filter((gap) => gap < 2_000 || gap > 5_001)).toEqual([]);
  });

  test("gives up after a minute", async () => {
    const replies = [{ ...denied(20_000), afterMs: 0 }];
    expect(await lifeOf("patient", replies)).toEqual([0, 20_000, 40_000]);
  });
});

describe("an impatient rider", () => {
  test("taps again while no answer comes, the longer the faster, but no faster than a thumb", async () => {
    const times = await lifeOf("impatient", [NEVER]);
    const gaps = gapsOf(times).map(Math.round);
    expect(gaps.slice(0, 4)).toEqual([2_000, 1_400, 980, 686]);
    expect(new Set(gaps.slice(4))).toEqual(new Set([500]));
    expect(times.filter((ms) => ms >= 29_500)).toHaveLength(1);
  });

  test("does not obey Retry-After", async () => {
    const [first, second, ...others] = await lifeOf("impatient", [denied(20_000), SERVED]);
    expect([first, others]).toEqual([0, []]);
    expect(second).toBeGreaterThanOrEqual(600);
    expect(second).toBeLessThanOrEqual(2_101);
  });

  test("does not tap again where an earlier tap is answered while a later one's error is slept over", async () => {
    // The second tap, after 2 s, fails at once; the first one is served before the rider comes back from that.
    for (let seed = 0; seed < 20; seed++) {
      const replies = [{ status: 200, afterMs: 2_100 }, FAILED];
      expect(await lifeOf("impatient", replies, { seed: seed * 2 ** 27 })).toHaveLength(2);
    }
  });
});

test.each(["patient", "script"] as const)(
  "a wish of a %s one begins at its time, after any result of the ones before",
  async (kind) => {
    const wishesMs = [0, 40, 700];
    expect(await lifeOf(kind, [NEVER], { wishesMs })).toEqual(wishesMs);
  },
);

test("no person acts after being served", async () => {
  const next = random(3);
  for (let run = 0; run < runs(500); run++) {
    const replies = Array.from({ length: 80 }, () => ({
      status: [200, 429, 429, 503, 0][Math.floor(next() * 5)]!,
      afterMs: next() * 6_000,
    }));
    const kind = next() < 0.5 ? "patient" : "impatient";
    const times = await lifeOf(kind, replies, { seed: next() * 2 ** 32 });
    const endsMs = times.map((ms, i) =>
      replies[i]!.status === 200 ? ms + replies[i]!.afterMs : Infinity,
    );
    const late = times.filter((ms) => ms > Math.min(...endsMs) + 0.01);
    expect([run, kind, late]).toEqual([run, kind, []]);
  }
});
