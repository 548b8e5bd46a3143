import type { Client, Listed, Unidentified } from "../../adapter/request-reader.ts";
import { listedDecision } from "../../decide/listed.ts";
import type { RequestData } from "../../partition/request-data.ts";
import { digestsOf, isRefused } from "../rules/digests.ts";
import type { Override } from "../rules/find-override.ts";
import type { Rule } from "../rules/rule.ts";
import type { Ruleset } from "../rules/ruleset.ts";

/** A request as the limiter of all rules takes it. */
export interface RuledClient extends Client {
  /** By policy; `undefined` if each costs one unit. */
  readonly cost: Readonly<Record<string, number>> | undefined;
  /** Whose numbers it has. */
  readonly override: Override | undefined;
}

/** Reads the client and the cost of a request under these rules, all of which cover it. */
export async function readClient(
  { overrides, refused }: Pick<Ruleset, "overrides" | "refused">,
  rules: readonly Rule[],
  request: Request,
  data: RequestData,
): Promise<RuledClient | Listed | Unidentified> {
  const identities: Record<string, string> = {};
  let cost: Record<string, number> | undefined;
  let plan: Client["plan"];
  for (const { reader, settings } of rules) {
    const reading = reader.read(request, data);
    const read = reading instanceof Promise ? await reading : reading;
    if (read.kind !== "client") return read;
    Object.assign(identities, read.identities);
    for (const { name } of settings.policies) {
      const units = typeof read.cost === "object" ? unitsOf(read.cost, name) : read.cost;
      if (units !== undefined) (cost ??= {})[name] = units;
    }
    plan ??= read.plan;
  }
  const nowMs = Date.now();
  const digests = refused.size > 0 || overrides.hasDigests ? await digestsOf(identities) : [];
  if (isRefused(refused, digests, nowMs)) {
    return { kind: "listed", decision: listedDecision("blocked") };
  }
  const override = overrides.find(request.headers, identities, nowMs, digests);
  return { kind: "client", identities, cost, plan: override?.plan ?? plan, override };
}

/** A policy may be called like something that every object inherits. */
function unitsOf(cost: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(cost, name) ? cost[name] : undefined;
}
