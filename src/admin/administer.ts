import type { GatewayConfig } from "../gateway/config/config.ts";
import { gatewayFault } from "../gateway/health.ts";
import type { LiveRules } from "../gateway/live/open-live.ts";
import type { Gauges } from "../metrics/open-metrics.ts";
import { clientIp as addressOf } from "../partition/client-ip.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Administered } from "./administered.ts";
import { counted, explainRequest, reset, resetDigest } from "./described-client.ts";

/** The parts of a gateway, for its administration. */
export function administer(
  {
    defaults,
    control,
    requiresLiveRules,
    store,
    tokens,
    deployed,
    clientIp,
    recorder,
  }: GatewayConfig,
  { enforcement, refresh, inspection, countTrial }: LiveRules,
): Administered {
  return {
    prefix: defaults.prefix,
    // Written rules have no effect if no isolate reads them.
    control: refresh && control,
    store,
    adminToken: tokens.admin,
    readToken: tokens.read,
    namedTokens: tokens.named,
    deployed: withoutMissing(deployed),
    checkDocument: enforcement.checkDocument,
    leftOutBy: enforcement.leftOutBy,
    renamedBy: enforcement.renamedBy,
    isLeftOut: (kind, id) => enforcement.isLeftOut(`${kind}:${id}`),
    checkEntry: enforcement.checkEntry,

    held() {
      const { version } = enforcement.now();
      const document = withoutMissing(enforcement.held());
      return { version, source: version > 0 ? "live" : "deployed", document };
    },

    policyNames() {
      const { rules } = enforcement.now().ruleset;
      return rules.map(({ settings }) => settings.policies.map(({ name }) => name));
    },

    enforced() {
      const { version, revision, sides } = enforcement.now();
      const error = enforcement.error() ?? refresh?.error();
      const restoredAtMs = refresh?.lostAtMs();
      return {
        version,
        revision,
        source: version > 0 ? "live" : "deployed",
        ...(sides && { trial: { version: sides.trial.version, percent: sides.trial.percent } }),
        published: enforcement.published(),
        ageMs: refresh?.ageMs(),
        ...(error !== undefined && { error }),
        ...(restoredAtMs !== undefined && { restoredAtMs }),
      };
    },

    controlInspection: inspection,
    fault: () => gatewayFault({ requiresLiveRules, defaults }, { enforcement, refresh }),
    tokenReader: defaults.tokenReader,

    async refresh() {
      await countTrial();
      await refresh?.readNow();
    },

    metrics: recorder,
    counted: (described) => counted(enforcement, described, clientIp),

    async gauges() {
      const { version, ruleset, sides } = enforcement.now();
      const facts = await store.inspect?.().catch(() => undefined);
      return {
        policies: ruleset.settings.policies.map(quotaOf),
        ahead: ruleset.settings.policies.filter(isAhead).map(({ name }) => name),
        isBreakerOpen: facts?.suspendedSlots !== undefined,
        version,
        isRestored: refresh?.lostAtMs() !== undefined,
        isPublished: (enforcement.error() ?? refresh?.error()) === undefined,
        trial: sides?.trial,
      };
    },

    onFailure() {
      const policies = { local: 0, open: 0, closed: 0 };
      for (const { onFailure = "local" } of enforcement.now().ruleset.settings.policies) {
        policies[typeof onFailure === "string" ? onFailure : "local"]++;
      }
      return policies;
    },

    explain: (described) => explainRequest(enforcement, described, clientIp),
    reset: (described) => reset(enforcement, described, clientIp),
    resetDigest(policy, digest) {
      const current = enforcement.now();
      return resetDigest(current.sides?.ofIdentity(digest) ?? current, policy, digest);
    },
    clientAddress: (request, connection) => addressOf(request.headers, clientIp, connection),
  };
}

function quotaOf({ name, limit, windowUs }: CompiledPolicy): Gauges["policies"][number] {
  return { name, limit, windowSeconds: windowUs / 1e6 };
}

/** Whether isolates may admit its requests before the store has counted them. */
function isAhead({ leaseUs, optimistic }: CompiledPolicy): boolean {
  return leaseUs !== undefined || optimistic !== undefined;
}

/** Rules as a document: without the fields that are not given. */
function withoutMissing(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
