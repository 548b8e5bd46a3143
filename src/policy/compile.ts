import type { Faults } from "../errors.ts";
import { parseDuration } from "./duration.ts";
import type { Algorithm, FailureVerdict, Policy } from "./policy.ts";

/** A policy checked, with everything computed that a request would otherwise compute. */
export interface CompiledPolicy {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly limit: number;
  /** Seconds, as `w` on the wire but unrounded; for a token bucket the time it takes to refill. */
  readonly window: number;
  readonly onFailure: FailureVerdict | undefined;
  /** The algorithm's two parameters, as its Lua file names them. */
  readonly parameters: readonly [number, number];
  /** How long its key is kept after a write, in milliseconds, where the algorithm writes with every request. */
  readonly ttl: number;
  /** This policy's item of `RateLimit-Policy`. */
  readonly field: string;
}

/** What a policy may hold besides its algorithm, limit, name and onFailure. */
const PARAMETERS: Record<Algorithm, readonly string[]> = {
  "token-bucket": ["refill", "per"],
  "sliding-window-log": ["window"],
  "sliding-window-counter": ["window"],
  "segmented-window": ["window", "segments"],
  "fixed-window": ["window"],
};

/** For how many windows a state can matter: with the deepest debt, and after a clock went back by a window. */
const LIFETIME: Record<Algorithm, number> = {
  "token-bucket": 2,
  "sliding-window-log": 2,
  "sliding-window-counter": 3,
  "segmented-window": 3,
  "fixed-window": 2,
};

/** Beyond it, products of a limit and a time would leave the 2^53 that Lua and JavaScript count exactly. */
const MAX_LIMIT = 1_000_000_000;
/** A log holds every unit: 100,000 are 700 KB in one key, and its header counts to 2^17. */
const MAX_LOG_LIMIT = 100_000;
/** A segmented window reads all its counts with each request. */
const MAX_SEGMENTS = 60;
const MIN_WINDOW = 1_000;
const MAX_WINDOW = 366 * 86_400e6;
/** A request that more policies decide than this is a mistake; each is work inside one Redis script. */
const MAX_POLICIES = 16;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VERDICTS: readonly unknown[] = ["open", "closed", "local"];

/** Checks a list of policies and compiles it; every fault is added under its path. */
export function compilePolicies(
  policies: unknown,
  path: string,
  faults: Faults,
): readonly CompiledPolicy[] {
  if (!Array.isArray(policies) || policies.length === 0 || policies.length > MAX_POLICIES) {
    faults.add(
      path,
      policies,
      `Give a list of 1 to ${MAX_POLICIES} policies, such as [tokenBucket({ ... })].`,
    );
    return [];
  }
  const paths = new Map<string, string>();
  return policies.map((policy: unknown, index) => {
    const at = `${path}[${index}]`;
    const compiled = compilePolicy(policy, at, faults);
    const earlier = paths.get(compiled.name);
    if (earlier !== undefined) {
      faults.add(
        `${at}.name`,
        compiled.name,
        `${earlier} has this name, too: give each policy its own, or both would share one count.`,
      );
    }
    paths.set(compiled.name, at);
    return compiled;
  });
}

function compilePolicy(input: unknown, path: string, faults: Faults): CompiledPolicy {
  if (typeof input !== "object" || input === null) {
    faults.add(path, input, "Give a policy, made by tokenBucket() or one of the other builders.");
    // Stands in, so that the rest of the list is checked, too.
    input = { algorithm: "fixed-window", limit: 1, window: "1s" };
  }
  const policy = input as Policy;
  const { algorithm, limit, onFailure } = policy;
  if (!Object.hasOwn(PARAMETERS, algorithm)) {
    faults.add(`${path}.algorithm`, algorithm, `Use one of ${Object.keys(PARAMETERS).join(", ")}.`);
  } else {
    const known = ["algorithm", "limit", "name", "onFailure", ...PARAMETERS[algorithm]];
    for (const [key, value] of Object.entries(policy)) {
      if (known.includes(key)) continue;
      faults.add(
        `${path}.${key}`,
        value,
        `A ${algorithm} has ${known.join(", ")}, and nothing else.`,
      );
    }
  }
  const maxLimit = algorithm === "sliding-window-log" ? MAX_LOG_LIMIT : MAX_LIMIT;
  if (!isWhole(limit, 1, maxLimit)) {
    const instead = algorithm === "sliding-window-log" ? ", or a segmented-window for more" : "";
    faults.add(`${path}.limit`, limit, `Give a whole number from 1 to ${maxLimit}${instead}.`);
  }
  if (onFailure !== undefined && !VERDICTS.includes(onFailure)) {
    faults.add(`${path}.onFailure`, onFailure, 'Use "open", "closed" or "local".');
  }
  const { windowMicroseconds, parameters } =
    algorithm === "token-bucket"
      ? compileTokenBucket(policy as Policy & { algorithm: "token-bucket" }, path, faults)
      : compileWindow(policy as Exclude<Policy, { algorithm: "token-bucket" }>, path, faults);

  const name = policy.name ?? defaultName(policy);
  // A name made of faulty numbers is not a fault of its own.
  if (policy.name !== undefined && (typeof name !== "string" || !NAME.test(name))) {
    faults.add(
      `${path}.name`,
      name,
      "Use 1 to 64 ASCII letters, digits, dots, underscores or dashes, the first a letter or digit.",
    );
  }
  const window = windowMicroseconds / 1e6;
  return {
    name,
    algorithm,
    limit,
    window,
    onFailure,
    parameters,
    ttl: Math.ceil((LIFETIME[algorithm] * windowMicroseconds) / 1000) + 1,
    field: `"${name}";q=${limit};w=${Math.max(1, Math.ceil(window))}`,
  };
}

