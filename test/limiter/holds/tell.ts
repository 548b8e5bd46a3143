import type { Settlement } from "../../../src/decide/hold.ts";
import { createLimiter, type Limiter, type Store } from "../../../src/index.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { compile } from "../../support/compile-policy.ts";
import type { Act, End, Gap, Story } from "./draw.ts";
import { type Numbers, policiesOf } from "./policies.ts";
import { type Told, wrongCalls, wrongSettlement } from "./settling.ts";
import { type StoryClock, witness } from "./witness.ts";

/** Later than any real clock, so that no key of a real Redis expires; on every grid. */
const BEGIN = 4_000_000_000_000_000;

/** How often something happened, over all stories. */
export type Tally = Record<string, number>;

/** Opens the store that counts. */
export type Open = (now: () => number) => Store;

/** Lives a story, and throws the broken promises in it. */
export async function tell(story: Story, open: Open, tally: Tally): Promise<void> {
  const clock: StoryClock = { nowUs: BEGIN + story.offsetUs, timeUs: 0, backs: 0 };
  const { store, calls, fates, broken } = witness(
    open(() => clock.nowUs),
    clock,
  );
  const id = crypto.randomUUID();
  const holds: Told[] = [];
  let limiter!: Limiter;
  let policies!: readonly CompiledPolicy[];
  const count = (what: string, by = 1) => (tally[what] = (tally[what] ?? 0) + by);

  function change(numbers: Numbers): void {
    const drawn = policiesOf(story, numbers);
    policies = compile(drawn);
    limiter = createLimiter({ store, prefix: id, policies: drawn, onFailure: "closed" });
  }

  /** How far it is to where something ends. */
  function distance(gap: Gap): number {
    if (gap.kind === "none") return 0;
    const { windowUs, parameters } = policies[gap.policy % policies.length]!;
    const length = Math.round(parameters["lengthUs"] ?? windowUs);
    if (gap.kind === "share") return Math.round(gap.share * windowUs);
    const from = gap.kind === "edge" ? 0 : (holds.at(-1 - gap.hold)?.takenAtUs ?? 0);
    const left = Math.round(gap.kind === "edge" ? length : windowUs) - (clock.nowUs - from);
    return Math.max(
      0,
      (gap.kind === "edge" ? length - (clock.nowUs % length) : left) + gap.nudgeUs,
    );
  }

  async function reserve({ shares, client, key, ttl }: Act & { kind: "reserve" }): Promise<void> {
    const cost: Record<string, number> = {};
    const reserved: Record<string, number> = {};
    const slotted = new Set<string>();
    policies.forEach(({ name, limit, implementation }, i) => {
      if (implementation.hasSlots) slotted.add(name);
      else cost[name] = Math.round(limit * shares[i % shares.length]!);
      reserved[name] = cost[name] ?? 1;
    });
    const identity = story.dimensions ? { ip: `ip${client}`, key: `key${key}` } : `client${client}`;
    const hold = await limiter.reserve(identity, { cost, ttl });
    const [call] = calls.splice(0);
    const took = call?.fate === "answered" && call.took;
    if (hold.allowed !== took) broken.push(`a hold is ${hold.allowed ? "" : "not "}allowed`);
    count(hold.allowed ? "allowed" : "denied");
    holds.push({ hold, reserved, slotted, takenAtUs: clock.nowUs, calls: [] });
  }

  function costOf(end: End, { reserved, slotted }: Told): Record<string, number> | undefined {
    if (end.kind !== "settle") return undefined;
    const cost: Record<string, number> = {};
    Object.entries(reserved).forEach(([name, units], i) => {
      const share = end.shares[i % end.shares.length];
      if (share === undefined || slotted.has(name)) return;
      const { limit } = policies.find((policy) => policy.name === name)!;
      cost[name] = share <= 1 ? Math.round(share * units) : units + Math.ceil((share - 1) * limit);
    });
    return cost;
  }

  async function end(told: Told, ends: readonly End[]): Promise<void> {
    const nothing = Object.fromEntries(Object.keys(told.reserved).map((name) => [name, 0]));
    const [first] = ends;
    const actual = first!.kind === "release" ? nothing : costOf(first!, told);
    told.actual ??= { ...told.reserved, ...actual };
    const settle = (each: End): Promise<Settlement> =>
      each.kind === "release" ? told.hold.release() : told.hold.settle(costOf(each, told));
    const settlements = await Promise.all(ends.map(settle));
    const made = calls.splice(0);
    broken.push(...wrongCalls(told, made, ends.length));
    told.calls.push(...made);
    broken.push(...wrongSettlement(told, settlements.at(-1)!));
    count(settlements.at(-1)!.status);
    for (const { given } of made) {
      for (const units of Object.values(given)) count("returned", units);
    }
    count(
      "charged",
      made.filter(({ kind, fate }) => kind === "charge" && fate === "answered").length,
    );
  }

  async function extend(told: Told, ttl: "1s" | undefined): Promise<void> {
    const { status } = await told.hold.extend(ttl);
    const [call] = calls.splice(0);
    const isOver = told.actual !== undefined || !told.hold.allowed;
    const kept = (call?.took ?? !isOver) ? "extended" : "expired";
    const expected = call && call.fate !== "answered" ? "unknown" : kept;
    if (call && isOver) broken.push("a hold that is over is extended");
    if (status !== expected) broken.push(`an extension is ${status}, not ${expected}`);
    count(status);
  }

  async function perform(act: Act): Promise<void> {
    if (act.kind === "change") {
      const limit = story.upsets.limits ? act.limit : 1;
      return change({ limit, window: story.upsets.windows ? act.window : 1 });
    }
    if (act.kind === "clock back") {
      if (!story.upsets.clock) return;
      clock.nowUs -= Math.round(act.share * policies[0]!.windowUs);
      clock.backs++;
      return;
    }
    fates.splice(0, fates.length, ...act.fates);
    if (act.kind === "reserve") return reserve(act);
    const told = holds.at(-1 - act.hold);
    if (!told) return;
    if (act.kind === "end") return end(told, act.ends);
    return extend(told, act.ttl);
  }

  change({ limit: 1, window: 1 });
  count("stories");
  for (const { gap, act } of story.steps) {
    const passed = distance(gap);
    clock.nowUs += passed;
    clock.timeUs += passed;
    await perform(act);
    calls.splice(0);
    count("operations");
    if (broken.length > 0) throw new Error(broken.join("; "));
  }
}
