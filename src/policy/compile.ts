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
  // Not map(), which passes over the holes of a list.
  return Array.from(policies, (policy: unknown, index) => {
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
  const { onFailure } = policy;
  let { algorithm } = policy;
  if (typeof algorithm !== "string" || !Object.hasOwn(PARAMETERS, algorithm)) {
    faults.add(`${path}.algorithm`, algorithm, `Use one of ${Object.keys(PARAMETERS).join(", ")}.`);
    // Stands in, so that the rest of the policy is checked, too.
    algorithm = "fixed-window";
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
  const limit =
    algorithm === "sliding-window-log"
      ? whole(
          policy.limit,
          MAX_LOG_LIMIT,
          `${path}.limit`,
          faults,
          ", or a segmented-window for more",
        )
      : whole(policy.limit, MAX_LIMIT, `${path}.limit`, faults);
  if (onFailure !== undefined && !VERDICTS.includes(onFailure)) {
    faults.add(`${path}.onFailure`, onFailure, 'Use "open", "closed" or "local".');
  }
  const { windowMicroseconds, parameters } =
    algorithm === "token-bucket"
      ? compileTokenBucket(
          policy as Extract<Policy, { algorithm: "token-bucket" }>,
          limit,
          path,
          faults,
        )
      : compileWindow(
          policy as Exclude<Policy, { algorithm: "token-bucket" }>,
          limit,
          path,
          faults,
        );
  const name = nameOf(policy, path, faults);
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
  { refill, per }: Policy & { algorithm: "token-bucket" },
  limit: number,
  path: string,
  faults: Faults,
): Times {
  const units = whole(refill, MAX_LIMIT, `${path}.refill`, faults);
  const microseconds = windowOf(per, `${path}.per`, faults);
  const divisor = greatestCommonDivisor(microseconds, units);
  let parameters: [number, number] = [microseconds / divisor, units / divisor];
  if (limit * parameters[0] >= 2 ** 51) {
    // The exact fraction does not fit: round the interval up, so that never a unit too many comes back.
    parameters = [Math.ceil(microseconds / units), 1];
  }
  const windowMicroseconds = (limit * parameters[0]) / parameters[1];
  if (windowMicroseconds > MAX_WINDOW) {
    faults.add(
      `${path}.limit`,
      limit,
      `At ${units} per ${per} the bucket would take more than 366 days to refill: lower the limit or raise the refill.`,
    );
  }
  return { windowMicroseconds, parameters };
}

function compileWindow(
  policy: Exclude<Policy, { algorithm: "token-bucket" }>,
  limit: number,
  path: string,
  faults: Faults,
): Times {
  const windowMicroseconds = windowOf(policy.window, `${path}.window`, faults);
  if (policy.algorithm === "segmented-window") {
    const { segments = 10 } = policy;
    const count = whole(segments, MAX_SEGMENTS, `${path}.segments`, faults);
    // Rounded up: segments that cover a little more than the window keep its promise.
    return { windowMicroseconds, parameters: [Math.ceil(windowMicroseconds / count), count] };
  }
  if (policy.algorithm === "sliding-window-counter") {
    return {
      windowMicroseconds,
      parameters: [windowMicroseconds, tickOf(windowMicroseconds, limit)],
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

function nameOf(policy: Policy, path: string, faults: Faults): string {
  const { name, algorithm, limit } = policy;
  if (name === undefined) {
    const times =
      algorithm === "token-bucket" ? [policy.refill, "per", policy.per] : [policy.window];
    const parts: unknown[] = [algorithm, limit, ...times];
    // Of faulty numbers comes no name, but their faults are told already.
    return parts.map((part) => (Object(part) === part ? "" : String(part))).join("-");
  }
  if (typeof name === "string" && NAME.test(name)) return name;
  faults.add(
    `${path}.name`,
    name,
    "Use 1 to 64 ASCII letters, digits, dots, underscores or dashes, the first a letter or digit.",
  );
  // So that two faulty names are not taken for the same.
  return path;
}

/** A number that is whole and within its bounds; else a fault, and 1 to go on with. */
function whole(value: unknown, most: number, path: string, faults: Faults, instead = ""): number {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) {
    return value as number;
  }
  faults.add(path, value, `Give a whole number from 1 to ${most}${instead}.`);
  return 1;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
