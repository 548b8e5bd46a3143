import type { Reserve } from "../../decide/hold.ts";
import type { Limiter } from "../../decide/limiter-types.ts";
import { dimensionsOfRequests } from "../../features/dimensions-feature.ts";
import { EVERY_FEATURE } from "../../features/every-feature.ts";
import { buildLimiter } from "../../limiter/limiter.ts";
import type { Trial } from "../../store/control/trial.ts";
import type { GatewayConfig } from "../config/config.ts";
import { compilePasses, type PassesOn } from "../proxy/outgoing-fields.ts";
import { compileRoute, type RouteRequest } from "../route/route.ts";
import type { Ruleset } from "../rules/ruleset.ts";

/** The rules that a gateway enforces at a moment. A request ends under the rules with which it began. */
export interface InForce {
  /** The version of the live document; 0 for the deployed rules. */
  readonly version: number;
  readonly revision: number;
  readonly ruleset: Ruleset;
  /** Reserves where the gateway has holds. */
  readonly limiter: Limiter & Partial<Reserve>;
  readonly route: RouteRequest;
  /** Tells whether the origin gets a field of a request, unless `Connection` names it. */
  readonly passes: PassesOn;
  /** Makes the same as if there were no lists, for an operator's questions about a client that a list names. */
  readonly routeUnlisted: () => RouteRequest;
  /** Makes the same as if lists named no addresses, for a described request without an address. */
  readonly routeUnaddressed: () => RouteRequest;
  /** While another version is tried on a part of the clients: which rules are whose. */
  readonly sides?: Sides;
  /** Counts a decision about a client of one side, and whether it denied. */
  readonly count?: (isDenied: boolean) => void;
}

/** The two sides of the clients while a version is tried. */
export interface Sides {
  readonly trial: Trial;
  /** The rules for the client of a request: those of before where it has no identity. */
  of(request: Request, connection: string | undefined): Promise<InForce>;
  ofIdentity(identity: string | undefined): InForce;
}

/** The rules that a gateway enforces now. */
export interface Enforcement {
  now(): InForce;
  /** Why the published rules are not in force; `undefined` if they are. */
  error(): string | undefined;
}

/** Makes what a gateway needs to enforce rules. */
export interface EnforceRules {
  limiterOf(ruleset: Ruleset): InForce["limiter"];
  routesOf(
    ruleset: Ruleset,
  ): Pick<InForce, "route" | "passes" | "routeUnlisted" | "routeUnaddressed">;
}

export function enforceWith(config: GatewayConfig): EnforceRules {
  const { store, notices } = config;
  return {
    limiterOf: ({ rules, settings }) =>
      buildLimiter(
        store,
        {
          ...settings,
          ...(notices && { onNotice: notices.listenFor(rules), followNotice: notices.follow }),
        },
        { ...EVERY_FEATURE, dimensions: dimensionsOfRequests },
      ),

    routesOf(ruleset) {
      const unlisted = { ...ruleset, lists: undefined, refused: new Map() };
      const unaddressed = { ...ruleset, lists: ruleset.listsBesideAddresses };
      return {
        route: compileRoute(ruleset, config),
        passes: compilePasses(config.origin.trusted, ruleset.isImitation),
        routeUnlisted: () => compileRoute(unlisted, config),
        routeUnaddressed: () => compileRoute(unaddressed, config),
      };
    },
  };
}

/** The deployed rules, as long as the gateway runs. */
export function deployedRules(config: GatewayConfig): Enforcement {
  const { ruleset } = config;
  const { limiterOf, routesOf } = enforceWith(config);
  const inForce = {
    version: 0,
    revision: 0,
    ruleset,
    limiter: limiterOf(ruleset),
    ...routesOf(ruleset),
  };
  return { now: () => inForce, error: () => undefined };
}
