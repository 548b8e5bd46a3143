import type { Account } from "./account.ts";
import { bucketAccount } from "./bucket-account.ts";
import { limitOfShard, type LedgerPolicy, numbersUnder } from "./policies.ts";
import { slotAccount, type SlotAccount } from "./slot-account.ts";
import { windowAccount } from "./window-account.ts";

/** The accounts of all keys that the masters were asked about. */
export interface Accounts {
  readonly keys: ReadonlyMap<string, LedgerPolicy>;
  /** Notes which policy a key is of. */
  name(key: string, name: string): LedgerPolicy;
  units(key: string): Account;
  slots(key: string): SlotAccount;
  /** A key's limit under a plan: a shard has its part. */
  limitOf(key: string, plan: string | undefined): number;
}

const SHARD = /#(\d+)\}/;

export function createAccounts(policies: readonly LedgerPolicy[]): Accounts {
  const keys = new Map<string, LedgerPolicy>();
  const units = new Map<string, Account>();
  const slots = new Map<string, SlotAccount>();

  return {
    keys,

    name(key, name) {
      const policy = policies.find((each) => each.name === name)!;
      keys.set(key, policy);
      return policy;
    },

    units(key) {
      const found = units.get(key) ?? openAccount(keys.get(key)!);
      units.set(key, found);
      return found;
    },

    slots(key) {
      const found = slots.get(key) ?? slotAccount();
      slots.set(key, found);
      return found;
    },

    limitOf(key, plan) {
      const policy = keys.get(key)!;
      const shard = Number(SHARD.exec(key)?.[1] ?? 0);
      return limitOfShard(numbersUnder(policy, plan).limit, policy.shards, shard);
    },
  };
}

function openAccount({ algorithm, under, shards, windowUs }: LedgerPolicy): Account {
  if (algorithm === "concurrency") throw new Error("slots have accounts of their own");
  if (algorithm !== "token-bucket") return windowAccount(algorithm, windowUs);
  const { refill } = under["none"]!;
  const isOneRate = Object.values(under).every((numbers) => numbers.refill === refill);
  return bucketAccount((windowUs / refill) * shards, isOneRate);
}
