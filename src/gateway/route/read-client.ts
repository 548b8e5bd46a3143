import type { Decision } from "../../decision/decision.ts";
import { listedDecision, uncountedDecision } from "../../decision/listed.ts";
import { digestsOf, isRefused } from "../rules/digests.ts";
import type { Override } from "../rules/overrides.ts";
import type { Covered } from "./route.ts";

/** A request as the limiter of all rules takes it. */
export interface Client {
  /** By dimension. */
  readonly identities: Readonly<Record<string, string>>;
  readonly cost: Readonly<Record<string, number>>;
  readonly plan: string | undefined;
  /** Whose numbers it has. */
  readonly override: Override | undefined;
}

/** Reads who sends a request and what it costs under all rules that cover it; answers one that cannot be decided. */
export async function readClient(
  { rules, asked, overrides, refused }: Covered,
  request: Request,
): Promise<Client | Decision | Response> {
  const identities: Record<string, string> = {};
  const cost: Record<string, number> = {};
  let plan: string | undefined;
  for (const { reader, settings } of rules) {
    const found = await reader.read(request, asked);
    if (!("identities" in found)) return found;
    Object.assign(identities, found.identities);
    for (const { name } of settings.policies) {
      const units = typeof found.cost === "object" ? unitsOf(found.cost, name) : found.cost;
      if (units !== undefined) cost[name] = units;
    }
    plan ??= found.plan;
  }
  if (Object.keys(identities).length === 0) return uncountedDecision();
  const nowMs = Date.now();
  const digests = refused.size > 0 || overrides.hasDigests ? await digestsOf(identities) : [];
  if (isRefused(refused, digests, nowMs)) return listedDecision("blocked");
  const override = overrides.find(request.headers, identities, nowMs, digests);
  return { identities, cost, plan: override?.plan ?? plan, override };
}

/** A policy may be called like something that every object inherits. */
function unitsOf(cost: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(cost, name) ? cost[name] : undefined;
}
