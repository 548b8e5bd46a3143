import type { Faults } from "../options/faults.ts";
import type { Asked, NamedSegments } from "../partition/asked.ts";
import { EVERYBODY } from "../partition/partition-key.ts";
import { compileSources, type Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";
import { reportOnce } from "../runtime/log.ts";
import type { RequestOptions } from "./request-options.ts";

/** The identities of a request, by dimension; `undefined` if it is to be refused, because it lacks one. */
export type ReadIdentities<Context> = (
  context: Context,
  asked: Asked,
) => Promise<Record<string, string> | undefined>;

/** How the policies of a rule partition requests. Those with one partition and one `onMissing` share a dimension. */
export interface Partitions<Context> {
  /** For each policy, the name of its dimension. Only those that end in `*` count everybody. */
  readonly by: readonly string[];
  readonly read: ReadIdentities<Context>;
}

interface Dimension<Context> {
  readonly name: string;
  readonly partition: RequestOptions<Context>["partition"];
  readonly onMissing: "share" | "reject" | "skip" | undefined;
  readonly identify: (context: Context, asked: Asked) => unknown;
}

/**
 * The identity under which requests without one are counted. No source yields it. If a partition function does, its
 * client gains nothing: it joins the count that it would share without an identity.
 */
const SHARED_IDENTITY = "no-identity";

/**
 * Checks the partitions of policies and compiles them.
 *
 * @param segments the names in the rule's path; none in middleware
 * @param prefix of the names of dimensions, so that those of several rules differ
 */
export function compilePartitions<Context>(
  options: RequestOptions<Context>,
  policies: readonly Policy[],
  faults: Faults,
  segments: NamedSegments | undefined,
  prefix: string,
): Partitions<Context> {
  const { partition: common, onMissing: commonOnMissing, clientIp } = options;
  checkOnMissing(commonOnMissing, ["share", "reject"], "onMissing", faults);
  const dimensions = new Map<string, Dimension<Context>>();

  function dimensionOf(policy: Policy, path: string): Dimension<Context> {
    const own = policy.partition !== undefined;
    const partition = policy.partition ?? common ?? ["ip"];
    const onMissing = policy.onMissing ?? commonOnMissing;
    if (policy.onMissing !== undefined) {
      checkOnMissing(policy.onMissing, ["share", "reject", "skip"], `${path}.onMissing`, faults);
    }
    const key = JSON.stringify([typeof partition === "function" ? "" : partition, onMissing]);
    const existing = dimensions.get(key);
    if (existing) return existing;
    const at = own ? `${path}.partition` : "partition";
    const sources =
      typeof partition === "function"
        ? undefined
        : compileSources(partition, { clientIp, segments }, at, faults);
    const dimension: Dimension<Context> = {
      name: `${prefix}${dimensions.size}${partition === EVERYBODY ? EVERYBODY : ""}`,
      partition,
      onMissing,
      identify: sources
        ? (_context, asked) => sources(asked)
        : (context) => (partition as (context: Context) => unknown)(context),
    };
    dimensions.set(key, dimension);
    return dimension;
  }

  const by = policies.map(
    (policy, i) => dimensionOf(Object(policy) as Policy, `policies[${i}]`).name,
  );
  // What no policy uses is checked all the same.
  if (common !== undefined) dimensionOf({} as Policy, "");
  if (policies.length > 0 && policies.every((policy) => Object(policy).onMissing === "skip")) {
    faults.add(
      "policies[0].onMissing",
      "skip",
      "Leave it out of one policy: nothing would limit a request that lacks all identities.",
    );
  }
  const used = [...dimensions.values()].filter(({ name }) => by.includes(name));

  return {
    by,
    async read(context, asked) {
      const identities: Record<string, string> = {};
      for (const dimension of used) {
        const { name, onMissing } = dimension;
        const identity = await dimension.identify(context, asked);
        // Untyped code returns null or "" if there is no identity.
        if (identity === undefined || identity === null || identity === "") {
          if (onMissing === "skip") continue;
          if (onMissing === "reject") return undefined;
          if (onMissing === undefined) reportMissing(dimension, options);
          identities[name] = SHARED_IDENTITY;
        } else {
          identities[name] = identity as string;
        }
      }
      return identities;
    },
  };
}

function checkOnMissing(
  given: unknown,
  known: readonly string[],
  path: string,
  faults: Faults,
): void {
  if (given === undefined || known.includes(given as string)) return;
  const words = known.map((word) => `"${word}"`);
  faults.add(path, given, `Use ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);
}

/** Warns that one client can use up the count that others share; without that, nobody would see why they are denied. */
function reportMissing<Context>(
  { partition }: Dimension<Context>,
  { clientIp }: RequestOptions<Context>,
): void {
  const sources = Array.isArray(partition) ? (partition as readonly Source[]) : [];
  const what =
    typeof partition === "function"
      ? "the partition function returned no identity"
      : `a request has none of ${sources.map((source) => [source].flat().join(" with ")).join(", ")}`;
  const trusted = sources.flat().some((source) => source === "ip" || source === "subnet")
    ? `clientIp is ${JSON.stringify(clientIp) ?? "the platform's"}; it may be "cloudflare", "vercel", { trustedHops: 1 } behind a proxy of your own, or "socket" on Node. `
    : "";
  reportOnce(
    `${what}: all requests like it share one count. ${trusted}Set onMissing to "share" if that is meant, to "reject" for a 400.`,
  );
}

/** A policy without what only adapters read. */
export function withoutPartition({ partition, onMissing, ...policy }: Policy): Policy {
  return policy as Policy;
}
