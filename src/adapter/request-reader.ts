import type { Decision } from "../decide/decision.ts";
import type { Hold, Reserve } from "../decide/hold.ts";
import type { Cost, Limiter } from "../decide/limiter-types.ts";
import { uncountedDecision } from "../decide/listed.ts";
import { problemResponse } from "../decide/problem.ts";
import { compileListener, type DecisionListener } from "../features/decision-listener.ts";
import type { Features } from "../features/features.ts";
import type { Failures } from "../features/holds/failures.ts";
import type { TokenReader } from "../features/jwt/read-token.ts";
import type { LimiterOptions } from "../limiter/options.ts";
import type { Faults } from "../options/faults.ts";
import { FUNCTION, NO_JWT, PLAN_WITHOUT_PLANS } from "../options/messages.ts";
import { claimNameIn } from "../partition/claims.ts";
import { fieldNameIn } from "../partition/field-names.ts";
import type { NamedSegments, RequestData } from "../partition/request-data.ts";
import type { OwnNumbers } from "../policy/own-numbers.ts";
import type { Policy } from "../policy/policy.ts";
import { compilePartitions, type Identified, withoutPartition } from "./partitions.ts";
import { compileCost } from "./request-cost.ts";
import type { PlainRequestOptions } from "./request-options.ts";

export interface RequestReader<Context> extends DecideOptions {
  /** The policies without what only the reader needs. */
  readonly policies: readonly Policy[];
  /** For each policy, the dimension that it counts by. */
  readonly by: readonly string[];
  /** The names of the header fields that are read, in lower case. */
  readonly fields: readonly string[];
  /** Requests are reserved where they are settled after their responses. */
  readonly operation: "limit" | "reserve";
  /** The responses that are failures, for the policies that count them. */
  readonly failures: readonly Failures[];
  /** Without a promise unless something has to be waited for. */
  readonly read: (context: Context, data: RequestData) => ReadRequest | Promise<ReadRequest>;
}

/** The parts of a rule besides its options. */
interface RuleContext {
  /** The names in the rule's path. */
  readonly segments: NamedSegments;
  /** Begins the names of its dimensions. */
  readonly prefix: string;
  /** Reads tokens for all rules; `undefined` where none are verified. */
  readonly tokenReader: TokenReader | undefined;
}

export function compileRequest<Context>(
  options: PlainRequestOptions<Context> & Pick<LimiterOptions, "plans" | "onDecision">,
  policies: readonly Policy[],
  { holds, jwt, lists, plans, optimistic, sources: kinds }: Features,
  faults: Faults,
  { segments, prefix = "", tokenReader: ofAllRules }: Partial<RuleContext> = {},
): RequestReader<Context> {
  // Not map(), which skips the holes of a list.
  const list = Array.isArray(policies) ? Array.from(policies as readonly Policy[]) : [];
  const tokenReader = ofAllRules ?? jwt?.compile(options.jwt, "jwt", faults);
  // A plain option is a fault elsewhere.
  const verifies = tokenReader !== undefined || options.jwt !== undefined;
  const context = { kinds, verifies, segments, prefix };
  const partitions = compilePartitions(options, list, context, faults);
  const listed = lists?.compileRequestLists(options, list, faults);
  const readCost = compileCost(options.cost, list, optimistic, faults);
  const readPlan = plans?.compilePlan(options.plan, options.plans, faults);
  if (!verifies && claimNameIn(options.plan)) faults.add("plan", options.plan, NO_JWT);
  if (!plans && options.plan !== undefined) faults.add("plan", options.plan, PLAN_WITHOUT_PLANS);
  if (options.onDenied !== undefined && typeof options.onDenied !== "function") {
    faults.add("onDenied", options.onDenied, FUNCTION, "returns a Response");
  }

  function readMore(
    context: Context,
    data: RequestData,
    { identities, returned, isRefused }: Identified,
  ): ReadRequest | Promise<ReadRequest> {
    const decision = listed?.find(data.request, data.connection, returned);
    if (decision) return { kind: "listed", decision };
    if (isRefused) return { kind: "unidentified", response: missingIdentity() };
    if (!readPlan && typeof options.cost !== "function") {
      return { kind: "client", identities, cost: options.cost, plan: undefined };
    }
    return Promise.resolve(readPlan?.(context, data)).then(async (plan) => ({
      kind: "client",
      identities,
      cost: await readCost(context),
      plan,
    }));
  }

  function readIdentified(context: Context, data: RequestData): ReadRequest | Promise<ReadRequest> {
    const identified = partitions.read(context, data);
    return identified instanceof Promise
      ? identified.then((found) => readMore(context, data, found))
      : readMore(context, data, identified);
  }

  const sources = sourcesIn(options, list);
  const verifying = sources.some((source) => claimNameIn(source) !== undefined)
    ? tokenReader
    : undefined;
  const readVerified = verifying?.withClaims(readIdentified);
  // Lists of identities that a function returns need the claims first.
  const listedBefore = typeof options.partition === "function" ? undefined : listed;

  return {
    by: partitions.by,
    fields: [
      ...sources.map(fieldNameIn).filter((name) => name !== undefined),
      ...(verifying ? [verifying.field] : []),
      ...(listed?.fields ?? []),
    ],
    operation: holds?.needsHold(list) ? "reserve" : "limit",
    withoutHold: holds?.withoutHold,
    listener: compileListener(options.onDecision, faults),
    failures: holds?.compileFailures(list, faults) ?? [],
    policies: Array.isArray(policies) ? list.map(withoutPartition) : policies,

    read(context, data) {
      if (!readVerified) return readIdentified(context, data);
      // A client that a list has costs no signature.
      const decision = listedBefore?.find(data.request, data.connection);
      return decision ? { kind: "listed", decision } : readVerified(context, data);
    },
  };
}