interface Times {
  readonly windowMicroseconds: number;
  readonly parameters: readonly [number, number];
}

function compileTokenBucket(
  { limit, refill, per }: Policy & { algorithm: "token-bucket" },
  path: string,
  faults: Faults,
): Times {
  if (!isWhole(refill, 1, MAX_LIMIT)) {
    faults.add(`${path}.refill`, refill, `Give a whole number from 1 to ${MAX_LIMIT}.`);
    refill = 1;
  }
  const microseconds = windowOf(per, `${path}.per`, faults);
  const divisor = greatestCommonDivisor(microseconds, refill);
  let parameters: [number, number] = [microseconds / divisor, refill / divisor];
  if (limit * parameters[0] >= 2 ** 51) {
    // The exact fraction does not fit: round the interval up, so that never a unit too many comes back.
    parameters = [Math.ceil(microseconds / refill), 1];
  }
  const windowMicroseconds = (limit * parameters[0]) / parameters[1];
  if (windowMicroseconds > MAX_WINDOW) {
    faults.add(
      `${path}.limit`,
      limit,
      `At ${refill} per ${per} the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
    );
  }
  return { windowMicroseconds, parameters };
}

function compileWindow(
  policy: Exclude<Policy, { algorithm: "token-bucket" }>,
  path: string,
  faults: Faults,
): Times {
  const windowMicroseconds = windowOf(policy.window, `${path}.window`, faults);
  if (policy.algorithm === "segmented-window") {
    const { segments = 10 } = policy;
    if (!isWhole(segments, 1, MAX_SEGMENTS)) {
      faults.add(`${path}.segments`, segments, `Give a whole number from 1 to ${MAX_SEGMENTS}.`);
    }
    // Rounded up: segments that cover a little more than the window keep its promise.
    return { windowMicroseconds, parameters: [Math.ceil(windowMicroseconds / segments), segments] };
  }
  if (policy.algorithm === "sliding-window-counter") {
    return {
      windowMicroseconds,
      parameters: [windowMicroseconds, tickOf(windowMicroseconds, policy.limit)],
    };
  }
  return { windowMicroseconds, parameters: [windowMicroseconds, 0] };
}

/** The shortest tick that keeps 8 * limit * window / tick below 2^53, so that the counter's products stay exact. */
function tickOf(window: number, limit: number): number {
  return Math.max(1, Math.ceil((8 * limit * window) / 2 ** 53));
}

function windowOf(duration: unknown, path: string, faults: Faults): number {
  const microseconds = parseDuration(duration);
  if (microseconds === undefined) {
    faults.add(
      path,
      duration,
      'Give a number with its unit, ms, s, m, h or d: "250ms", "10s", "1h".',
    );
    return 1e6;
  }
  if (microseconds < MIN_WINDOW || microseconds > MAX_WINDOW) {
    faults.add(path, duration, 'Give a time from "1ms" to "366d".');
    return 1e6;
  }
  return microseconds;
}

function defaultName(policy: Policy): string {
  const time =
    policy.algorithm === "token-bucket" ? `${policy.refill}-per-${policy.per}` : policy.window;
  return `${policy.algorithm}-${policy.limit}-${time}`;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
