import type { Decision } from "../../src/decide/decision.ts";
import type { CountingAlgorithm, Policy } from "../../src/policy/policy.ts";
import { FACTS } from "../support/algorithms/all.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { memoryStore, type Store, tokenBucket } from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { installTimers, type VirtualTime, virtualTime } from "../support/virtual-time.ts";

/** Microseconds; later than any real clock, and whole windows since 1970. */
const START = 4_000_000_000_000_000;

export const WINDOW_US = 1e6;
export const LEASE_US = 50_000;

/**
 * The number of clients that share the offered load: few that wait exactly, because all of them come back for each unit that is
 * free, and many that wait whole seconds, because they would leave units of the limit unused.
 */
const CLIENTS = {
  exactly: () => 100,
  seconds: (offered: number) => Math.round(offered / 4),
};

/** Microseconds to the store or back, on average. */
const TRAVEL_US = 800;

export interface FloodOptions {
  readonly algorithm: CountingAlgorithm;
  /** Units per window. */
  readonly limit: number;
  /** The offered load, as a multiple of that. */
  readonly load: number;
  /** Whether a denied client waits: not at all, as long as it has to, or whole seconds, as `Retry-After` says. */
  readonly obeys: "not" | "exactly" | "seconds";
  /**
   * The place of known denials: an isolate's cache on one Redis, or none there, or none because a Cluster undoes the units that
   * one of two dimensions took.
   */
  readonly denials: "known" | "off" | "cluster";
  readonly isolates: number;
  readonly seconds: number;
  readonly seed: number;
  /** Policies in the same dimension that deny nothing. */
  readonly advisory?: readonly Policy[];
}

export interface Flood {
  readonly decisions: number;
  /** Calls about the leased dimension. */
  readonly calls: number;
  /** The admitted units, by those that the ledger admitted of the same clients. */
  readonly share: number;
  /** Of the admitted requests, in order: the time, and the verdict of each advisory policy by its name. */
  readonly advice: readonly (readonly [atUs: number, said: Readonly<Record<string, boolean>>])[];
}

/** A policy that counts all clients. */
export function everyone(algorithm: CountingAlgorithm, name: string, limit: number) {
  const window = `${WINDOW_US / 1000}ms` as const;
  return { ...FACTS[algorithm].of(limit, window), name, by: "*" } as const;
}

/** The ledger of a leased policy: its promise, after a lease has made a trailing window longer. */
export function ledgerOf(algorithm: CountingAlgorithm, limit: number) {
  const { tightens, ledger } = FACTS[algorithm];
  const isTrailing = tightens === "window";
  return ledger({ limit, windowUs: WINDOW_US + (isTrailing ? LEASE_US : 0) });
}

interface Answer {
  readonly allowed: boolean;
  readonly waitUs: number;
}

type Ask = (client: number) => Promise<Answer> | Answer;

/** Sends clients to a server. The same seed brings the same clients. */
async function send(
  { limit, load, obeys, seconds, seed }: FloodOptions,
  time: VirtualTime,
  ask: Ask,
): Promise<{ weight: number; decisions: number }> {
  const next = random(seed);
  const endUs = START + seconds * 1e6;
  const gapUs = (perSecond: number) => Math.ceil((-Math.log(1 - next()) / perSecond) * 1e6);
  const offered = (limit * load * 1e6) / WINDOW_US;
  // In its second half a run is weighed as if it ended at every moment. Otherwise a burst that is cut off would decide.
  const halfUs = (seconds * 1e6) / 2;
  const weightOf = (leftUs: number) => Math.min(1, Math.max(0, leftUs / halfUs));
  let weight = 0;
  let decisions = 0;
  const arrive = async (client: number) => {
    decisions++;
    const answer = await ask(client);
    if (answer.allowed) weight += weightOf(endUs - time.now());
    return answer;
  };
  if (obeys === "not") {
    for (let at = START + gapUs(offered), i = 0; at < endUs; at += gapUs(offered), i++) {
      time.at(at, () => arrive(i));
    }
  } else {
    const roundUs = obeys === "seconds" ? 1e6 : 1;
    const clients = CLIENTS[obeys](offered);
    for (let client = 0; client < clients; client++) {
      const come = async () => {
        const { allowed, waitUs } = await arrive(client);
        const at =
          time.now() + (allowed ? gapUs(offered / clients) : Math.ceil(waitUs / roundUs) * roundUs);
        if (at < endUs) time.at(at, come);
      };
      time.at(START + gapUs(offered / clients), come);
    }
  }
  await time.run();
  return { weight, decisions };
}

/** Clients that flood isolates with leases, a few milliseconds from a store that counts in memory; and the same ones a ledger. */
export async function flood(options: FloodOptions): Promise<Flood> {
  const { algorithm, limit, denials, isolates, seed, advisory = [] } = options;
  const ideal = virtualTime(START);
  const ledger = ledgerOf(algorithm, limit);
  const { weight: admissible } = await send(options, ideal, () => ledger.ask(ideal.now()));

  const time = virtualTime(START);
  const next = random(seed + 1_000);
  const counts = memoryStore({ now: () => time.now() });
  const travel = () => time.pass(Math.ceil(TRAVEL_US * (0.5 + next())));
  let calls = 0;
  const store: Store = {
    async decide(...request) {
      if (request[3].some(({ name }) => name === "everyone")) calls++;
      await travel();
      const reply = await counts.decide(...request);
      await travel();
      return reply;
    },
    reset: () => {},
    ...(denials === "cluster" && { spansPartitions: () => false }),
  };
  const lease = `${LEASE_US / 1000}ms` as const;
  const policies: Policy[] = [
    ...advisory.map((policy) => ({ ...policy, lease })),
    { ...everyone(algorithm, "everyone", limit), lease },
    ...(denials === "known"
      ? []
      : [tokenBucket({ name: "address", by: "ip", limit: 1e6, refill: 1e6, per: "1s" })]),
  ];
  const cache = denials === "off" ? { denialCache: false as const } : {};
  const own = { now: () => time.now() / 1000, random: next };
  const limiters = Array.from({ length: isolates }, () =>
    builtLimiter(store, { policies, ...cache }, own),
  );

  const advice: [number, Record<string, boolean>][] = [];
  const note = (decision: Decision) => {
    const said = [...decision.policies, ...decision.shadow].map(
      ({ name, allowed }) => [name, allowed] as const,
    );
    advice.push([time.now(), Object.fromEntries(said)]);
  };
  // What a shadow owes is sent in the turn after a response.
  const putTimersBack = installTimers(time);
  const { weight, decisions } = await send(options, time, async (client) => {
    const limiter = limiters[Math.floor(next() * isolates)]!;
    const decision = await limiter.limit(denials === "known" ? {} : { ip: `ip-${client}` });
    if (decision.allowed && advisory.length > 0) note(decision);
    return { allowed: decision.allowed, waitUs: waitOf(decision, options) };
  }).finally(putTimersBack);
  return { decisions, calls, share: weight / admissible, advice };
}

function waitOf(decision: Decision, { obeys }: FloodOptions): number {
  if (obeys !== "seconds") return Math.ceil(decision.retryAfterMs * 1000);
  return Number(decision.headers().get("Retry-After")) * 1e6;
}
