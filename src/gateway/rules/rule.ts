import type { PlainRequestOptions } from "../../adapter/request-options.ts";
import { compileRequest, type RequestReader } from "../../adapter/request-reader.ts";
import { EVERY_FEATURE } from "../../features/every-feature.ts";
import type { TokenReader } from "../../features/jwt/read-token.ts";
import type { Plans } from "../../features/plans.ts";
import type { SharedDenials } from "../../features/shared-denials.ts";
import type { LimiterOptions } from "../../limiter/options.ts";
import { checkSettings, type LimiterSettings } from "../../limiter/settings.ts";
import type { Faults } from "../../options/faults.ts";
import { OF_POLICIES, refuseNames } from "../../options/names-elsewhere.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { isRecord } from "../../options/record.ts";
import type { ClientIp } from "../../partition/client-ip.ts";
import { fromData } from "../../policy/from-data.ts";
import type { Policy } from "../../policy/policy.ts";
import { check } from "./check-shape.ts";
import { namedSegments } from "./named-segments.ts";
import { MAX_PATH, RuleShape } from "./schema.ts";
import type { Route } from "./select-rules.ts";
import { REFUND_IN_RULE } from "./variable-messages.ts";

/** A checked rule: the requests it covers, and how they are limited. */
export interface Rule {
  readonly route: Route;
  readonly settings: LimiterSettings;
  readonly reader: RequestReader<Request>;
  /** Whether a client may read its remaining quota. */
  readonly showsQuota: boolean;
}

/** Values of the other variables that apply to all rules. */
export interface RuleDefaults extends Required<Pick<LimiterOptions, "prefix" | "onFailure">> {
  readonly clientIp: ClientIp;
  readonly sharedDenials: SharedDenials | undefined;
  readonly plans: Plans | undefined;
  /** Reads tokens; `undefined` without `JWT`. */
  readonly tokenReader: TokenReader | undefined;
}

/** A rule's methods and path, which identify it without counting; empty if they are not readable. */
export function routeOf(rule: unknown): string {
  const { method = "*", path } = Object(rule) as Record<string, unknown>;
  const methods = [method].flat();
  if (typeof path !== "string" || !methods.every((each) => typeof each === "string")) return "";
  const isReadable =
    /^\/\S*$/.test(path) &&
    methods.every((each) => /^(?:[A-Z]+|\*)$/.test(each)) &&
    methods.length > 0;
  const route = `${methods.join(", ")} ${path}`;
  return isReadable && route.length <= 100 ? route : "";
}

/** Collects the faults of a rule, with its route. */
export function inRule(rule: unknown, faults: Faults): Faults {
  const route = routeOf(rule);
  const note = route && ` (In the rule for ${route}.)`;
  return new PlacedFaults(faults, { pathsOf: (path) => [path], note });
}

/** Checks a rule and compiles it; `undefined` if it is not a table. */
export function readRule(
  input: unknown,
  index: number,
  { clientIp, sharedDenials, plans, tokenReader, ...defaults }: RuleDefaults,
  faults: Faults,
): Rule | undefined {
  const path = `RULES[${index}]`;
  const shape = check(RuleShape, input, path, faults);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { onFailure, retryJitter, partition, onMissing, cost, plan, ...fields } =
    input as LimiterOptions & PlainRequestOptions<Request> & { readonly path?: unknown };
  const own = new PlacedFaults(faults, { pathsOf: (at) => [`${path}.${at}`] });
  const policies = readPolicies(fields.policies, own);
  const requestOptions = { partition, onMissing, cost, plan, clientIp, plans };
  const limiterOptions = {
    ...defaults,
    ...(onFailure !== undefined && { onFailure }),
    ...(retryJitter !== undefined && { retryJitter }),
    ...(sharedDenials && { sharedDenials }),
  };
  const isLong = typeof fields.path === "string" && fields.path.length > MAX_PATH;
  const context = {
    segments: namedSegments(isLong ? undefined : fields.path),
    prefix: `${index}.`,
    tokenReader,
  };
  const options = requestOptions as PlainRequestOptions<Request>;
  const reader = compileRequest(options, policies, EVERY_FEATURE, own, context);
  const settings = checkSettings(
    { ...limiterOptions, policies: reader.policies },
    EVERY_FEATURE,
    own,
    reader.by,
  );
  const { method, path: pattern } = shape ?? { method: "*", path: "/" };
  return {
    route: { methods: [method].flat(), path: pattern },
    settings,
    reader,
    showsQuota: shape?.quota === true,
  };
}

/**
 * The policies with the implementations of the algorithms that they name, and without what only the code that reserves can
 * use, which is a fault.
 */
function readPolicies(policies: readonly Policy[], faults: Faults): readonly Policy[] {
  if (!Array.isArray(policies)) return policies;
  // Not map(), which skips the holes of a list.
  return Array.from(policies, (value: unknown, i) => {
    if (!isRecord(value)) return value as Policy;
    const { refundable, ...policy } = refuseNames(value, OF_POLICIES, `policies[${i}].`, faults);
    if (refundable !== undefined) {
      faults.add(`policies[${i}].refundable`, refundable, REFUND_IN_RULE);
    }
    return fromData(policy) as Policy;
  });
}
