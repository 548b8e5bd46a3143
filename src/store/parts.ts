import type { Operation, Row } from "../algorithms/model.ts";
import type { StoreError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { PartialReplyError } from "./partial-reply.ts";
import type { Reply, Store } from "./store.ts";

/** A part of a decision: policies whose keys have one hash slot. */
interface Part {
  /** Where its policies stand in the whole decision. */
  readonly indices: readonly number[];
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
}

/** A part, and what its master answered: a row of a policy stands in `rows`, as it does in `part.policies`. */
interface AnsweredPart extends Part {
  readonly reply: Reply;
  /** The indices of its policies that deny. */
  readonly denying: readonly number[];
}

/** Decides a request in parts, one for each hash slot. */
export type DecideInParts = (
  operation: Operation,
  slots: readonly number[],
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
) => Promise<Reply>;

/** Asks for each part by itself, side by side, and gives back what some have taken when others deny. */
export function decideInParts(inner: Store): DecideInParts {
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

  /** Gives back what a part has taken. Whether that arrives changes nothing about the decision. */
  async function giveBack({ keys, costs, policies, reply }: AnsweredPart): Promise<void> {
    const taken = policies.flatMap(({ role }, i) =>
      role !== "denials" && reply.rows[i]!.allowed && costs[i]! > 0 ? [i] : [],
    );
    if (taken.length === 0) return;
    await inner.refund!(at(keys, taken), at(costs, taken), at(policies, taken), reply.nowUs);
  }

  /** Charges a denial to a policy that counts them; returns its row afterwards. */
  async function countDenial({ keys, policies, reply }: AnsweredPart, i: number): Promise<Row> {
    const alone = sublist(policies, [i]);
    const counted = await inner.decide("consume", [keys[i]!], [1], alone);
    return { ...counted.rows[0]!, allowed: reply.rows[i]!.allowed };
  }

  /**
   * Takes back what was done before it was known that the request is denied. Returns the rows as they are then.
   *
   * @param parts those that were answered
   */
  async function undo(parts: readonly AnsweredPart[], length: number): Promise<Row[]> {
    const denied = parts.flatMap(({ denying, indices }) => at(indices, denying));
    const rows = rowsOf(parts, length);
    const steps = parts.map(async (part) => {
      const { indices, costs, policies, reply, denying } = part;
      await Promise.allSettled([
        denying.length === 0 && giveBack(part),
        ...policies.map(async ({ role, limit }, i) => {
          const index = indices[i]!;
          if (role !== "denials") {
            if (denying.length === 0) rows[index] = withUnits(reply.rows[i]!, costs[i]!, limit);
            return;
          }
          // Its own master has counted those of its part.
          const isCounted = denying.some((other) => other !== i);
          if (!isCounted && denied.some((other) => other !== index)) {
            rows[index] = await countDenial(part, i);
          }
        }),
      ]);
    });
    await Promise.all(steps);
    return rows;
  }

  return async (operation, slots, keys, costs, policies) => {
    const parts = [...new Set(slots)].map((slot): Part => {
      const indices = slots.flatMap((each, i) => (each === slot ? [i] : []));
      return {
        indices,
        keys: at(keys, indices),
        costs: at(costs, indices),
        policies: sublist(policies, indices),
      };
    });
    const settled = await Promise.allSettled(
      parts.map(async (part) => inner.decide(operation, part.keys, part.costs, part.policies)),
    );
    const answered = parts.flatMap((part, i): AnsweredPart[] => {
      const each = settled[i]!;
      if (each.status === "rejected") return [];
      return [{ ...part, reply: each.value, denying: denyingOf(part, each.value) }];
    });
    const failure = settled.find((each) => each.status === "rejected");
    if (failure && answered.length === 0) throw failure.reason;
    const rows = rowsOf(answered, policies.length);
    const undone = async () => (operation === "consume" ? undo(answered, policies.length) : rows);
    if (failure) throw new PartialReplyError(failure.reason as StoreError, rows, undone);
    return {
      nowUs: Math.max(...answered.map(({ reply }) => reply.nowUs)),
      rows: answered.some(({ denying }) => denying.length > 0) ? await undone() : rows,
    };
  };
}

/** The rows of all parts, in the order of the whole decision, with holes where a part was not answered. */
function rowsOf(parts: readonly AnsweredPart[], length: number): Row[] {
  const rows = Array<Row>(length);
  for (const { indices, reply } of parts) {
    indices.forEach((index, i) => (rows[index] = reply.rows[i]!));
  }
  return rows;
}

function denyingOf({ policies }: Part, { rows }: Reply): readonly number[] {
  return policies.flatMap(({ role }, i) => (!rows[i]!.allowed && role !== "advisory" ? [i] : []));
}

/** The row of a policy as it is after its units came back. */
function withUnits(row: Row, units: number, limit: number): Row {
  if (!row.allowed) return row;
  const remaining = row.remaining + units;
  const resetAfterUs = remaining < limit ? row.resetAfterUs : 0;
  return { allowed: true, remaining, retryAfterUs: 0, resetAfterUs };
}

function at<Item>(list: readonly Item[], indices: readonly number[]): Item[] {
  return indices.map((i) => list[i]!);
}
