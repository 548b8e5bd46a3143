import { decideRequest } from "../adapter/request-reader.ts";
import type { Decision } from "../decide/decision.ts";
import type { Hold } from "../decide/hold.ts";
import { EVERY_FEATURE } from "../features/every-feature.ts";
import type { Counter } from "../metrics/counter.ts";
import { requestReporter } from "../runtime/log.ts";
import { monotonicNow } from "../runtime/time.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { InForce } from "./live/in-force.ts";
import type { Routed } from "./route/route.ts";
import type { Rule } from "./rules/rule.ts";

/** Whether a request goes on to the origin. */
export type Admission =
  | { readonly kind: "answered"; readonly response: Response }
  /** The gateway gives a browser its permission, or none. */
  | { readonly kind: "preflight" }
  /** It goes on as it is. */
  | { readonly kind: "unlimited" }
  /** It goes on, and its response has the fields of the decision. */
  | {
      readonly kind: "allowed";
      readonly decision: Decision | Hold;
      readonly rules: readonly Rule[];
    };

/** Decides by the rules in force whether a request goes on, and counts it. */
export type Admit = (
  inForce: InForce,
  request: Request,
  connection: string | undefined,
  counter: Counter | undefined,
) => Promise<Admission>;

const UNLIMITED = { kind: "unlimited" } as const;
const PREFLIGHT = { kind: "preflight" } as const;

export function compileAdmit(config: GatewayConfig): Admit {
  const reportPassed = requestReporter(monotonicNow);
  return async function admit({ route, limiter, count }, request, connection, counter) {
    try {
      const routed = await route(request, connection);
      switch (routed.kind) {
        case "uncovered":
          counter?.passed();
          count?.(false);
          return UNLIMITED;
        case "preflight":
          counter?.preflight();
          return PREFLIGHT;
        case "refused":
          counter?.answered(routed.response);
          count?.(true);
          return { kind: "answered", response: routed.response };
        case "unidentified":
          counter?.refused(routed.rules);
          count?.(true);
          return { kind: "answered", response: routed.response };
        default: {
          const decision = await decide(routed, limiter, config, request, counter);
          const { rules } = routed;
          // An outage is no fault of a version.
          if (decision.reason !== "store-unavailable") count?.(!decision.allowed);
          if (decision.allowed) return { kind: "allowed", decision, rules };
          return { kind: "answered", response: decision.response() };
        }
      }
    } catch (error) {
      counter?.failed();
      if (config.onError === "refuse") throw error;
      const { message } = error as Error;
      reportPassed(`a request passed unlimited, because the gateway failed: ${message}`);
      return UNLIMITED;
    }
  };
}

/** Decides a request by all rules that cover it, together. The decision is a hold if one of them needs it. */
async function decide(
  routed: Extract<Routed, { readonly kind: "client" | "listed" }>,
  limiter: InForce["limiter"],
  { denialLog, listener, nearest }: GatewayConfig,
  request: Request,
  counter: Counter | undefined,
): Promise<Decision | Hold> {
  const { rules } = routed;
  const holds = rules.some(({ reader }) => reader.operation === "reserve");
  const operation = holds ? "reserve" : "limit";
  nearest?.note(request);
  const withoutHold = EVERY_FEATURE.holds.withoutHold;
  const decision = await decideRequest(routed, limiter, { operation, withoutHold, listener });
  const client = routed.kind === "client" ? routed : undefined;
  counter?.decided(rules, decision, client?.identities, request.headers);
  denialLog?.note(rules, decision, client?.identities);
  return decision;
}
