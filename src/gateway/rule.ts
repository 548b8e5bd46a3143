import * as z from "zod/mini";

import {
  compileRequest,
  COST_REMEDY,
  type RequestLimiter,
  type RequestOptions,
} from "../adapter/request-limiter.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import type { LimiterOptions } from "../limiter/options.ts";
import { checkSettings, type LimiterSettings } from "../limiter/settings.ts";
import type { Faults } from "../options/faults.ts";
import type { ClientIp } from "../partition/client-ip.ts";
import { LIST_REMEDY, POLICY_REMEDY } from "../policy/compile.ts";
import { fromData } from "../policy/from-data.ts";
import type { Policy } from "../policy/policy.ts";
import { check, reworded } from "./check.ts";
import type { Route } from "./select-rules.ts";

/** One rule, checked: which requests, and how they are limited. */
export interface Rule {
  readonly route: Route;
  readonly settings: LimiterSettings;
  readonly limitRequest: RequestLimiter<Request>;
}

/** What the rules take from the variables around them. */
export interface RuleDefaults extends Required<Pick<LimiterOptions, "prefix" | "onFailure">> {
  readonly clientIp: ClientIp;
  readonly sharedDenials: SharedDenials | undefined;
}

const methodRemedy =
  'Use "*" or methods in capitals, "POST" or ["GET", "POST"]; HEAD counts as GET.';
const Method = z.string(methodRemedy).check(z.regex(/^(?:\*|(?!HEAD$)[A-Z]{1,20})$/, methodRemedy));

const pathRemedy =
  'Begin with "/"; ":name" stands for one segment, a last "*" for the rest, "**" before it for any number of segments, and a "*" within a segment for any characters. Write what is not ASCII as it is read, not as escapes.';

/** `:name`, or a text that could be read in a path, with one `*` at most: no part of a URL's syntax, and no escape. */
const SEGMENT = /^(?::[\w-]+|(?!$|\.{1,2}$|\*$)[^\s\\:*?#%;{}]*(?:\*[^\s\\:*?#%;{}]*)?)$/;

/** What a rule may hold. Its policies and how it identifies are checked where those of code are. */
const RuleShape = z.strictObject(
  {
    method: z._default(
      z.union([Method, z.array(Method).check(z.minLength(1, methodRemedy))], methodRemedy),
      "*",
    ),
    path: z.string(pathRemedy).check(z.refine(isPath, pathRemedy)),
    policies: z.unknown(),
    partition: z.optional(z.unknown()),
    onMissing: z.optional(z.unknown()),
    cost: z.optional(z.unknown()),
    onFailure: z.optional(z.unknown()),
  },
  "A rule is a table of method, path, policies, partition, onMissing, cost, onFailure, and nothing else.",
);

/** A policy as a configuration has it. */
const EXAMPLE = '{ algorithm = "token-bucket", name = "api", limit = 20, refill = 10, per = "1s" }';

/** What to do about a rule, in TOML where the options' own remedies are in TypeScript. */
const IN_TOML: Readonly<Record<string, string>> = {
  [LIST_REMEDY]: `Give a list of 1 to 16 policies, such as policies = [${EXAMPLE}].`,
  [POLICY_REMEDY]: `Give a policy, such as ${EXAMPLE}.`,
  [COST_REMEDY]: "Give a whole number of units from 0.",
};

/** Which requests a rule is about, so that nobody has to count rules to find it; empty if it does not say. */
export function routeOf(rule: unknown): string {
  const { method = "*", path } = Object(rule) as Record<string, unknown>;
  const methods = [method].flat();
  if (typeof path !== "string" || !methods.every((each) => typeof each === "string")) return "";
  const route = `${methods.join(", ")} ${path}`;
  return route.length <= 100 && /^[A-Z*, ]+ \/\S*$/.test(route) ? route : "";
}

/** Says of the faults found meanwhile in which rule they are, and what to do about them in TOML. */
export function inRule<Result>(rule: unknown, faults: Faults, find: () => Result): Result {
  const route = routeOf(rule);
  const place = route && ` (In the rule for ${route}.)`;
  return reworded(faults, find, (remedy) => (IN_TOML[remedy] ?? remedy) + place);
}

/** Checks a rule and compiles it; `undefined` if it is none at all. */
export function readRule(
  input: unknown,
  path: string,
  { clientIp, sharedDenials, ...defaults }: RuleDefaults,
  faults: Faults,
): Rule | undefined {
  const shape = check(RuleShape, input, path, faults);
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const own = faults.within(path);
  const { onFailure, partition, onMissing, cost, ...given } = input as LimiterOptions &
    RequestOptions<Request>;
  const policies = withAlgorithms(given.policies);
  const settings = checkSettings(
    {
      policies,
      ...defaults,
      ...(onFailure !== undefined && { onFailure }),
      ...(sharedDenials && { sharedDenials }),
    },
    own,
  );
  const requestOptions = { partition, onMissing, cost, clientIp } as RequestOptions<Request>;
  const limitRequest = compileRequest(requestOptions, policies, own);
  const { method, path: pattern } = shape ?? { method: "*", path: "/" };
  return {
    route: { methods: [method].flat(), path: pattern },
    settings,
    limitRequest,
  };
}

/** The policies of a configuration are data, which names its algorithms. */
function withAlgorithms(policies: readonly Policy[]): readonly Policy[] {
  // Not map(), which passes over the holes of a list.
  return Array.isArray(policies) ? (Array.from(policies, fromData) as Policy[]) : policies;
}

function isPath(path: string): boolean {
  const [before, ...segments] = path.split("/");
  const last = segments.pop();
  const gap = segments.indexOf("**");
  return (
    before === "" &&
    last !== undefined &&
    (last === "" || last === "*" || SEGMENT.test(last)) &&
    segments.every((segment, i) => i === gap || SEGMENT.test(segment))
  );
}
