import { IMPLEMENTATIONS } from "../../../src/algorithms/all.ts";
import type { Plans } from "../../../src/features/plans.ts";
import { fromData } from "../../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../../src/policy/policy.ts";
import { FACTS } from "../../support/algorithms/all.ts";
import { random } from "../../support/random.ts";
import { outages } from "./network.ts";
import { restless } from "./restless.ts";
import type { Arrival, Region, Server, Story } from "./story.ts";

/** Together less than the margin of a term. */
const PACE = { home: 1e-4, region: 3.9e-4 };

const PLAN = "gold";
/** The client of the plan, and another one. */
const CLIENTS = ["a", "b"] as const;

export interface Cell {
  readonly algorithm: CountingAlgorithm;
  readonly hasCredit: boolean;
  readonly hasObjects: boolean;
}

export function drawStory(seed: number, { algorithm, hasCredit, hasObjects }: Cell): Story {
  const next = random(seed);
  const chance = (share: number) => next() < share;
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const trouble = chance(0.7);
  const stores = whole(1, 4);
  const isolates = whole(1, 4);
  const flushesOf = () => (trouble && chance(0.3) ? whole(1, 2) : 0);
  const flushes = Array.from({ length: stores }, flushesOf);
  const promised = stores + flushes.reduce((sum, each) => sum + each, 0);
  const credit = hasCredit ? whole(1, 4) : 0;
  const leastLimit = Math.max(36, 2 * credit * promised);
  // Regions hold more units of a larger limit.
  const isLarge = chance(0.5);
  const policies = drawPolicies(algorithm, leastLimit);
  const spanUs = whole(2_000_000, 4_000_000);

  function drawPolicies(first: CountingAlgorithm, least: number): readonly Policy[] {
    const names = Object.keys(FACTS) as CountingAlgorithm[];
    const plain = Array.from({ length: chance(0.4) ? whole(2, 3) : 1 }, (_, i) =>
      drawPolicy(i === 0 ? first : names[whole(0, names.length - 1)]!, `p${i}`, least),
    );
    const own = chance(0.25) ? [drawSpecial()] : [];
    return [...plain, ...own.map((policy) => fromData(policy) as Policy)];
  }

  function drawPolicy(name: CountingAlgorithm, label: string, least: number): Policy {
    const limit = least + (isLarge ? whole(150, 350) : whole(0, 140));
    return {
      name: label,
      by: label === "p0" && chance(0.5) ? "*" : ["*", "ip"][whole(0, 1)]!,
      ...FACTS[name].of(limit, `${whole(shortestMs(name), 2_499)}ms`, 1 + (limit % 12)),
      ...(chance(0.2) && { notify: [0.5, 1] }),
    };
  }

  /** A policy that home decides, of requests that have a key: it is refundable, or denies nothing. */
  function drawSpecial() {
    const kind = whole(0, 2);
    return {
      algorithm: "fixed-window",
      name: "special",
      limit: whole(3, 20),
      window: "1s",
      by: "key",
      ...(kind === 0 ? { refundable: true } : { mode: kind === 1 ? "shadow" : "soft" }),
    };
  }

  function changed(policy: Policy): Policy {
    if (policy.name === "special") return policy;
    return { ...policy, limit: Math.max(leastLimit, Math.floor(policy.limit * (0.5 + next()))) };
  }

  const hasPlan = chance(0.3);
  const plansOf = (list: readonly Policy[]): Plans =>
    hasPlan ? { [PLAN]: { p0: { limit: changed(list[0]!).limit } } } : {};
  const changes = chance(0.25);
  const later = policies.map(changed);
  const versions = [
    { policies, plans: plansOf(policies) },
    ...(changes ? [{ policies: later, plans: plansOf(later) }] : []),
  ];

  const server = (pace: number, count: number, steps: Server["clockSteps"]): Server => ({
    pace: (2 * next() - 1) * pace,
    offsetUs: Math.floor((2 * next() - 1) * 500e6),
    clockSteps: steps,
    flushes: Array.from({ length: count }, () => Math.floor(next() * spanUs)),
    isDead: outages(next, trouble, spanUs),
  });
  const at = () => Math.floor(next() * spanUs);
  const home = server(
    PACE.home,
    trouble && chance(0.2) ? 1 : 0,
    trouble && chance(0.2) ? [{ at: at(), by: Math.floor((2 * next() - 1) * 1_500_000) }] : [],
  );
  const regions = flushes.map((count): Region => {
    const isSet = trouble && chance(0.3);
    // Back by so much that the region sees it, or forwards.
    const by = chance(0.5) ? -3_600_000_000 : whole(10_000, 2_000_000);
    const own = server(PACE.region, count, isSet ? [{ at: at(), by }] : []);
    const [nearbyUs, homeUs] = [500 + next() * 2_000, 10_000 + next() * 80_000];
    return Object.assign(own, { nearbyUs, homeUs });
  });

  const special = policies.find(({ name }) => name === "special");
  function drawKind(): Arrival["kind"] {
    const draw = next();
    if (draw < 0.004) return "reset";
    if (draw < 0.015) return "charge";
    if (draw < 0.025) return "peek";
    return special !== undefined && "refundable" in special && chance(0.2) ? "reserve" : "limit";
  }

  const termMs = whole(100, 250);
  const arrivals: Arrival[] = [];
  for (const moment of restless(next, spanUs, policies[0]!, termMs * 1000)) {
    const client = CLIENTS[whole(0, 1)]!;
    const kind = drawKind();
    const isShared = kind === "reset" && chance(0.5);
    // A hold of before a reset would give back units of after it, with or without regions.
    const hasKey = special && kind !== "reset" && chance(0.3);
    arrivals.push({
      kind,
      cost: Object.fromEntries(
        policies
          .filter(({ by }) => by !== "key" || hasKey)
          .map(({ name }) => [name!, chance(0.9) ? 1 : whole(1, 3)] as const),
      ),
      at: moment,
      region: whole(0, stores - 1),
      isolate: whole(0, isolates - 1),
      identity: {
        ip: client,
        ...(isShared && { "*": "*" }),
        ...(hasKey && { key: "k" }),
      },
      plan: hasPlan && client === "a" ? PLAN : undefined,
    });
  }
  return {
    seed,
    spanUs,
    hasObjects,
    trouble,
    termMs,
    credit,
    stores: promised,
    versions,
    changeAt: changes ? Math.floor(spanUs * (0.3 + 0.3 * next())) : undefined,
    isolates,
    remembersDenials: chance(0.5),
    onFailure: chance(0.5) ? "closed" : "local",
    home,
    regions,
    deaths: Array.from({ length: trouble ? whole(0, 6) : 0 }, () => ({
      at: at(),
      region: whole(0, stores - 1),
      isolate: whole(0, isolates - 1),
    })),
    arrivals,
  };
}

/** Regions may hold units for a tenth of a second at least. Windows with which leased units end may be shorter than two terms. */
const shortestMs = (name: CountingAlgorithm) =>
  IMPLEMENTATIONS[name].lease.endsWithWindow ? 270 : 1_000;
