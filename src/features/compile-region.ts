import type { FailureVerdict } from "../algorithms/common-options.ts";
import { localShareOf } from "../decide/local-share.ts";
import { checkDuration, type DurationRange, parseDuration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import { LEAST_TERM } from "../options/home-reason.ts";
import { kindOf } from "../options/kind-of.ts";
import {
  CREDIT_TOO_LARGE,
  NAME as NAME_FAULT,
  OPTIONS,
  REGION_REDIS,
  REGION_STORE,
  REGION_WITH,
  REGIONS_OF_CREDIT,
} from "../options/messages.ts";
import { checkPositiveInteger } from "../options/positive-integer.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { type CompiledPolicy, NAME } from "../policy/compile.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import { AUTO_LEASE, hasUnitsToLease, shareOfRegion, tightenForRegion } from "../policy/tighten.ts";
import { reportOnce } from "../runtime/log.ts";
import type { RegionStore } from "../store/region/region-store.ts";
import type { PlainRegion } from "./region-options.ts";
import { homeOptionOf, reportHome } from "./report-home.ts";

/**
 * A term should be several trips to home. With a longer one, clients would notice that one region holds quota that the others
 * lack.
 */
const TERM_RANGE: DurationRange = { min: LEAST_TERM, max: "10s", example: "1s" };
const DEFAULT_TERM_US = 1_000_000;

/** A pool takes units only of identities that ask for so many in a term: lua/region/spend.lua. */
const FEWEST = 2;

/** Of a smaller limit a region takes none: others would miss them. */
const LEAST_LIMIT = AUTO_LEASE.smallest / AUTO_LEASE.shareOfLeft;

const MOST_CREDIT = 1_000;
const MOST_REGIONS = 1_000;

/** The policies, in the caller's order, and the same policies under each plan. */
interface Planned {
  readonly policies: readonly CompiledPolicy[];
  readonly plans: ReadonlyMap<string, readonly CompiledPolicy[]>;
}

/** The options that a region needs or excludes. */
interface OptionsBeside {
  readonly region?: PlainRegion | undefined;
  readonly store?: unknown;
  readonly sharedDenials?: unknown;
  readonly onFailure?: FailureVerdict | undefined;
}

/** A checked region; after a fault it has values to go on with. */
interface CheckedRegion {
  readonly name: string;
  readonly termUs: number | undefined;
  readonly credit: number;
  readonly regions: number;
}

/**
 * Checks a region, and compiles the policies that it decides, also under a plan: each is tightened by its term.
 *
 * @param planned with all other options; empty after faults
 * @returns `undefined` without a region
 */
export function compileRegion(
  { region, store, sharedDenials, onFailure = "local" }: OptionsBeside,
  planned: Planned,
  faults: Faults,
): ((policy: CompiledPolicy) => CompiledPolicy) | undefined {
  if (region === undefined) return undefined;
  if (typeof region !== "object" || region === null) {
    faults.add("region", region, OPTIONS);
    return undefined;
  }
  const checked = checkRegion(region, faults);
  if (store !== undefined) faults.add("region", checked.name, REGION_WITH, "store");
  if (sharedDenials !== undefined) faults.add("region", checked.name, REGION_WITH, "sharedDenials");
  const { policies, plans } = planned;
  const terms = new Map<string, number>();
  const small: string[] = [];
  policies.forEach(({ name }, i) => {
    const variants = [policies, ...plans.values()].map((list) => list[i]!);
    const termUs = Math.min(...variants.map((policy) => termOf(policy, checked)));
    if (termUs < parseDuration(TERM_RANGE.min)!) return;
    terms.set(name, termUs);
    checkCredit(variants, checked, faults);
    if (checked.credit === 0 && variants.every((policy) => isSmall(policy, termUs)))
      small.push(whySmall(policies[i]!));
  });
  reportHome(policies, ({ name }) => terms.has(name), checked.name, faults);
  if (small.length > 0) {
    reportOnce(
      `the region ${checked.name} can take units ahead in bursts at most: ${small.join(", ")}. Other requests wait for home, after a call nearby. Give the region credit, or keep such policies in a limiter without it.`,
    );
  }
  return oncePerPolicy((policy) => {
    const termUs = terms.get(policy.name);
    if (termUs === undefined) return policy;
    const { credit, regions } = checked;
    const isLocal = localShareOf(policy.onFailure ?? onFailure) !== undefined;
    const share = isLocal && regions > 0 ? shareOfRegion(policy, regions) : undefined;
    return tightenForRegion(policy, { termUs, credit, reserve: credit * regions }, share);
  });
}

function checkRegion(
  { name, redis, store, term, credit, regions, ...others }: PlainRegion,
  faults: Faults,
): CheckedRegion {
  checkOptions(others, ["redis", "store", "name", "term", "credit", "regions"], "region.", faults);
  const isNamed = typeof name === "string" && NAME.test(name);
  if (!isNamed) faults.add("region.name", name, NAME_FAULT);
  checkNearby(redis, store, faults);
  const termUs =
    term === undefined ? undefined : checkDuration(term, TERM_RANGE, "region.term", faults);
  const units =
    credit === undefined
      ? 0
      : (checkPositiveInteger(credit, MOST_CREDIT, "region.credit", faults) ?? 0);
  const stores =
    regions === undefined
      ? 0
      : (checkPositiveInteger(regions, MOST_REGIONS, "region.regions", faults) ?? 0);
  if (credit !== undefined && regions === undefined) {
    faults.add("region.credit", credit, REGIONS_OF_CREDIT);
  }
  return { name: isNamed ? name : "", termUs, credit: units, regions: stores };
}

/** A region has one store. Without one, the home's would be opened, from the environment. */
function checkNearby(redis: unknown, store: unknown, faults: Faults): void {
  const hasRedis = redis !== undefined && redis !== null;
  if (store === undefined) {
    if (!hasRedis) faults.add("region.redis", redis, REGION_REDIS);
  } else if (hasRedis || typeof (store as Partial<RegionStore> | null)?.open !== "function") {
    faults.add("region.store", kindOf(store), REGION_STORE);
  }
}

/** For how long a region may hold units of a policy, in microseconds; 0 if home has to decide each request. */
function termOf(policy: CompiledPolicy, { termUs }: CheckedRegion): number {
  if (homeOptionOf(policy) !== undefined) return 0;
  const longestUs = Math.floor(policy.implementation.lease.maxUs(policy));
  if (termUs !== undefined) return Math.min(termUs, longestUs);
  return Math.min(DEFAULT_TERM_US, Math.floor(longestUs * AUTO_LEASE.shareOfLongest));
}

/** Whether a policy at its full pace has next to nothing that its regions could take ahead, even if only one of them is asked. */
function isSmall({ limit, windowUs }: CompiledPolicy, termUs: number): boolean {
  return !hasUnitsToLease(limit) || (limit * termUs) / windowUs < FEWEST;
}

function whySmall({ name, limit }: CompiledPolicy): string {
  return hasUnitsToLease(limit)
    ? `"${name}" makes less than ${FEWEST} units a term at its steady rate`
    : `"${name}" has a limit below ${LEAST_LIMIT}, of which it takes none`;
}

/** Regions admit at most half of a limit before home has counted it. */
function checkCredit(
  variants: readonly CompiledPolicy[],
  { credit, regions }: CheckedRegion,
  faults: Faults,
): void {
  const misfit = variants.find(({ limit }) => 2 * credit * regions > limit);
  if (!misfit) return;
  const least = 2 * credit * regions;
  faults.add("region.credit", credit, CREDIT_TOO_LARGE, { name: misfit.name, least });
}
