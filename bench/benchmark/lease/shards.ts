import { excessOf } from "../../../test/support/lease/excess.ts";
import { tokenBucket } from "../../../test/support/limiter/plain.ts";
import { atLeast, atMost, type Figure } from "../figure.ts";
import { replayHotKey } from "./replay.ts";

/** Requests per second that reach each isolate. */
const PER_ISOLATE = 500;
/** The offered load, as a multiple of the limit. */
const LOAD = 1.2;
const ISOLATES = 4;
const SHARDS = 8;

/** One identity that all clients ask for: with its limit split, with leases of 100 ms, and with neither. */
export async function shardFigures(short: boolean): Promise<Figure[]> {
  const rate = Math.round((PER_ISOLATE * ISOLATES) / LOAD);
  const options = { limit: rate, refill: rate, per: "1s" } as const;
  const scene = { isolates: ISOLATES, perIsolate: PER_ISOLATE, seconds: short ? 12 : 30 };
  const split = tokenBucket({ ...options, shards: SHARDS });
  const neither = await replayHotKey({ ...scene, policy: tokenBucket(options) });
  const runs = {
    [`${SHARDS} shards`]: await replayHotKey({ ...scene, policy: split }),
    "a lease": await replayHotKey({ ...scene, policy: tokenBucket(options), lease: 100_000 }),
  };
  return Object.entries(runs).flatMap(([name, { busiest, admitted, admissions }]) => [
    {
      name: `one hot key, ${name}: Redis calls on the busiest key, by those without`,
      unit: "",
      detail: true,
      tidegate: busiest / neither.busiest,
      target: atMost(0.2, "tidegate"),
    },
    {
      name: `one hot key, ${name}: admitted, by what is admitted without`,
      unit: "%",
      detail: true,
      tidegate: (admitted / neither.admitted) * 100,
      target: atLeast(95, "tidegate"),
    },
    {
      name: `one hot key, ${name}: admitted beyond what the policy promises`,
      unit: "",
      detail: true,
      tidegate: excessOf(tokenBucket(options), admissions),
      target: atMost(0, "tidegate"),
    },
  ]);
}
