import type { GatewayConfig } from "../gateway/config/config.ts";
import type { Enforcement, InForce } from "../gateway/live/in-force.ts";
import type { LiveRules } from "../gateway/live/open-live.ts";
import { digestsOf, isDigest } from "../gateway/rules/digests.ts";
import { POLICY_IN_FORCE, UNKNOWN_DIGEST } from "../gateway/rules/document-messages.ts";
import type { Rule } from "../gateway/rules/rule.ts";
import { Faults } from "../options/faults.ts";
import { EVERYBODY } from "../partition/key-text.ts";
import type { Administered, CountedClient, DescribedRequest } from "./administered.ts";
import { type RequestAsData, requestFrom } from "./describe-request.ts";
import { explain, readable } from "./explain-request.ts";
import { entriesNaming } from "./naming-entries.ts";

/** Explains the decision of a described request, by the rules that are in force for its client. */
export async function explainRequest(
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

/** Resets every count of the client of a described request. */
export async function reset(
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
export async function resetDigest(
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

/** The client of a described request, as each policy counts it. */
export async function counted(
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
