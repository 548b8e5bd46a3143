import type { Cost } from "../decide/cost.ts";
import type { Decision } from "../decide/decision.ts";
import type { Hold } from "../decide/hold.ts";
import type { Limiter, Reserve } from "../decide/limiter.ts";
import { uncountedDecision } from "../decide/listed.ts";
import type { DecisionListener } from "../features/decision-listener.ts";
import type { OwnNumbers } from "../policy/own-numbers.ts";

/** A request that a limiter decides. */
export interface Client {
  readonly kind: "client";
  /** By dimension; empty if no policy counts the request. */
  readonly identities: Readonly<Record<string, string>>;
  readonly cost: Cost | undefined;
  readonly plan: string | OwnNumbers | undefined;
}

/** A request that a list decides. */
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

/** How requests are decided. */
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
