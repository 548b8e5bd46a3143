import type { Slot } from "../../../src/algorithms/model.ts";
import { StoreError } from "../../../src/errors/errors.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { Reply, Store } from "../../../src/store/store.ts";
import type { Account, Moment } from "./account.ts";
import { bucketAccount } from "./bucket.ts";
import { slotAccount, type SlotAccount } from "./slots.ts";
import { windowAccount } from "./windows.ts";

/** The fate of a call of the store: `lost` before it ran, `unanswered` after; `suspended` was surely not sent. */
export const FATES = ["answered", "lost", "unanswered", "suspended"] as const;
export type Fate = (typeof FATES)[number];

/** A call of the store, as it was meant and as it went. */
export interface Call {
  readonly kind: "consume" | "peek" | "charge" | "refund" | "extend";
  readonly fate: Fate;
  /** By the names of policies: the units asked, and those that a refund gave. */
  readonly asked: Readonly<Record<string, number>>;
  readonly given: Readonly<Record<string, number>>;
  /** Whether all policies had room, or every slot was kept. */
  readonly took: boolean;
}

const LOST = new StoreError("ERR_STORE_TIMEOUT", "It is slow.");
const SUSPENDED = new StoreError("ERR_STORE_SUSPENDED", "It is not asked.");

/** A clock that a story moves. */
export interface StoryClock extends Moment {
  nowUs: number;
  timeUs: number;
  backs: number;
}

/** A store between the limiter and the one that counts: it loses calls, and keeps accounts of the real events. */
export function witness(inner: Store, clock: StoryClock) {
  const accounts = new Map<string, Account>();
  const slots = new Map<string, SlotAccount>();
  const broken: string[] = [];
  const calls: Call[] = [];
  const fates: Fate[] = [];
  const report = (each: string) => broken.push(each);
  let before: Promise<unknown> = Promise.resolve();

  function accountOf(key: string, { algorithm }: CompiledPolicy): Account {
    const account =
      accounts.get(key) ??
      (algorithm === "token-bucket" ? bucketAccount(report) : windowAccount(algorithm, report));
    accounts.set(key, account);
    return account;
  }

  function slotsOf(key: string): SlotAccount {
    const account = slots.get(key) ?? slotAccount(report);
    slots.set(key, account);
    return account;
  }

  /** Runs calls one after the other, no two in the same microsecond, as Redis does. */
  function send<Answer>(
    call: Pick<Call, "kind" | "asked">,
    run: () => Answer | Promise<Answer>,
    note: (answer: Answer, at: Moment) => Pick<Call, "given" | "took">,
  ): Promise<Answer> {
    const fate = fates.shift() ?? "answered";
    const sent = before.then(async () => {
      clock.nowUs++;
      clock.timeUs++;
      const ran = fate === "answered" || fate === "unanswered";
      if (!ran) {
        calls.push({ ...call, fate, given: {}, took: false });
        throw fate === "lost" ? LOST : SUSPENDED;
      }
      const at = { ...clock };
      const answer = await run();
      calls.push({ ...call, fate, ...note(answer, at) });
      if (fate === "unanswered") throw LOST;
      return answer;
    });
    before = sent.catch(() => {});
    return sent;
  }

  const byName = (policies: readonly CompiledPolicy[], numbers: readonly number[]) =>
    Object.fromEntries(policies.map(({ name }, i) => [name, numbers[i]!]));

  function noteDecision(
    kind: Call["kind"],
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    slot: Slot | undefined,
    { rows }: Reply,
    at: Moment,
  ): boolean {
    const took = rows.every(({ allowed }) => allowed);
    policies.forEach((policy, i) => {
      const [key, cost] = [keys[i]!, costs[i]!];
      if (kind === "charge") {
        if (!policy.implementation.hasSlots) accountOf(key, policy).charge({ policy, cost, at });
        return;
      }
      const asked = { policy, cost, at, hold: slot?.id ?? "", allowed: rows[i]!.allowed, took };
      if (policy.implementation.hasSlots) slotsOf(key).reserve(asked, slot!);
      else accountOf(key, policy).reserve(asked);
    });
    return took;
  }

  const store: Store = {
    now: () => clock.nowUs,
    decide(operation, keys, costs, policies, slot) {
      const kind = operation as Call["kind"];
      return send(
        { kind, asked: byName(policies, costs) },
        () => inner.decide(operation, keys, costs, policies, slot),
        (reply, at) => ({
          given: {},
          took: noteDecision(kind, keys, costs, policies, slot, reply, at),
        }),
      );
    },
    refund(keys, costs, policies, decidedAt, slot) {
      return send(
        { kind: "refund", asked: byName(policies, costs) },
        () => inner.refund!(keys, costs, policies, decidedAt, slot),
        (units, at) => {
          policies.forEach((policy, i) => {
            const refund = { policy, cost: costs[i]!, at, hold: slot!.id, given: units[i]! };
            if (policy.implementation.hasSlots) slotsOf(keys[i]!).giveBack(refund);
            else accountOf(keys[i]!, policy).giveBack(refund);
          });
          return { given: byName(policies, units), took: true };
        },
      );
    },
    extend(keys, policies, slot) {
      return send(
        { kind: "extend", asked: {} },
        () => inner.extend!(keys, policies, slot),
        (kept, at) => {
          policies.forEach((policy, i) => {
            if (policy.implementation.hasSlots)
              slotsOf(keys[i]!).extend(policy, slot, at, kept[i]!);
          });
          return { given: {}, took: kept.every(Boolean) };
        },
      );
    },
    reset: (keys) => inner.reset(keys),
  };
  return { store, calls, fates, broken };
}
