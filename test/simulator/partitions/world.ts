import { refund as refundModel } from "../../../src/algorithms/all.ts";
import { type Operation, type Row, wholeUnits } from "../../../src/algorithms/model.ts";
import { StoreError } from "../../../src/options/errors.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { SLOTS } from "../../../src/store/breaker.ts";
import { hashSlot } from "../../../src/store/cluster/hash-slot.ts";
import { CrossSlotError } from "../../../src/store/redis/errors.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Random } from "../random.ts";
import type { Entry } from "../redis/keyspace.ts";
import { decide } from "../redis/script.ts";
import type { Scheduler } from "../scheduler.ts";
import type { PartitionedScenario } from "./scenario.ts";

/** One policy's part in one run of the script. */
export interface Evaluated {
  readonly call: unknown;
  readonly operation: Operation;
  readonly key: string;
  readonly policy: CompiledPolicy;
  readonly cost: number;
  readonly row: Row;
  /** Its master's clock, in microseconds. */
  readonly clock: number;
  /** Virtual time. */
  readonly at: number;
}

/** One Redis or the masters of a Cluster, and the way to them. */
export interface World {
  readonly store: Store;
  /** Everything that the masters evaluated, in order. */
  readonly evaluated: readonly Evaluated[];
  readonly giveBacks: { sent: number; lost: number; late: number };
  /** Their answer to a request now. */
  look(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
  ): Row[];
  clockOf(key: string): number;
}

const START = Date.UTC(2030, 0, 1) * 1000;

/** The time of a message, in microseconds; a late one takes far longer. */
const DELAY = [200, 20_000] as const;
const LATE = [100_000, 5e6] as const;

export function createWorld(
  scenario: PartitionedScenario,
  scheduler: Scheduler,
  randomOf: (call: unknown) => Random,
): World {
  const { masters, ahead, lost, late, replyLost } = scenario;
  const entries = new Map<string, Entry>();
  const evaluated: Evaluated[] = [];
  const giveBacks = { sent: 0, lost: 0, late: 0 };
  const failed = () => new StoreError("ERR_STORE_UNREACHABLE", "gone");
  const masterOf = (key: string) => Math.floor((hashSlot(key) * masters) / SLOTS);
  const clockOf = (key: string) => START + ahead[masterOf(key)]! + scheduler.now;

  const asArguments = (costs: readonly number[], policies: readonly CompiledPolicy[]) =>
    policies.map(({ algorithm, limit, parameters, role }, i) => ({
      cost: costs[i]!,
      role: role[0] as "e",
      algorithm,
      limit,
      parameters,
    }));

  function evaluate(
    operation: Operation,
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    keep: boolean,
  ) {
    const now = clockOf(keys[0]!);
    const found = keys.map((key) => entries.get(key));
    const rows = decide({ operation, policies: asArguments(costs, policies) }, found, now);
    return rows.map(({ state, ...row }, i) => {
      const { algorithm } = policies[i]!;
      if (keep && state !== undefined) {
        entries.set(keys[i]!, { algorithm, state, expiresAt: Infinity });
      }
      return row;
    });
  }

  /** A message there, work, and a message back. */
  function exchange<Answer>(
    work: () => Answer,
    fate: (random: Random) => "lost" | "late" | "silent" | "fine",
  ) {
    const call = scheduler.running;
    const random = randomOf(call);
    const [there, back] = [random.integer(...DELAY), random.integer(...DELAY)];
    const drawn = fate(random);
    const lateness = random.integer(...LATE);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const finish = (how: () => void) => scheduler.at(scheduler.now + back, how, call);
    scheduler.at(
      scheduler.now + there,
      () => {
        if (drawn === "lost" || drawn === "late") finish(() => reject(failed()));
        if (drawn === "late") scheduler.at(scheduler.now + lateness, () => void work(), call);
        if (drawn === "lost" || drawn === "late") return;
        try {
          const answer = work();
          finish(() => (drawn === "silent" ? reject(failed()) : resolve(answer)));
        } catch (error) {
          finish(() => reject(error as Error));
        }
      },
      call,
    );
    return promise;
  }

  function refuseSeveralSlots(keys: readonly string[]): void {
    if (masters > 1 && new Set(keys.map(hashSlot)).size > 1) throw new CrossSlotError();
  }

  const store: Store = {
    decide: (operation, keys, costs, policies) => {
      const call = scheduler.running;
      return exchange(
        () => {
          refuseSeveralSlots(keys);
          const rows = evaluate(operation, keys, costs, policies, true);
          const clock = clockOf(keys[0]!);
          rows.forEach((row, i) => {
            const [key, policy, cost] = [keys[i]!, policies[i]!, costs[i]!];
            evaluated.push({ call, operation, key, policy, cost, row, clock, at: scheduler.now });
          });
          return { nowUs: clock, rows };
        },
        (random) => (random.chance(replyLost) ? "silent" : "fine"),
      );
    },
    refund: (keys, costs, policies, { nowUs: takenAtUs }) => {
      giveBacks.sent++;
      return exchange(
        () => {
          refuseSeveralSlots(keys);
          return keys.map((key, i) => {
            const { algorithm, limit, parameters } = policies[i]!;
            const request = { nowUs: clockOf(key), takenAtUs, cost: costs[i]!, limit, parameters };
            const { refunded, state } = refundModel(algorithm, entries.get(key)?.state, request);
            if (state !== undefined) entries.set(key, { algorithm, state, expiresAt: Infinity });
            return wholeUnits(refunded, parameters);
          });
        },
        (random) => {
          const isLost = random.chance(lost);
          const isLate = random.chance(late);
          if (isLost) giveBacks.lost++;
          else if (isLate) giveBacks.late++;
          return isLost ? "lost" : isLate ? "late" : "fine";
        },
      );
    },
    reset: (keys) =>
      exchange(
        () => {
          refuseSeveralSlots(keys);
          for (const key of keys) entries.delete(key);
        },
        () => "fine",
      ),
  };
  return {
    store,
    evaluated,
    giveBacks,
    clockOf,
    look: (keys, costs, policies) =>
      keys.flatMap((key, i) => evaluate("peek", [key], [costs[i]!], [policies[i]!], false)),
  };
}
