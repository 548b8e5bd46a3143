import type { Hold } from "../decide/hold.ts";
import type { Cost } from "../decide/limiter-types.ts";
import { parseDuration } from "../options/duration.ts";
import {
  createTargetQuota,
  type PacedTarget,
  quotaPolicies,
  type QuotaUnits,
} from "./paced-target.ts";
import { checkedPacer, type PacerOptions } from "./pacer-options.ts";
import { QUOTA_KINDS } from "./provider-quota.ts";
import { readRefusal } from "./refusal.ts";
import type { Usage } from "./usage.ts";

type Tokens = Pick<Usage, "inputTokens" | "outputTokens">;

/** A request to a model, before it is sent. */
export interface PacedRequest {
  /** Estimated tokens of the input. */
  readonly inputTokens: number;
  /** The most tokens of the answer. */
  readonly outputTokens: number;
  /** Requests in the background leave the rest of a limit to others. Default: `"foreground"`. */
  readonly priority?: "foreground" | "background";
}

/** A response of a model, and what it took of its quota. */
export interface PacedResponse<Target extends PacedTarget> {
  /** The answer of the last target that was asked; a 429 if all of them refused the request until `maxWait`. */
  readonly response: Response;
  readonly target: Target;
  /** Holds the estimate in the quota: settle it by the usage, as `hold.stream(response, { usage, cost })` does. */
  readonly hold: Hold;
  /** The cost of a usage in the quota of the target. */
  readonly cost: (usage: Tokens) => Cost;
}

/** No target will have room within `maxWait`: the request was not sent. */
export interface NoRoom {
  readonly response?: undefined;
  /** The wait until a target may have room, in milliseconds: for a `Retry-After`, or for a pause before you ask again. */
  readonly retryAfterMs: number;
}

/** Sends requests to models as fast as their providers allow. */
export interface Pacer<Target extends PacedTarget> {
  /**
   * Waits until a target has room, and calls it; again, or the next one, if the provider answers 429 or 529. An estimate above a
   * whole limit waits until all of it is free.
   *
   * @param call sends the request to this target: once for each attempt
   * @returns without a `response`, at once, if no target will have room within `maxWait`
   */
  send(
    request: PacedRequest,
    call: (target: Target) => Promise<Response>,
  ): Promise<PacedResponse<Target> | NoRoom>;
}

/** The longest pause before a provider that tells no time to wait, or too short a one, is asked again. */
const PAUSE_MS = 1_000;
/** The least pause after the first refusal, which doubles with each further one: a provider that tells 0 is not asked in a loop. */
const FIRST_PAUSE_MS = 50;

/** Too many requests, and Anthropic's "overloaded". */
const REFUSALS = [429, 529];

/**
 * Paces requests of many workers towards the limits of model providers: shared counts of requests and tokens a minute, whose limits
 * follow the limits that the providers' header fields tell (`x-ratelimit-*`, `anthropic-ratelimit-*`, `retry-after`).
 *
 * @throws ConfigurationError for options that are wrong, all at once
 * @example
 * const pacer = createPacer({
 *   limiter: (policies) => createLimiter({ policies }),
 *   order: [{ name: "openai/gpt-5-mini", limits: { requests: 500, tokens: 200_000 } }],
 * });
 * const sent = await pacer.send({ inputTokens: 900, outputTokens: 500 }, () => fetch(url, request));
 * if (sent.response) return sent.hold.stream(sent.response, { usage, cost: sent.cost });
 */
export function createPacer<Target extends PacedTarget>(
  options: PacerOptions<Target>,
): Pacer<Target> {
  const { limiter, order, share = 0.97, background = 0.2, maxWait = "1m" } = checkedPacer(options);
  const maxWaitMs = parseDuration(maxWait)! / 1000;
  const kinds = QUOTA_KINDS.filter((kind) =>
    order.some(({ limits }) => limits[kind] !== undefined),
  );
  const shared = limiter(quotaPolicies(kinds));
  const lanes = order.map((target) => ({
    target,
    quota: createTargetQuota(target, share, kinds, shared),
    /** When the provider may be asked again, in milliseconds since 1970. */
    fromMs: 0,
    /** Refusals since the last other answer. */
    refusals: 0,
  }));
  type Lane = (typeof lanes)[number];

  /** Takes units of the first target that has room, or tells how long to wait for one. */
  async function take(units: QuotaUnits, leftFree: number) {
    let waitMs = Infinity;
    for (const lane of lanes) {
      const pauseMs = lane.fromMs - Date.now();
      const taken = pauseMs > 0 ? { waitMs: pauseMs } : await lane.quota.take(units, leftFree);
      if (!("waitMs" in taken)) return { lane, ...taken };
      waitMs = Math.min(waitMs, taken.waitMs);
    }
    return { waitMs };
  }

  /** Pauses a provider that has refused a request: in this worker by its own words, in all others by the shared counts. */
  async function pause(lane: Lane, hold: Hold, response: Response): Promise<void> {
    const leastMs = Math.min(PAUSE_MS, FIRST_PAUSE_MS * 2 ** lane.refusals++);
    const { waitMs = PAUSE_MS, quotas } = await readRefusal(response, Date.now());
    lane.fromMs = Date.now() + Math.max(leastMs, waitMs);
    lane.quota.learn(response.headers, quotas);
    await hold.release();
    await lane.quota.align();
  }

  return {
    async send({ inputTokens, outputTokens, priority }, call) {
      const units = unitsOf({ inputTokens, outputTokens });
      const untilMs = Date.now() + maxWaitMs;
      let refused: PacedResponse<Target> | undefined;
      let denials = 0;
      for (;;) {
        const taken = await take(units, priority === "background" ? background : 0);
        if ("waitMs" in taken) {
          if (Date.now() + taken.waitMs > untilMs) return refused ?? { retryAfterMs: taken.waitMs };
          await sleep(taken.waitMs, denials++);
          continue;
        }
        const { lane, hold, costOf } = taken;
        const { target, quota } = lane;
        // A call that fails may have taken units of the provider's quota, so they come back with time alone.
        const response = await call(target);
        quota.learn(response.headers);
        const sent = { response, target, hold, cost: (usage: Tokens) => costOf(unitsOf(usage)) };
        if (!REFUSALS.includes(response.status)) {
          lane.refusals = 0;
          if (quota.isNearlyUsedUp()) await quota.align();
          return sent;
        }
        await pause(lane, hold, response);
        // Its body would keep the connection.
        await refused?.response.body?.cancel();
        refused = sent;
      }
    },
  };
}

function unitsOf({ inputTokens: input, outputTokens: output }: Tokens): QuotaUnits {
  const tokens = input + output;
  return { requests: 1, tokens, input, output, requestsPerDay: 1, tokensPerDay: tokens };
}

/** Units that nobody takes at once stay for longer than that, so they are not lost. */
const LONGEST_MORE_MS = 3_000;

/** Waits longer after each denial, so that not all workers ask at the same time, and each of them again and again. */
function sleep(ms: number, denials: number): Promise<void> {
  const moreMs = Math.random() * Math.min(LONGEST_MORE_MS, ms * 2 ** denials);
  return new Promise((resolve) => setTimeout(resolve, Math.ceil(ms + moreMs)));
}
