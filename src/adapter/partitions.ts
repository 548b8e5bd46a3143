import type { Features } from "../features/features.ts";
import type { Faults } from "../options/faults.ts";
import { ALL_SKIPPED, CHOICE, DIMENSION_OF_REQUEST } from "../options/messages.ts";
import { PlacedFaults } from "../options/placed-faults.ts";
import { readsAddress } from "../partition/client-ip.ts";
import { compileSources } from "../partition/compile-sources.ts";
import { EVERYBODY } from "../partition/key-text.ts";
import type { NamedSegments, RequestData } from "../partition/request-data.ts";
import type { Source } from "../partition/source.ts";
import type { Policy } from "../policy/policy.ts";
import { reportOnce } from "../runtime/log.ts";
import type { PlainRequestOptions } from "./request-options.ts";

/** The identities that count a request. */
export interface Identified {
  /** By dimension. */
  readonly identities: Readonly<Record<string, string>>;
  /** The result of a partition function. */
  readonly returned: string | undefined;
  /** Whether the request is to be refused, because it lacks an identity. */
  readonly isRefused: boolean;
}

/** How the policies of a rule partition requests. Those with one partition and one `onMissing` share a dimension. */
export interface Partitions<Context> {
  /** For each policy, the name of its dimension. Only those that end in `*` count everybody. */
  readonly by: readonly string[];
  readonly read: (context: Context, data: RequestData) => Identified | Promise<Identified>;
}

interface Dimension<Context> {
  readonly name: string;
  readonly partition: PlainRequestOptions<Context>["partition"];
  readonly onMissing: "share" | "reject" | "skip" | undefined;
  readonly identify: (context: Context, data: RequestData) => unknown;
}

/**
 * The identity under which requests without one are counted. No source yields it. If a partition function does, its
 * client gains nothing: it joins the count that it would share without an identity.
 */
export const SHARED_IDENTITY = "no-identity";

/** The means to compile partitions, besides their options. */
export interface PartitionContext {
  readonly kinds: Features["sources"];
  /** Whether tokens are verified here. */
  readonly verifies: boolean;
  /** The names in the rule's path; none in middleware. */
  readonly segments: NamedSegments | undefined;
  /** Begins the names of dimensions, so that those of several rules differ. */
  readonly prefix: string;
}

