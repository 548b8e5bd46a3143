import type { Decision } from "../decision/decision.ts";
import { problemResponse } from "../decision/problem.ts";
import type { Cost } from "../limiter/cost.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { Plans } from "../limiter/plans.ts";
import type { Faults } from "../options/faults.ts";
import type { Asked, NamedSegments } from "../partition/asked.ts";
import type { Policy } from "../policy/policy.ts";
import { addMissingFields } from "./append-fields.ts";
import { compilePartitions, withoutPartition } from "./partitions.ts";
import { compilePlan } from "./plan.ts";
import type { RequestOptions } from "./request-options.ts";

/** A request as a limiter takes it. */
export interface ReadRequest {
  readonly identities: Readonly<Record<string, string>>;
  readonly cost: Cost | undefined;
  readonly plan: string | undefined;
}

/** How requests are read, compiled from options. */
export interface RequestReader<Context> {
  /** The policies without what only the reader needs. */
  readonly policies: readonly Policy[];
  /** For each policy, the dimension that it counts by. */
  readonly by: readonly string[];
  /** Reads a request, or answers one that cannot be decided. */
  readonly read: (context: Context, asked: Asked) => Promise<ReadRequest | Response>;
}

/** What a rule is compiled for besides its options. */
interface RuleContext {
  /** The names in the rule's path. */
  readonly segments: NamedSegments;
  /** Of the names of its dimensions. */
  readonly prefix: string;
}

/** The remedy for an invalid cost. */
export const COST_REMEDY =
  "Give a whole number of units from 0, one for each of some policies by their names, or a function that returns either.";

/** The answer to a denied request: the response of `onDenied` with the decision's fields, else the decision's own. */
export async function answerDenied<Context>(
  { onDenied }: Pick<RequestOptions<Context>, "onDenied">,
  context: Context,
  decision: Decision,
): Promise<Response> {
  const answer = await onDenied?.(context, decision);
  // Untyped code may return nothing.
  return answer ? addMissingFields(answer, decision.headers()) : decision.response();
}

/** Decides a request, or answers one that cannot be decided. */
export async function limitRequest<Context>(
  { read }: RequestReader<Context>,
  limiter: Limiter,
  context: Context,
  asked: Asked,
): Promise<Decision | Response> {
  const found = await read(context, asked);
  if (found instanceof Response) return found;
  const { identities, ...options } = found;
  return limiter.limit(identities, options);
}

/** Checks the options and compiles how requests are read. */
export function compileRequest<Context>(
  options: RequestOptions<Context> & { readonly plans?: Plans },
  given: readonly Policy[],
  faults: Faults,
  { segments, prefix = "" }: Partial<RuleContext> = {},
): RequestReader<Context> {
  const { cost, onDenied, plan, plans } = options;
  // Not map(), which skips the holes of a list.
  const list = Array.isArray(given) ? Array.from(given as readonly Policy[]) : [];
  const { by, read } = compilePartitions(options, list, faults, segments, prefix);
  const readPlan = compilePlan(plan, plans, faults);
  if (onDenied !== undefined && typeof onDenied !== "function") {
    faults.add("onDenied", onDenied, "Give a function that returns a Response.");
  }
  if (typeof cost !== "function") checkCosts(cost, list, faults);
  list.forEach((policy, i) => {
    const dimension: unknown = Object(policy).by;
    if (dimension === undefined) return;
    faults.add(
      `policies[${i}].by`,
      dimension,
      'Use partition: a list of sources such as ["ip"], or "*". `by` is for createLimiter().',
    );
  });

  return {
    by,
    policies: Array.isArray(given)
      ? list.map((policy) => (Object(policy) === policy ? withoutPartition(policy) : policy))
      : given,

    async read(context, asked) {
      const identities = await read(context, asked);
      if (identities === undefined) return missingIdentity();
      return {
        identities,
        cost: typeof cost === "function" ? await cost(context) : cost,
        plan: await readPlan?.(context, asked),
      };
    },
  };
}

function checkCosts(cost: Cost | undefined, policies: readonly Policy[], faults: Faults): void {
  if (typeof cost !== "object" || cost === null) {
    if (cost !== undefined) checkCost(cost, "cost", policies, faults);
    return;
  }
  for (const [name, units] of Object.entries(cost)) {
    const named = policies.filter((policy) => Object(policy).name === name);
    if (named.length === 0) {
      faults.add(`cost.${name}`, units, "Use the name of a policy of this list.");
    } else {
      checkCost(units, `cost.${name}`, named, faults);
    }
  }
}

function checkCost(cost: unknown, path: string, policies: readonly Policy[], faults: Faults): void {
  if (!Number.isSafeInteger(cost) || Number(cost) < 0) {
    faults.add(path, cost, COST_REMEDY);
    return;
  }
  // A limit below 1 is a fault of its own.
  const tooSmall = policies.some((policy) => {
    const { limit, counts, mode = "enforce" } = Object(policy) as Policy;
    const refuses = counts !== "denials" && mode === "enforce";
    return refuses && Number.isInteger(limit) && limit >= 1 && Number(cost) > limit;
  });
  if (tooSmall) {
    faults.add(
      path,
      cost,
      "It is above a policy's limit, so no request could pass: lower it, or raise the limit.",
    );
  }
}

function missingIdentity(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request does not say whose quota it is to use.",
  });
}
