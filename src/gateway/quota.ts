import { type Client, decideRequest, LOOK } from "../adapter/request-reader.ts";
import { fixedWindow } from "../algorithms/fixed-window.ts";
import type { PolicyDecision } from "../decide/decision.ts";
import { buildLimiter } from "../limiter/limiter.ts";
import { checkSettings } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import { clientIp as addressOf } from "../partition/client-ip.ts";
import { openMemoryStore } from "../store/memory-store.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Enforcement, InForce } from "./live/in-force.ts";
import { ownIdentity } from "./live/sides.ts";
import { readClient } from "./route/read-client.ts";
import { notFound } from "./route/route.ts";

/** The limit of questions per address: a page that shows the remaining quota asks once in several seconds. */
const ASKS = fixedWindow({ name: "quota", limit: 60, window: "1m" });

/**
 * Answers with a client's remaining quota under the rules with `quota: true`, without taking units. 404 if there is no
 * such rule. It costs one call of the store, and one more for each further plan that the rules give the client. Each
 * address may ask an isolate 60 times a minute, which only the isolate counts; requests without an address share one
 * count.
 */
export function answerQuota(
  { clientIp }: GatewayConfig,
  enforcement: Enforcement,
): (request: Request, connection: string | undefined) => Promise<Response> {
  const settings = checkSettings({ policies: [ASKS] }, {}, new Faults());
  const asks = buildLimiter(openMemoryStore(), settings, {});

  /** The rules of the client's side. A rule that shows its quota says who the client is. */
  async function inForceFor(request: Request, connection: string | undefined): Promise<InForce> {
    const current = enforcement.now();
    if (!current.sides) return current;
    const { ruleset } = current;
    const rules = ruleset.rules.filter(({ showsQuota }) => showsQuota);
    const read = await readClient(ruleset, rules, request, { request, connection, readings: [] });
    return current.sides.ofIdentity(
      read.kind === "client" ? ownIdentity(read.identities) : undefined,
    );
  }

  return async function quota(request, connection) {
    const inForce = await inForceFor(request, connection);
    const rules = inForce.ruleset.rules.filter(({ showsQuota }) => showsQuota);
    if (rules.length === 0) return notFound();
    const listed = inForce.ruleset.lists?.(request, connection);
    if (listed && !listed.allowed) return listed.response();
    const address = addressOf(request.headers, clientIp, connection) ?? "unknown";
    const asked = await asks.limit(address);
    if (!asked.allowed) return asked.response();
    const clients = new Map<Client["plan"], Client>();
    for (const rule of rules) {
      // No reading: policies that count by a path segment have no state here.
      const asked = { request, connection, readings: [] };
      const read = await readClient(inForce.ruleset, [rule], request, asked);
      if (read.kind === "listed") return read.decision.response();
      if (read.kind === "unidentified") continue;
      const { plan } = read;
      const identities = { ...clients.get(plan)?.identities, ...read.identities };
      clients.set(plan, { kind: "client", plan, identities, cost: undefined });
    }
    const policies = await rowsOf(inForce, [...clients.values()]);
    return Response.json({ policies }, { headers: { "Cache-Control": "no-store" } });
  };
}

async function rowsOf(
  { limiter, ruleset: { settings } }: InForce,
  clients: readonly Client[],
): Promise<object[]> {
  const decisions = clients.map((client) => decideRequest(client, limiter, LOOK));
  const rows = (await Promise.all(decisions)).flatMap(({ policies }) => policies);
  const rowOf = new Map<string, PolicyDecision>(rows.map((row) => [row.name, row]));
  return settings.policies.flatMap(({ name, advertise }) => {
    const row = rowOf.get(name);
    if (!row || !advertise) return [];
    const { limit, window, remaining, retryAfterMs, resetAfterMs } = row;
    return [{ name, limit, window, remaining, retryAfterMs, resetAfterMs }];
  });
}
