import { PLANS_REMEDY } from "../adapter/plan.ts";
import { COST_REMEDY } from "../adapter/request-cost.ts";
import { compileRequest, type RequestReader } from "../adapter/request-limiter.ts";
import type { RequestOptions } from "../adapter/request-options.ts";
import type { Plans } from "../features/plans/plans.ts";
import type { SharedDenials } from "../features/shared-denials/shared-denials.ts";
import type { LimiterOptions } from "../limiter/options.ts";
import { checkSettings, type LimiterSettings } from "../limiter/settings.ts";
import type { Faults } from "../options/faults.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { fromData } from "../policy/from-data.ts";
import type { Policy } from "../policy/policy.ts";
import { check, inToml, onePerPath, rewritten } from "./check.ts";
import { namedSegments } from "./named-segments.ts";
import { MAX_PATH, Rule as RuleSchema, RULE_COST_REMEDY } from "./schema.ts";
import type { Route } from "./select-rules.ts";

/** A checked rule: the requests it covers, and how they are limited. */
export interface Rule {
  readonly route: Route;
  readonly settings: LimiterSettings;
  readonly reader: RequestReader<Request>;
  /** Whether a client may ask what it has left. */
  readonly showsQuota: boolean;
}

/** Values of the other variables that apply to all rules. */
export interface RuleDefaults extends Required<Pick<LimiterOptions, "prefix" | "onFailure">> {
  readonly clientIp: ClientIp;
  readonly sharedDenials: SharedDenials | undefined;
  readonly plans: Plans | undefined;
}

/** A rule's methods and path, so that nobody has to count rules to find it; empty if they are not readable. */
export function routeOf(rule: unknown): string {
  const { method = "*", path } = Object(rule) as Record<string, unknown>;
  const methods = [method].flat();
  if (typeof path !== "string" || !methods.every((each) => typeof each === "string")) return "";
  const route = `${methods.join(", ")} ${path}`;
  return route.length <= 100 && /^[A-Z*, ]+ \/\S*$/.test(route) ? route : "";
}

/** Adds the rule's route to the faults found in it. */
export function inRule<Result>(rule: unknown, faults: Faults, find: () => Result): Result {
  const route = routeOf(rule);
  const place = route && ` (In the rule for ${route}.)`;
  return rewritten(faults, find, (fault) => ({ ...fault, remedy: fault.remedy + place }));
}

/** Checks a rule and compiles it; `undefined` if it is not a table. */
export function readRule(
  input: unknown,
  index: number,
  { clientIp, sharedDenials, plans, ...defaults }: RuleDefaults,
  faults: Faults,
): Rule | undefined {
  const path = `RULES[${index}]`;
  const shape = check(RuleSchema, input, path, faults);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { onFailure, retryJitter, partition, onMissing, cost, plan, ...given } =
    input as LimiterOptions & RequestOptions<Request> & { readonly path?: unknown };
  const policies = withAlgorithms(given.policies);
  checkRefundable(policies, path, faults);
  const requestOptions = { partition, onMissing, cost, plan, clientIp, plans };
  const limiterOptions = {
    ...defaults,
    ...(onFailure !== undefined && { onFailure }),
    ...(retryJitter !== undefined && { retryJitter }),
    ...(sharedDenials && { sharedDenials }),
  };
  // These checks find some of the schema's faults again, but also those that depend on several fields.
  const compile = () => {
    const isLong = typeof given.path === "string" && given.path.length > MAX_PATH;
    const context = {
      segments: namedSegments(isLong ? undefined : given.path),
      prefix: `${index}.`,
    };
    const options = requestOptions as RequestOptions<Request>;
    const read = compileRequest(options, policies, faults, context);
    const checked = checkSettings({ ...limiterOptions, policies: read.policies }, faults, read.by);
    return [checked, read] as const;
  };
  const [settings, reader] = onePerPath(faults, () =>
    rewritten(faults, compile, (fault) => {
      const remedy = fault.remedy
        .replace(PLANS_REMEDY, "Set PLANS, too: the plans that exist.")
        .replace(COST_REMEDY, RULE_COST_REMEDY);
      return { ...inToml({ ...fault, remedy }), path: `${path}.${fault.path}` };
    }),
  );
  const { method, path: pattern } = shape ?? { method: "*", path: "/" };
  return {
    route: { methods: [method].flat(), path: pattern },
    settings,
    reader,
    showsQuota: shape?.quota === true,
  };
}

/** Rejects what only the code that reserves can use. */
function checkRefundable(policies: readonly Policy[], path: string, faults: Faults): void {
  if (!Array.isArray(policies)) return;
  policies.forEach((policy: unknown, i) => {
    const { refundable } = Object(policy) as { refundable?: unknown };
    if (refundable === undefined) return;
    faults.add(
      `${path}.policies[${i}].refundable`,
      refundable,
      'Leave it out: the gateway does not know what a request really cost. What was no failure comes back with counts = "failures".',
    );
  });
}

/** Turns policies that name their algorithm into policies that contain its implementation. */
function withAlgorithms(policies: readonly Policy[]): readonly Policy[] {
  // Not map(), which skips the holes of a list.
  return Array.isArray(policies) ? (Array.from(policies, fromData) as Policy[]) : policies;
}
