import { type Client, decideRequest, LOOK } from "../adapter/decide-request.ts";
import { fixedWindow } from "../algorithms/fixed-window.ts";
import { buildLimiter } from "../limiter/limiter.ts";
import { checkSettings } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import { clientIp as addressOf } from "../partition/client-ip.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { Enforcement, InForce } from "./in-force.ts";
import { readClient } from "./route/read-client.ts";
import { notFound } from "./route/route.ts";

/** The limit of questions per address: a page that shows the remaining quota asks once in several seconds. */
const ASKS = fixedWindow({ name: "quota", limit: 60, window: "1m" });

/**
 * Answers with a client's remaining quota under the rules with `quota: true`, without taking units. 404 if there is no
 * such rule. Each address may ask 60 times a minute; requests without an address share one count.
 */
export function answerQuota(
  { store, defaults, clientIp }: GatewayConfig,
  enforcement: Enforcement,
): (request: Request, connection: string | undefined) => Promise<Response> {
  // A prefix of its own: a policy of the rules may have the same name.
  const prefix = `${defaults.prefix}:quota`;
  const settings = checkSettings({ policies: [ASKS] }, {}, new Faults());
  const asks = buildLimiter(store, { ...settings, prefix }, {});

  return async function quota(request, connection) {
    const inForce = enforcement.now();
    const rules = inForce.ruleset.rules.filter(({ showsQuota }) => showsQuota);
    if (rules.length === 0) return notFound();
    const listed = inForce.ruleset.lists?.(request, connection);
    if (listed && !listed.allowed) return listed.response();
    const address = addressOf(request.headers, clientIp, connection) ?? "unknown";
    const asked = await asks.limit(address);
    if (!asked.allowed) return asked.response();
    const policies: object[] = [];
    for (const rule of rules) {
      // No reading: policies that count by a path segment have no state here.
      const asked = { request, connection, readings: [] };
      const read = await readClient(inForce.ruleset, [rule], request, asked);
      if (read.kind === "listed") return read.decision.response();
      if (read.kind === "client") policies.push(...(await rowsOf(inForce, read)));
    }
    return Response.json({ policies }, { headers: { "Cache-Control": "no-store" } });
  };
}

async function rowsOf({ limiter, ruleset }: InForce, client: Client): Promise<object[]> {
  const asked = { ...client, cost: undefined };
  const decision = await decideRequest(asked, limiter, LOOK);
  const told = new Set(
    ruleset.settings.policies.flatMap(({ name, advertise }) => (advertise ? [name] : [])),
  );
  return decision.policies.flatMap(
    ({ name, limit, window, remaining, retryAfterMs, resetAfterMs }) =>
      told.has(name) ? [{ name, limit, window, remaining, retryAfterMs, resetAfterMs }] : [],
  );
}
