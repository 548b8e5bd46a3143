import { DECIDE_ENFORCED } from "../algorithms/scripts.generated.ts";
import type { Verdict } from "../decide/step.ts";
import { holds } from "../features/holds/holds-feature.ts";
import { optimisticFeature } from "../features/optimistic-feature.ts";
import type { Duration as OwnDuration } from "../options/duration.ts";
import { Faults } from "../options/faults.ts";
import { REDIS_CLIENT } from "../options/messages.ts";
import { reportOnce } from "../runtime/log.ts";
import { monotonicNow } from "../runtime/time.ts";
import { prefixOf } from "./prefix.ts";
import {
  type Algorithm,
  bucket,
  cached,
  type Duration,
  fixed,
  sliding,
  wholeOf,
} from "./upstash-algorithms.ts";
import { type LimitOptions, type RatelimitConfig, timeoutOf } from "./upstash-config.ts";
import { type Cores, type DropInCore, openCores } from "./upstash-cores.ts";
import { createRefunds, type Refunds } from "./upstash-refunds.ts";
import { type RatelimitResponse, responseOf, waitMsOf } from "./upstash-response.ts";
import { createSideCalls, type SideCalls } from "./upstash-side-calls.ts";

interface Answer {
  readonly response: RatelimitResponse;
  /** How long the same request waits for room; `Infinity` if waiting does not help. */
  readonly waitMs: number;
}

/**
 * The class of @upstash/ratelimit, on Tidegate's engine: denials are exact, a denied request takes no tokens, the only clock is
 * Redis's, and any Redis will do.
 *
 * @throws ConfigurationError for a limit or window that Tidegate cannot count, such as a limit above 10^9
 * @example
 * const ratelimit = new Ratelimit({
 *   redis: Redis.fromEnv(),
 *   limiter: Ratelimit.slidingWindow(10, "10 s"),
 * });
 * const { success } = await ratelimit.limit("user:42");
 */
export class Ratelimit {
  protected readonly limiter: Algorithm;
  protected readonly prefix: string;
  protected readonly timeout: number;
  protected readonly enableProtection: boolean;
  protected readonly dynamicLimits: boolean;
  protected readonly analytics: boolean;
  readonly #cores: Cores;
  readonly #side: SideCalls;
  readonly #refunds: Refunds;