/** Checks the partitions of policies and compiles them. */
export function compilePartitions<Context>(
  options: PlainRequestOptions<Context>,
  policies: readonly Policy[],
  { kinds, verifies, segments, prefix }: PartitionContext,
  faults: Faults,
): Partitions<Context> {
  const { partition: common, onMissing: commonOnMissing, clientIp } = options;
  checkOnMissing(commonOnMissing, ["share", "reject"], "onMissing", faults);
  const dimensions = new Map<string, Dimension<Context>>();
  const told = new Set<string>();

  /** Adds the faults of what several policies share once, and notes the paths of all that are found. */
  function once(found: Set<string>): Faults {
    const pathsOf = (path: string) => {
      found.add(path);
      return told.has(path) ? [] : [path];
    };
    return new PlacedFaults(faults, { pathsOf });
  }

  function dimensionOf(policy: Policy, path: string): Dimension<Context> {
    const own = policy.partition !== undefined;
    const partition = own ? policy.partition : common === undefined ? (["ip"] as const) : common;
    const asked = policy.onMissing ?? commonOnMissing;
    // A policy in shadow changes nothing for anybody.
    const onMissing = asked === "reject" && policy.mode === "shadow" ? "skip" : asked;
    checkOnMissing(policy.onMissing, ["share", "reject", "skip"], `${path}.onMissing`, faults);
    const found = new Set<string>();
    const at = own ? `${path}.partition` : "partition";
    // Only the partition of all policies may be a function, and none in a rule, which is data.
    const sources =
      typeof partition === "function" && !own && !segments
        ? undefined
        : compileSources(partition, { clientIp, segments, kinds, verifies }, at, once(found));
    for (const path of found) told.add(path);
    // A faulty partition may be anything, also a value that JSON cannot hold.
    const key =
      found.size > 0
        ? at
        : JSON.stringify([sources ? partition : "", typeof onMissing === "string" && onMissing]);
    const existing = dimensions.get(key);
    if (existing) return existing;
    const dimension: Dimension<Context> = {
      name: `${prefix}${dimensions.size}${partition === EVERYBODY ? EVERYBODY : ""}`,
      partition,
      onMissing,
      identify: sources
        ? (_context, data) => sources(data)
        : (context) => (partition as (context: Context) => unknown)(context),
    };
    dimensions.set(key, dimension);
    return dimension;
  }

  policies.forEach((policy, i) => {
    const dimension: unknown = Object(policy).by;
    if (dimension === undefined) return;
    faults.add(`policies[${i}].by`, dimension, DIMENSION_OF_REQUEST);
  });
  const by = policies.map(
    (policy, i) => dimensionOf(Object(policy) as Policy, `policies[${i}]`).name,
  );
  // A common partition that no policy uses is checked, too.
  if (common !== undefined) dimensionOf({} as Policy, "");
  checkSkipped(policies, faults);
  const used = [...dimensions.values()].filter(({ name }) => by.includes(name));

  /** @param found the identity in each dimension */
  function identified(found: readonly unknown[]): Identified {
    const identities: Record<string, string> = {};
    let returned: string | undefined;
    let isRefused = false;
    for (let i = 0; i < used.length; i++) {
      const { name, partition, onMissing } = used[i]!;
      // Untyped code returns null or "" if there is no identity.
      const identity = (found[i] as string | null) || undefined;
      if (typeof partition === "function") returned = identity;
      if (identity !== undefined) {
        identities[name] = identity;
      } else if (onMissing === "reject") {
        isRefused = true;
      } else if (onMissing !== "skip") {
        if (onMissing === undefined) reportMissing(used[i]!, options);
        identities[name] = SHARED_IDENTITY;
      }
    }
    return { identities, returned, isRefused };
  }

  return {
    by,
    read(context, data) {
      const found = used.map(({ identify }) => identify(context, data));
      return found.some(isPromise) ? Promise.all(found).then(identified) : identified(found);
    },
  };
}

/** Also one of another library: texts, and what untyped code returns in their place, are no objects. */
function isPromise(found: unknown): boolean {
  return typeof found === "object" && found !== null;
}

/** Rejects a list of policies that all let requests without an identity pass. */
function checkSkipped(policies: readonly Policy[], faults: Faults): void {
  const limiting = policies.flatMap((policy, i) => {
    const { mode = "enforce", counts, onMissing } = Object(policy) as Policy;
    return mode === "enforce" && counts !== "denials" ? [{ i, onMissing }] : [];
  });
  if (limiting.length === 0 || limiting.some(({ onMissing }) => onMissing !== "skip")) return;
  faults.add(`policies[${limiting[0]!.i}].onMissing`, "skip", ALL_SKIPPED);
}

function checkOnMissing(
  value: unknown,
  known: readonly string[],
  path: string,
  faults: Faults,
): void {
  if (value === undefined || known.includes(value as string)) return;
  faults.add(path, value, CHOICE, known);
}

/** Warns that one client can use up the count that others share; without that, nobody would see why they are denied. */
function reportMissing<Context>(
  { partition }: Dimension<Context>,
  { clientIp }: PlainRequestOptions<Context>,
): void {
  const sources = Array.isArray(partition) ? (partition as readonly Source[]) : [];
  const what =
    typeof partition === "function"
      ? "the partition function returned no identity"
      : `a request has none of ${sources.map((source) => [source].flat().join(" with ")).join(", ")}`;
  const trusted = readsAddress(sources)
    ? `clientIp is ${JSON.stringify(clientIp) ?? "the platform's"}; it may be "cloudflare", "vercel", { trustedHops: 1 } behind a proxy of your own, or "socket" on Node. `
    : "";
  reportOnce(
    `${what}: all requests like it share one count. ${trusted}Set onMissing to "share" if that is meant, to "reject" for a 400.`,
  );
}

/** A policy without what only adapters read; anything else as it is. */
export function withoutPartition(requestPolicy: Policy): Policy {
  if (Object(requestPolicy) !== requestPolicy) return requestPolicy;
  const {
    by: _by,
    partition: _partition,
    onMissing: _onMissing,
    when: _when,
    ...policy
  } = requestPolicy;
  return policy as Policy;
}
