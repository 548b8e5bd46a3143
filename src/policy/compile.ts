import type { Faults } from "../errors.ts";
import type { Algorithm, FailureVerdict, Policy } from "./policy.ts";
import { compileTokenBucket, compileWindow } from "./times.ts";
import { MAX_LIMIT, whole } from "./whole.ts";

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
  "token-bucket": 3,
  "sliding-window-log": 2,
  "sliding-window-counter": 3,
  "segmented-window": 3,
  "fixed-window": 2,
};

/** A log holds every unit: 100,000 are 700 KB in one key, and its header counts to 2^17. */
const MAX_LOG_LIMIT = 100_000;
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