/** All sources of identities, and the plan's. */
function sourcesIn(
  { partition, plan }: { readonly partition?: unknown; readonly plan?: unknown },
  policies: readonly Policy[],
): readonly unknown[] {
  const own = policies.map((policy) => Object(policy).partition as unknown);
  return [partition, ...own, plan].flat(2);
}

function missingIdentity(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The request does not say whose quota it is to use.",
  });
}

/** A request that a limiter decides. */
export interface Client {
  readonly kind: "client";
  /** By dimension; empty if no policy counts the request. */
  readonly identities: Readonly<Record<string, string>>;
  readonly cost: Cost | undefined;
  readonly plan: string | OwnNumbers | undefined;
}

export interface Listed {
  readonly kind: "listed";
  readonly decision: Decision;
}

/** A request that lacks an identity, which a policy asks for. */
export interface Unidentified {
  readonly kind: "unidentified";
  readonly response: Response;
}

/** A request, read: its client, the list that has it, or the answer without an identity. */
export type ReadRequest = Client | Listed | Unidentified;

export interface DecideOptions {
  readonly operation: "limit" | "reserve" | "peek";
  /** Makes a decision that took nothing a hold, for requests that are reserved. */
  readonly withoutHold: ((decision: Decision) => Hold) | undefined;
  /** Tells a listener each decision. */
  readonly listener: DecisionListener | undefined;
}

/** Decides a request by its limiter, or without it. The decision is a hold where requests are reserved. */
export function decideRequest(
  read: Client | Listed,
  limiter: Limiter & Partial<Reserve>,
  { operation, withoutHold, listener }: DecideOptions,
): Promise<Decision | Hold> {
  const identity = read.kind === "client" ? read.identities : undefined;
  let decision: Promise<Decision | Hold>;
  if (read.kind === "client" && Object.keys(read.identities).length > 0) {
    const { identities, cost } = read;
    // A limiter of one's own has plans by their names; only rules give clients numbers of their own.
    const plan = read.plan as string | undefined;
    decision = limiter[operation]!(identities, { cost, plan });
  } else {
    const free = read.kind === "listed" ? read.decision : uncountedDecision();
    decision = Promise.resolve(operation === "reserve" ? withoutHold!(free) : free);
  }
  if (!listener) return decision;
  return decision.then((own) => {
    listener(own, { operation, identity });
    return own;
  });
}

/** Takes no units, and calls no listener. */
export const LOOK: DecideOptions = {
  operation: "peek",
  withoutHold: undefined,
  listener: undefined,
};