  constructor(config: RatelimitConfig) {
    const { limiter, prefix = "@upstash/ratelimit", timeout = 5_000, ephemeralCache } = config;
    this.limiter = limiter;
    this.prefix = prefix;
    this.timeout = timeout;
    this.enableProtection = config.enableProtection ?? false;
    this.dynamicLimits = config.dynamicLimits ?? false;
    this.analytics = config.analytics ?? false;
    const faults = new Faults();
    const needsClient = this.enableProtection || this.dynamicLimits || this.analytics;
    if (needsClient && typeof Object(config.redis).eval !== "function") {
      // The object may contain a token.
      faults.add("redis", typeof config.redis, REDIS_CLIENT);
    }
    this.#cores = openCores(
      {
        redis: config.redis,
        prefix: prefixOf(prefix),
        timeout: timeoutOf(timeout) as OwnDuration,
      },
      {
        features: { holds, optimistic: optimisticFeature },
        scripts: { decide: DECIDE_ENFORCED, ...holds.scripts },
        remembers: ephemeralCache !== false,
      },
      faults,
    );
    this.#side = createSideCalls(config.redis, prefix);
    this.#refunds = createRefunds(limiter.windowMs);
    // So that a limit that cannot be is said now.
    this.#core(limiter.tokens);
  }

  /** One count for each window on the grid of the clock. Around a boundary up to twice the tokens pass. */
  static fixedWindow(tokens: number, window: Duration): Algorithm {
    return fixed(tokens, window);
  }

  /** Two counts, of which the earlier one is weighted by how much of its window is still covered. */
  static slidingWindow(tokens: number, window: Duration): Algorithm {
    return sliding(tokens, window);
  }

  /**
   * A bucket of `maxTokens`, refilled continuously by `refillRate` tokens in each interval: 5 per `"10 s"` is a token every two
   * seconds.
   */
  static tokenBucket(refillRate: number, interval: Duration, maxTokens: number): Algorithm {
    return bucket(refillRate, interval, maxTokens);
  }

  /**
   * As `fixedWindow`, but answers before Redis has counted where this process knows enough. At most one token of an identifier is
   * ahead of Redis in each process, and near the limit it waits for the answer.
   */
  static cachedFixedWindow(tokens: number, window: Duration): Algorithm {
    return cached(tokens, window);
  }

  /**
   * Decides a request. `rate` is its cost: 0 takes no tokens, and a number below 0 gives tokens back.
   *
   * @throws TidegateError `ERR_IDENTITY` for an empty identifier, `ERR_COST` for a rate that is no whole number
   */
  limit = async (identifier: string, req?: LimitOptions): Promise<RatelimitResponse> => {
    const { response } = await this.#decide(identifier, req);
    return response;
  };

  /**
   * Waits until a request may pass, but no longer than a time in milliseconds; a denial is the answer of the last attempt.
   *
   * @throws Error if the time is not above 0
   */
  blockUntilReady = async (identifier: string, timeout: number): Promise<RatelimitResponse> => {
    if (!(timeout > 0)) throw new Error("timeout must be positive");
    const untilMs = monotonicNow() + timeout;
    for (;;) {
      const { response, waitMs } = await this.#decide(identifier, undefined);
      const leftMs = untilMs - monotonicNow();
      if (response.success || response.reason === "denyList" || leftMs <= 0) return response;
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(Math.min(waitMs, leftMs))));
      if (waitMs > leftMs) return response;
    }
  };

  /** Gives an identifier all of its tokens again. Other processes may repeat denials that they know for up to a minute. */
  resetUsedTokens = async (identifier: string): Promise<void> => {
    await this.#core(await this.#tokens()).reset(identifier);
  };

  /** Reports the remaining tokens, and takes none. */
  getRemaining = async (
    identifier: string,
  ): Promise<{ remaining: number; reset: number; limit: number }> => {
    const tokens = await this.#tokens();
    const verdict = await this.#core(tokens).ask("peek", identifier, { cost: 0 });
    const { remaining, reset, limit } = responseOf(verdict, this.limiter, tokens);
    return { remaining, reset, limit };
  };

  /**
   * Overrides the tokens of every identifier, for all processes within a second; `false` ends it.
   *
   * @throws Error without `dynamicLimits: true`, or if Redis gives no answer
   */
  setDynamicLimit = async ({ limit }: { limit: number | false }): Promise<void> => {
    this.#requireDynamic("setDynamicLimit");
    // A limit that cannot be would be refused with every request.
    const tokens = limit === false ? undefined : wholeOf(limit);
    if (tokens !== undefined) this.#core(tokens);
    await this.#side.writeOverride(tokens);
  };

  /**
   * Reads the override.
   *
   * @throws Error without `dynamicLimits: true`, or if Redis gives no answer
   */
  getDynamicLimit = async (): Promise<{ dynamicLimit: number | null }> => {
    this.#requireDynamic("getDynamicLimit");
    return { dynamicLimit: (await this.#side.readOverride()) ?? null };
  };

  async #decide(identifier: string, req: LimitOptions = {}): Promise<Answer> {
    const tokens = await this.#tokens();
    const values = [identifier, req.ip, req.userAgent, req.country].filter(
      (value): value is string => typeof value === "string" && value !== "",
    );
    const known = this.enableProtection ? this.#side.knownDenied(values) : undefined;
    const [verdict, found] =
      known === undefined
        ? await Promise.all([
            this.#ask(this.#core(tokens), identifier, wholeOf(req.rate ?? 1)),
            this.enableProtection ? this.#side.findDenied(values) : undefined,
          ])
        : [NOT_ASKED, known];
    const response = responseOf(verdict, this.limiter, tokens);
    const answer = found === undefined ? response : denied(response, found);
    if (this.analytics) this.#count(answer, identifier, req);
    return { response: answer, waitMs: waitMsOf(verdict) };
  }

  #ask(core: DropInCore, identifier: string, rate: number): Promise<Verdict> {
    return rate < 0
      ? this.#refunds.giveBack(core, identifier, -rate)
      : this.#refunds.consume(core, identifier, rate);
  }

  #count(response: RatelimitResponse, identifier: string, req: LimitOptions): void {
    const isListed = response.reason === "denyList";
    const event = {
      identifier: isListed ? response.deniedValue : identifier,
      success: isListed ? "denied" : response.success,
      ...req.geo,
    };
    response.pending = this.#side.count(event).catch(() => {});
  }

  async #tokens(): Promise<number> {
    const { tokens } = this.limiter;
    const override = this.dynamicLimits ? await this.#side.currentOverride() : undefined;
    return override !== undefined && this.#canCount(override) ? override : tokens;
  }

  /** Another program may have written the override, which must not fail every request. */
  #canCount(tokens: number): boolean {
    try {
      this.#core(tokens);
      return true;
    } catch {
      reportOnce(
        `The dynamic limit of "${this.prefix}" is none that can be counted, so it has no effect: setDynamicLimit() replaces it.`,
      );
      return false;
    }
  }

  #core(tokens: number): DropInCore {
    return this.#cores.of(`${tokens}`, () => [this.limiter.policy(tokens)]);
  }

  #requireDynamic(method: string): void {
    if (this.dynamicLimits) return;
    throw new Error(
      `dynamicLimits must be enabled in the Ratelimit constructor to use ${method}()`,
    );
  }
}

/** The verdict on a request that the deny list denied before a call. */
const NOT_ASKED: Verdict = { reason: "blocked", status: 429, nowUs: 0, groups: [] };

function denied(response: RatelimitResponse, deniedValue: string): RatelimitResponse {
  return { ...response, success: false, remaining: 0, reason: "denyList", deniedValue };
}
