import { decideRequest, LOOK } from "../adapter/request-reader.ts";
import { renewalOf } from "../algorithms/calendar-definition.ts";
import type { Decision, PolicyDecision } from "../decide/decision.ts";
import type { InForce } from "../gateway/live/in-force.ts";
import type { RuledClient } from "../gateway/route/read-client.ts";
import type { Rule } from "../gateway/rules/rule.ts";
import type { Ruleset } from "../gateway/rules/ruleset.ts";
import { partitionName } from "../metrics/partition-name.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { ExplainedPolicy, ExplainedRule, Explanation, ListedEntry } from "./administered.ts";
import type { RequestAsData } from "./describe-request.ts";

/** Explains the decision about a request now, by the same steps that decide it, without taking units. */
export async function explain(
  { version, ruleset, limiter, route }: InForce,
  { request, connection }: RequestAsData,
  entriesOf: (list: "allow" | "deny") => Promise<readonly ListedEntry[]>,
): Promise<Explanation> {
  const routed = await route(request, connection);
  if (routed.kind === "uncovered") {
    return { verdict: "passed", status: 200, reason: "no rule covers it", version, rules: [] };
  }
  if (routed.kind === "preflight") {
    return {
      verdict: "passed",
      status: 204,
      reason: "the gateway answers preflights",
      version,
      rules: [],
    };
  }
  if (routed.kind === "refused" || routed.kind === "unidentified") {
    return refusal(routed.response, version, entriesOf);
  }
  const decision = await decideRequest(routed, limiter, LOOK);
  const client = routed.kind === "client" ? routed : undefined;
  const rules = await Promise.all(
    routed.rules.map((rule) => explainRule(rule, ruleset, decision, client, request.headers)),
  );
  const verdict = explainedVerdict(decision);
  const list = LISTS[verdict];
  return {
    verdict,
    status: decision.status,
    reason: decision.reason,
    ...(!decision.allowed &&
      Number.isFinite(decision.retryAfterMs) && {
        retryAfter: Math.ceil(decision.retryAfterMs / 1000),
      }),
    version,
    ...(list && { entries: await entriesOf(list) }),
    ...planOf(client),
    rules,
  };
}

/** The list whose entries are behind a verdict. */
const LISTS: Partial<Record<Explanation["verdict"], "allow" | "deny">> = {
  exempt: "allow",
  blocked: "deny",
};

async function refusal(
  response: Response,
  version: number,
  entriesOf: Parameters<typeof explain>[2],
): Promise<Explanation> {
  const { status } = response;
  const { detail } = (await response.json()) as { readonly detail: string };
  const isBlocked = status === 403;
  return {
    verdict: isBlocked ? "blocked" : "refused",
    status,
    reason: detail,
    version,
    ...(isBlocked && { entries: await entriesOf("deny") }),
    rules: [],
  };
}

function explainedVerdict({ allowed, reason }: Decision): Explanation["verdict"] {
  if (reason === "exempt" || reason === "blocked") return reason;
  return allowed ? "allowed" : "denied";
}

function planOf(client: RuledClient | undefined): Pick<Explanation, "plan" | "override"> {
  const { plan, override } = client ?? {};
  return {
    ...(typeof plan === "string" && { plan }),
    ...(override && { override: override.identity }),
  };
}

async function explainRule(
  rule: Rule,
  { rules, settings: { plans } }: Ruleset,
  { policies, shadow }: Decision,
  client: RuledClient | undefined,
  headers: Headers,
): Promise<ExplainedRule> {
  const { route, settings } = rule;
  const rows = [...policies, ...shadow];
  const plan = client?.plan;
  const planned = (typeof plan === "object" ? plan.policies : plans.get(plan ?? "")) ?? [];
  return {
    index: rules.indexOf(rule),
    method: route.methods.join(", "),
    path: route.path,
    policies: await Promise.all(
      settings.policies.flatMap((policy) => {
        const row = rows.find(({ name }) => name === policy.name);
        const counted = planned.find(({ name }) => name === policy.name) ?? policy;
        return row && client ? [explainPolicy(counted, row, client, headers)] : [];
      }),
    ),
  };
}

async function explainPolicy(
  { name, algorithm, mode, by, parameters }: CompiledPolicy,
  { limit, remaining, retryAfterMs, resetAfterMs, allowed }: PolicyDecision,
  { identities }: RuledClient,
  headers: Headers,
): Promise<ExplainedPolicy> {
  const identity = identities[by!]!;
  const partition = readable(identity, headers);
  const digest = await partitionName(identity, "hashed");
  // JSON has no infinity.
  const waitMs = Number.isFinite(retryAfterMs) ? retryAfterMs : null;
  const renewal = renewalOf(parameters);
  return {
    name,
    // As rules name it: a window of a calendar is one of a fixed window's.
    algorithm: algorithm === "calendar-window" ? "fixed-window" : algorithm,
    mode,
    partition,
    ...(digest !== identity && { digest }),
    limit,
    remaining,
    retryAfterMs: waitMs,
    // A look is always the store's, and never ahead of it.
    resetAfterMs: resetAfterMs!,
    ...(renewal && {
      renewsAt: new Date(renewal.atMs).toISOString(),
      timeZone: renewal.timeZone,
    }),
    allowed,
  };
}

/** An identity in which the values of headers, which are hashed in keys, are readable again. */
export function readable(identity: string, headers: Headers): string {
  return identity
    .split(",")
    .map((fact) => {
      const name = fact.slice(0, Math.max(0, fact.indexOf(":")));
      const value =
        /^(?:ip|subnet|asn|country)?$/.test(name) || fact.includes(":", name.length + 1)
          ? null
          : headers.get(name);
      return value === null ? fact : `${name}:${value}`;
    })
    .join(",");
}
