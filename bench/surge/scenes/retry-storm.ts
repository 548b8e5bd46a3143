import { setTimeout as sleep } from "node:timers/promises";

import { max } from "d3-array";

import { nowMs } from "../clock.ts";
import { type Client, createClient } from "../driver/client.ts";
import { onParts } from "./parts.ts";
import { type WholeSeconds, wholeSeconds } from "./whole-seconds.ts";
import { fullestWindow } from "./windows.ts";

export interface StormOptions {
  /** Of each crowd. */
  readonly clients: number;
  /** How many of them the lockout's window admits. */
  readonly limit: number;
  readonly lockoutMs: number;
}

/** Clients that were all denied in the same lockout, obey `Retry-After`, and come back. */
export interface RetryStorm extends StormOptions {
  readonly crowds: readonly Crowd[];
  /** The effect of rounding `Retry-After` to whole seconds on waits of other lengths, computed. */
  readonly wholeSeconds: readonly WholeSeconds[];
}

interface CrowdOptions {
  readonly jitter: number;
  /** Over how long the clients came at first: 0 is a push message, more is everyday life. */
  readonly spreadMs: number;
}

export interface Crowd extends CrowdOptions {
  readonly denied: number;
  /** The number of returning clients that were admitted then. */
  readonly admittedOnReturn: number;
  readonly failed: number;
  /** The most that came back within 50 ms, and its share of all that came back. */
  readonly peak: number;
  readonly peakShare: number;
  /** The share of those that came within the fullest second: `Retry-After` has no finer unit. */
  readonly peakSecondShare: number;
  readonly meanWaitMs: number;
  /** The returning clients, by 50 ms. */
  readonly arrivals: readonly { readonly atMs: number; readonly arrived: number }[];
}

const CROWDS: readonly CrowdOptions[] = [
  { jitter: 0, spreadMs: 0 },
  { jitter: 0.1, spreadMs: 0 },
  { jitter: 0.5, spreadMs: 0 },
  // Only the rounding to whole seconds spreads these.
  { jitter: 0, spreadMs: 1_500 },
];
const BIN_MS = 50;
/** A proxy in front of a worker keeps few connections to it; one for each client would exhaust its file descriptors. */
const CONNECTIONS = 64;
/** The crowds come one after the other, and waits of whole seconds keep them apart, so that none slows another. */
const APART_MS = 240;

/** Through the real gateway, at the same time but each with a count of its own. */
export function retryStorm(
  options: StormOptions,
  tell: (line: string) => void,
): Promise<RetryStorm> {
  const { limit, lockoutMs } = options;
  return onParts(async ({ deploy }) => {
    const rules = CROWDS.map(({ jitter }, i) => {
      const numbers = { limit, window: `${lockoutMs}ms` };
      const policy = { algorithm: "sliding-window-log", name: `crowd-${i}`, ...numbers };
      const retryJitter = jitter > 0 ? { retryJitter: jitter } : {};
      return { path: `/crowd-${i}`, partition: "*", policies: [{ ...policy, ...retryJitter }] };
    });
    const worker = await deploy({ RULES: JSON.stringify(rules) });
    const client = createClient(worker.url, CONNECTIONS);
    try {
      await client.send({ path: "/warm-up" });
      tell(`${CROWDS.length} crowds of ${options.clients} locked out for ${lockoutMs / 1000} s`);
      const beginMs = nowMs();
      const crowds = await Promise.all(
        CROWDS.map(async (crowd, i) => {
          await sleep(Math.max(0, beginMs + i * APART_MS - nowMs()));
          return storm(client, `/crowd-${i}`, crowd, options);
        }),
      );
      return { ...options, crowds, wholeSeconds: await wholeSeconds() };
    } finally {
      client.close();
      await worker.stop();
    }
  });
}

interface Returned {
  readonly waitMs: number;
  readonly sentMs: number;
  readonly status: number;
}

async function storm(
  client: Client,
  path: string,
  crowd: CrowdOptions,
  { clients, lockoutMs }: StormOptions,
): Promise<Crowd> {
  /** The window begins with the first admitted client, no sooner than its request was sent. */
  let firstMs = Infinity;
  let failed = 0;
  const beginMs = nowMs();

  async function visit(i: number): Promise<Returned | undefined> {
    await sleep(Math.max(0, beginMs + (crowd.spreadMs * i) / clients - nowMs()));
    const askedMs = nowMs();
    const { status, retryAfterMs } = await client.send({ path });
    if (status === 200) firstMs = Math.min(firstMs, askedMs);
    if (status !== 200 && status !== 429) failed++;
    if (status !== 429) return undefined;
    // A timer may fire a part of a millisecond early, which is none of the client's doing.
    await sleep(retryAfterMs + 1);
    const sentMs = nowMs();
    const again = await client.send({ path });
    if (again.status !== 200 && again.status !== 429) failed++;
    return { waitMs: retryAfterMs, sentMs, status: again.status };
  }

  const visits = await Promise.all(Array.from({ length: clients }, (_, i) => visit(i)));
  const returned = visits.filter((visit) => visit !== undefined);
  const moments = returned.map(({ sentMs }) => ({ earliestMs: sentMs, latestMs: sentMs }));
  const arrivals = byBin(returned.map(({ sentMs }) => sentMs - firstMs - lockoutMs));
  const peak = max(arrivals, ({ arrived }) => arrived) ?? 0;
  return {
    ...crowd,
    denied: returned.length,
    admittedOnReturn: returned.filter(({ status }) => status === 200).length,
    failed,
    peak,
    peakShare: peak / Math.max(1, returned.length),
    peakSecondShare: fullestWindow(moments, 1_000) / Math.max(1, returned.length),
    meanWaitMs: returned.reduce((total, { waitMs }) => total + waitMs / returned.length, 0),
    arrivals,
  };
}

/** Counts per 50 ms from the second before the reset to the last arrival, without a gap. */
function byBin(timesMs: readonly number[]): Crowd["arrivals"] {
  const first = -1_000 / BIN_MS;
  const bins = timesMs.map((ms) => Math.floor(ms / BIN_MS));
  const count = Math.max(0, (max(bins) ?? 0) - first + 1);
  return Array.from({ length: count }, (_, i) => ({
    atMs: (first + i) * BIN_MS,
    arrived: bins.filter((bin) => bin === first + i).length,
  }));
}
