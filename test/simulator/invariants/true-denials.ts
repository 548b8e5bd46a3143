import type { Call, Isolate } from "../call.ts";
import { count, type Invariant, keysOf, type Observed } from "./invariant.ts";

/** The meaning of a store's answer for the requests after it. */
interface Fact {
  readonly cost: number;
  /** When the question was asked, in virtual time. */
  readonly since: number;
  /** On the isolate's clock, in milliseconds, less the time that it cannot know to have passed. */
  readonly until: number;
  /** How often the isolate had seen its clock go back: when it does, it forgets. */
  readonly backwards: number;
}

/** Something after which a fact may be wrong, until it ends by itself. */
interface Excuse {
  readonly at: number;
  /** Of one partition's keys, or of all. */
  readonly key: string | undefined;
}

/** A reset elsewhere cannot be known: so long may an isolate go on denying. Milliseconds. */
const MAX_TRUST = 60_000;

/** More than an isolate's clock differs from the server's, as a share. */
const DRIFT = 5e-4;

/** For so long an isolate may believe that the server's clock has not jumped. Microseconds, with drift. */
const UNNOTICED = 10.01e6;

/**
 * A denial that an isolate makes alone is one that the server would make at that moment, too: unless the server has since lost
 * state, was reset, or its clock jumped forwards, for two algorithms also backwards, or the clock of the isolate jumped back
 * while it looked away; and even then for no more than a minute after an answer from before the jump, or from the ten seconds
 * after it.
 */
export function trueDenials(observed: Observed): Invariant {
  const { scenario, scheduler, truth, statistics, violated } = observed;
  const facts = new Map<string, Fact[]>();
  /** When the server last did an isolate's reset of this partition, and when the isolate last learnt of any. */
  const resets = new Map<string | number, number>();
  const excuses: Excuse[] = [];
  // For the counts of these, a clock that goes back makes a window old at once: they had said to wait for longer.
  const shortens = scenario.settings.policies.some(
    ({ algorithm }) => algorithm === "sliding-window-counter" || algorithm === "segmented-window",
  );

  const sensed = ({ clock }: Isolate) => clock.elapsed() - clock.seen.lost;
  const placeOf = ({ isolate, identity }: Call) => `${isolate.number} ${identity}`;

  function learn(call: Call, wait: number, cost: number): void {
    const { calledAt, executions, isolate } = call;
    const place = placeOf(call);
    // It may be dated too late where the isolate's clock went back unseen: after the reset, then.
    const overtaken = executions[0]!.at <= (resets.get(place) ?? -1);
    if (overtaken && isolate.clock.seen.lostAt + UNNOTICED < calledAt) return;
    const fact = {
      cost,
      since: calledAt,
      until: sensed(isolate) + Math.min(wait, MAX_TRUST),
      backwards: isolate.clock.seen.backwards,
    };
    // An answer that any reset has overtaken may be dropped: then the earlier knowledge still holds.
    const sure = calledAt > (resets.get(isolate.number) ?? -1);
    facts.set(place, sure ? [fact] : [...(facts.get(place) ?? []), fact]);
  }

  function check(call: Call, told: number): void {
    const { cost, isolate, identity } = call;
    const { backwards, lostAt } = isolate.clock.seen;
    const grounds = (facts.get(placeOf(call)) ?? []).filter(
      (fact) => fact.cost <= cost && sensed(isolate) < fact.until && fact.backwards === backwards,
    );
    if (grounds.length === 0 || scenario.settings.maxDenials === 0) {
      return violated("true-denials", "denied without an answer that says so");
    }
    const keys = keysOf(scenario, identity);
    const since = Math.min(...grounds.map((fact) => fact.since));
    const hidden = lostAt + UNNOTICED >= since;
    const excused =
      hidden ||
      excuses.some(({ at, key }) => at >= since && (key === undefined || keys.includes(key)));
    if (hidden) count(statistics, "denial after a step that a pause hid");
    const rows = truth(identity, cost);
    if (rows.every(({ allowed }) => allowed)) {
      if (!excused) violated("true-denials", "the server would have admitted it");
      return count(statistics, "wrong denial with an excuse");
    }
    count(statistics, "true denial");
    // The denial of a smaller cost tells a greater one a bound: when all units are free.
    const isBound = grounds.some((fact) => fact.cost < cost);
    const left = Math.max(
      ...rows.map((row) => Math.max(row.retryAfterUs, isBound ? row.resetAfterUs : 0)),
    );
    if (!excused && told * 1000 > left + (scheduler.now - since) * DRIFT + 1) {
      violated("true-denials", `told to wait ${told} ms where ${left} us are left`);
    }
  }

  return {
    answered(call, { decision, error, settlement }) {
      if (call.method === "reset") {
        if (error) return;
        resets.set(placeOf(call), call.executions[0]!.at);
        resets.set(call.isolate.number, scheduler.now);
        facts.delete(placeOf(call));
      } else if (decision?.reason === "cached-denial") {
        check(call, decision.retryAfterMs);
      } else if (decision?.reason === "allowed" || decision?.reason === "limited") {
        const wait = Math.max(...decision.policies.map(({ retryAfterMs }) => retryAfterMs));
        const cost = call.method === "charge" ? 1 : call.cost;
        if (wait > 0 && call.cost > 0) learn(call, wait, cost);
      } else if (settlement?.status === "settled" && call.executions[0]?.operation === "charge") {
        const { rows } = call.executions[0];
        const wait = Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs)) / 1000;
        if (wait > 0) learn(call, wait, 1);
      }
    },

    executed({ operation, at, keys }) {
      if (operation === "reset") for (const key of keys) excuses.push({ at, key });
    },
    lost({ keys }) {
      for (const key of keys ?? [undefined]) excuses.push({ at: scheduler.now, key });
    },
    stepped(by) {
      if (by > 0) excuses.push({ at: scheduler.now + UNNOTICED, key: undefined });
      else if (shortens) excuses.push({ at: scheduler.now, key: undefined });
    },
  };
}
