import type { Cost } from "../decide/cost.ts";
import type { Hold } from "../decide/hold.ts";
import type { Operations, Reserve } from "../decide/limiter.ts";
import type { Decision } from "../decision/decision.ts";
import { uncountedDecision } from "../decision/listed.ts";
import { problemResponse } from "../decision/problem.ts";
import type { Failures } from "../features/holds/failures.ts";
import type { Tell } from "../features/telling/tell-decision.ts";
import type { LimiterOptions } from "../limiter/options.ts";
import type { Faults } from "../options/faults.ts";
import { FUNCTION, WITHOUT_FEATURE } from "../options/messages.ts";
import type { Asked, NamedSegments } from "../partition/asked.ts";
import type { Policy } from "../policy/policy.ts";
import { addMissingFields } from "./append-fields.ts";
import type { RequestFeatures } from "./every-feature.ts";
import { compilePartitions, withoutPartition } from "./partitions.ts";
import { compileCost } from "./request-cost.ts";
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
  /** Whether requests are reserved, and settled after their responses. */
  readonly needsHold: boolean;
  /** A decision that took nothing: as a hold where requests are reserved. */
  readonly asHold: (decision: Decision) => Decision | Hold;
  /** Tells who wants to know each decision. */
  readonly tell: Tell | undefined;
  /** Which responses are failures, for the policies that count them. */
  readonly failures: readonly Failures[];
  /** Reads a request, or decides it by a list, or answers one that cannot be decided. */
  readonly read: (context: Context, asked: Asked) => Promise<ReadRequest | Decision | Response>;
}

/** What a rule is compiled for besides its options. */
interface RuleContext {
  /** The names in the rule's path. */
  readonly segments: NamedSegments;
  /** Of the names of its dimensions. */
  readonly prefix: string;
}

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

/** Decides a request, or answers one that cannot be decided. The decision is a hold where requests are reserved. */
export async function limitRequest<Context>(
  { read, needsHold, asHold, tell }: RequestReader<Context>,
  limiter: Operations & Partial<Reserve>,
  context: Context,
  asked: Asked,
): Promise<Decision | Hold | Response> {
  const found = await read(context, asked);
  if (found instanceof Response) return found;
  const operation = needsHold ? "reserve" : "limit";
  if (!("identities" in found)) {
    const listed = asHold(found);
    tell?.(listed, { operation, identity: undefined });
    return listed;
  }
  const { identities, ...options } = found;
  const decision =
    Object.keys(identities).length === 0
      ? asHold(uncountedDecision())
      : await limiter[operation]!(identities, options);
  tell?.(decision, { operation, identity: identities });
  return decision;
}

/** Checks the options and compiles how requests are read. */
export function compileRequest<Context>(
  options: RequestOptions<Context> & Pick<LimiterOptions, "plans" | "onDecision">,
  given: readonly Policy[],
  { holds, lists, plans, telling }: RequestFeatures,
  faults: Faults,
  { segments, prefix = "" }: Partial<RuleContext> = {},
): RequestReader<Context> {
  // Not map(), which skips the holes of a list.
  const list = Array.isArray(given) ? Array.from(given as readonly Policy[]) : [];
  const partitions = compilePartitions(options, list, faults, segments, prefix);
  const findListed = lists?.compileRequestLists(options, list, faults);
  const readCost = compileCost(options.cost, list, faults);
  const readPlan = plans?.compilePlan(options.plan, options.plans, faults);
  if (!plans && options.plan !== undefined) {
    faults.add("plan", options.plan, WITHOUT_FEATURE, "plans");
  }
  if (options.onDenied !== undefined && typeof options.onDenied !== "function") {
    faults.add("onDenied", options.onDenied, FUNCTION, "returns a Response");
  }

  const needsHold = holds?.needsHold(list) ?? false;

  return {
    by: partitions.by,
    needsHold,
    asHold: needsHold ? holds!.withoutHold : (decision) => decision,
    tell: telling?.compile(options.onDecision, faults),
    failures: holds?.compileFailures(list, faults) ?? [],
    policies: Array.isArray(given) ? list.map(withoutPartition) : given,

    async read(context, asked) {
      const { identities, returned, isRefused } = await partitions.read(context, asked);
      const listed = findListed?.(asked.request, asked.bindings, returned);
      if (listed) return listed;
      if (isRefused) return missingIdentity();
      const plan = await readPlan?.(context, asked);
      return { identities, cost: await readCost(context), plan };
    },
  };
}

function missingIdentity(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request does not say whose quota it is to use.",
  });
}
