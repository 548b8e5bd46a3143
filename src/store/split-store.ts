import type { Operation, Row } from "../algorithms/model.ts";
import { StoreError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { CrossSlotError } from "./cross-slot.ts";
import { hashSlot } from "./hash-slot.ts";
import { PartialReplyError } from "./partial-reply.ts";
import type { Reply, Store } from "./store.ts";

/** A part of a decision whose keys have one hash slot. */
interface Part {
  /** Where its policies stand in the whole decision. */
  readonly indices: readonly number[];
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
}

/**
 * Decides several partitions at once, wherever they are. One Redis takes all of them in one call; a Redis Cluster refuses
 * that, and from then on each hash slot is asked by itself, side by side. What was taken in one slot is given back when
 * another denies.
 *
 * No more is admitted than one call would admit. A give-back that is lost costs the client units, until they leave the
 * window.
 */
export function splitStore(inner: Store): Store {
  /** Whether one call can have keys of several slots; unknown until one has had. */
  let spans: boolean | undefined;

  async function decideInParts(operation: Operation, parts: readonly Part[]): Promise<Reply> {
    const settled = await Promise.allSettled(
      parts.map(async ({ keys, costs, policies }) =>
        inner.decide(operation, keys, costs, policies),
      ),
    );
    const replies = settled.map((each) => (each.status === "fulfilled" ? each.value : undefined));
    const denied = parts.map((part, i) => replies[i] !== undefined && denies(part, replies[i]));
    const giveBack = async () => {
      if (operation !== "consume") return;
      await Promise.all(
        parts.map((part, i) =>
          replies[i] && !denied[i]
            ? giveBackPart(part, replies[i], denied.includes(true))
            : undefined,
        ),
      );
    };
    const rows: Row[] = [];
    parts.forEach(({ indices, costs }, i) => {
      indices.forEach((index, row) => {
        const own = replies[i]?.rows[row];
        if (own)
          rows[index] = denied.includes(true) && !denied[i] ? withUnits(own, costs[row]!) : own;
      });
    });
    const nowUs = Math.max(...replies.map((reply) => reply?.nowUs ?? 0));
    const failure = settled.find((each) => each.status === "rejected");
    if (failure) {
      if (replies.every((reply) => reply === undefined)) throw failure.reason;
      throw new PartialReplyError(failure.reason as StoreError, rows, giveBack);
    }
    if (denied.includes(true)) await giveBack();
    return { nowUs, rows };
  }

  /** Lists of some of a list's policies: a store keeps its script with the list. */
  const sublists = new WeakMap<readonly CompiledPolicy[], Map<string, readonly CompiledPolicy[]>>();

  function sublist(policies: readonly CompiledPolicy[], indices: readonly number[]) {
    const known = sublists.get(policies) ?? new Map<string, readonly CompiledPolicy[]>();
    sublists.set(policies, known);
    const key = indices.join();
    const list = known.get(key) ?? at(policies, indices);
    known.set(key, list);
    return list;
  }

  function partsOf(
    slots: readonly number[],
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
  ): readonly Part[] {
    return [...new Set(slots)].map((slot) => {
      const indices = slots.flatMap((each, i) => (each === slot ? [i] : []));
      return {
        indices,
        keys: at(keys, indices),
        costs: at(costs, indices),
        policies: sublist(policies, indices),
      };
    });
  }

  /** Gives back what a part has taken. If another part denied, policies that count denials count that. */
  async function giveBackPart(
    part: Part,
    { nowUs, rows }: Reply,
    isDenied: boolean,
  ): Promise<void> {
    const { keys, costs, policies } = part;
    const taken = policies.flatMap(({ role }, i) =>
      role !== "denials" && rows[i]!.allowed && costs[i]! > 0 ? [i] : [],
    );
    const counting = policies.flatMap(({ role }, i) => (role === "denials" && isDenied ? [i] : []));
    await Promise.allSettled([
      taken.length > 0 &&
        inner.refund!(at(keys, taken), at(costs, taken), sublist(policies, taken), nowUs),
      counting.length > 0 &&
        inner.decide(
          "charge",
          at(keys, counting),
          counting.map(() => 1),
          sublist(policies, counting),
        ),
    ]);
  }

  /** Asks the store about keys of two slots. No partition key begins with `#` and is that short. */
  async function probe(prefix: string): Promise<boolean> {
    try {
      await inner.reset([`${prefix}:{#1}`, `${prefix}:{#2}`]);
      spans = true;
    } catch (error) {
      if (error instanceof CrossSlotError) spans = false;
    }
    return spans ?? false;
  }

  return {
    ...inner,

    async decide(operation, keys, costs, policies) {
      const slots = slotsOf(keys);
      if (slots === undefined) return inner.decide(operation, keys, costs, policies);
      if (spans !== false) {
        try {
          const reply = await inner.decide(operation, keys, costs, policies);
          spans = true;
          return reply;
        } catch (error) {
          if (!(error instanceof CrossSlotError)) throw error;
          spans = false;
        }
      }
      return decideInParts(operation, partsOf(slots, keys, costs, policies));
    },

    async reset(keys) {
      const slots = spans === false ? slotsOf(keys) : undefined;
      if (slots === undefined) return inner.reset(keys);
      const groups = [...new Set(slots)].map((slot) => keys.filter((_, i) => slots[i] === slot));
      await Promise.all(groups.map((group) => inner.reset(group)));
    },

    spansPartitions: (prefix) => spans ?? probe(prefix),
  };
}

/** The hash slot of each key; `undefined` if all have the same. */
function slotsOf(keys: readonly string[]): readonly number[] | undefined {
  const first = tagOf(keys[0]!);
  if (keys.every((key) => tagOf(key) === first)) return undefined;
  const slots = keys.map(hashSlot);
  return slots.every((slot) => slot === slots[0]) ? undefined : slots;
}

function tagOf(key: string): string {
  return key.slice(0, key.indexOf("}"));
}

function at<Item>(list: readonly Item[], indices: readonly number[]): Item[] {
  return indices.map((i) => list[i]!);
}

function denies({ policies }: Part, { rows }: Reply): boolean {
  return rows.some(({ allowed }, i) => !allowed && policies[i]!.role !== "advisory");
}

/** A row as it is after its units came back. */
function withUnits(row: Row, units: number): Row {
  return row.allowed ? { ...row, remaining: row.remaining + units, retryAfterUs: 0 } : row;
}
