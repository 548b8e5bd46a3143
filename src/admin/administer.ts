import type { GatewayConfig } from "../gateway/config/config.ts";
import { gatewayFault } from "../gateway/health.ts";
import type { Enforcement, InForce } from "../gateway/live/in-force.ts";
import type { LiveRules } from "../gateway/live/open-live.ts";
import { digestsOf, isDigest } from "../gateway/rules/digests.ts";
import { POLICY_IN_FORCE, UNKNOWN_DIGEST } from "../gateway/rules/document-messages.ts";
import type { Rule } from "../gateway/rules/rule.ts";
import type { Gauges } from "../metrics/open-metrics.ts";
import { Faults } from "../options/faults.ts";
import { clientIp as addressOf } from "../partition/client-ip.ts";
import { EVERYBODY } from "../partition/key-text.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Administered, CountedClient, DescribedRequest } from "./administered.ts";
import { type RequestAsData, requestFrom } from "./describe-request.ts";
import { explain, readable } from "./explain-request.ts";
import { entriesNaming } from "./naming-entries.ts";

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

async function explainRequest(
  enforcement: LiveRules["enforcement"],
  described: DescribedRequest,
  clientIp: GatewayConfig["clientIp"],
): ReturnType<Administered["explain"]> {
  const asked = requestFrom(described, clientIp);
  const inForce = await inForceFor(enforcement, asked);
  const route = described.ip === undefined ? inForce.routeUnaddressed() : inForce.route;
  return explain({ ...inForce, route }, asked, async (list) => {
    const { client } = await clientOf(inForce, asked);
    const digests = client ? await digestsOf(client.identities) : [];
    return entriesNaming(list, enforcement.held(), asked, clientIp, digests);
  });
}

async function reset(
  enforcement: Enforcement,
  described: DescribedRequest,
  clientIp: GatewayConfig["clientIp"],
): ReturnType<Administered["reset"]> {
  const asked = requestFrom(described, clientIp);
  const inForce = await inForceFor(enforcement, asked);
  const { request, client } = await clientOf(inForce, asked);
  if (!client) return [];
  // One client must not reset the count that all clients share.
  const own = Object.entries(client.identities).filter(([by]) => !by.endsWith(EVERYBODY));
  if (own.length === 0) return [];
  const identities = Object.fromEntries(own);
  // An override may have windows of its own. Only rules give clients numbers of their own.
  await inForce.limiter.reset(identities, { plan: client.plan as string | undefined });
  return countedIn(client.rules, identities, request).map(({ policy, partition }) => ({
    policy,
    partition,
  }));
}

/** An identity is its own name, except where it has an address: its digest does not say which. */
async function resetDigest(
  { ruleset, limiter }: InForce,
  name: string,
  digest: string,
): ReturnType<Administered["resetDigest"]> {
  const faults = new Faults();
  const policy = ruleset.settings.policies.find((each) => each.name === name);
  if (!policy) faults.add("policy", name, POLICY_IN_FORCE);
  const isNamed = isDigest(digest) && !/[#%]/.test(digest);
  if (!isNamed || HASHED_FACT.test(digest)) {
    faults.add("digest", digest, UNKNOWN_DIGEST);
  }
  faults.throwIfAny();
  await limiter.reset({ [policy!.by!]: digest });
  // Other policies may count the same clients.
  return ruleset.settings.policies
    .filter(({ by }) => by === policy!.by)
    .map((each) => ({ policy: each.name, partition: digest }));
}

/** A fact about an address in place of which metrics have 22 characters of its hash. */
const HASHED_FACT = /(?:^|,)(?:ip|subnet|asn|country):[\w-]{22}(?:,|$)/;

async function counted(
  enforcement: Enforcement,
  described: DescribedRequest,
  clientIp: GatewayConfig["clientIp"],
): Promise<readonly CountedClient[]> {
  const asked = requestFrom(described, clientIp);
  const { request, client } = await clientOf(await inForceFor(enforcement, asked), asked);
  return client ? countedIn(client.rules, client.identities, request) : [];
}

/** The rules for the client of a request. */
async function inForceFor(
  enforcement: Enforcement,
  { request, connection }: RequestAsData,
): Promise<InForce> {
  const current = enforcement.now();
  return current.sides ? current.sides.of(request, connection) : current;
}

/** The client of a request, whether or not it is on a list, and the rules that cover the request. */
async function clientOf({ routeUnlisted }: InForce, { request, connection }: RequestAsData) {
  const routed = await routeUnlisted()(request, connection);
  return { request, client: routed.kind === "client" ? routed : undefined };
}

function countedIn(
  rules: readonly Rule[],
  identities: Readonly<Record<string, string>>,
  { headers }: Request,
): readonly CountedClient[] {
  return rules.flatMap(({ settings }) =>
    settings.policies.flatMap(({ name: policy, by }) => {
      const identity = identities[by!];
      return identity === undefined
        ? []
        : [{ policy, identity, partition: readable(identity, headers) }];
    }),
  );
}

/** Rules as a document: without the fields that are not given. */
function withoutMissing(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
