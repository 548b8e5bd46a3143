import type { Operation, Row, Slot } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply, Store } from "../store.ts";

/** A part of a decision: policies whose keys have one hash slot. */
export interface Part {
  /** The positions of its policies in the whole decision. */
  readonly indices: readonly number[];
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
  /** Only for holds: the slot to take of concurrency policies. */
  readonly slot: Slot | undefined;
}

/** A part, its request, and its master's answer. */
export interface AnsweredPart extends Part {
  readonly operation: Operation;
  readonly reply: Reply;
  /** The indices of its policies that deny. */
  readonly denying: readonly number[];
}

/**
 * Takes units back from parts that took them before another part denied the request, and counts the denial in all
 * parts. Resolves with the updated rows. A lost call does not change the decision.
 *
 * @param length the number of policies in the whole decision
 */
export async function takeBack(
  store: Store,
  parts: readonly AnsweredPart[],
  length: number,
): Promise<Row[]> {
  const denied = parts.flatMap(({ denying, indices }) => denying.map((i) => indices[i]!));
  const rows = rowsOf(parts, length);

  async function count(part: AnsweredPart, i: number): Promise<void> {
    const { indices, keys, policies } = part;
    const units = uncountedOf(part, i, denied);
    if (units === 0) return;
    const reply = await store.decide("consume", [keys[i]!], [units], [policies[i]!]);
    // Whether it had room before this denial.
    rows[indices[i]!] = { ...reply.rows[0]!, allowed: part.reply.rows[i]!.allowed };
  }

  await Promise.allSettled(
    parts.flatMap((part) => {
      const { indices, policies, reply, costs } = part;
      if (hasTaken(part)) {
        policies.forEach(({ role, limit, implementation }, i) => {
          // A hold has one slot, for any cost.
          const units = implementation.hasSlots ? Math.min(costs[i]!, 1) : costs[i]!;
          if (isGivenBack(role)) rows[indices[i]!] = withUnits(reply.rows[i]!, units, limit);
        });
      }
      return [
        hasTaken(part) && giveBack(store, part),
        ...policies.map(({ role }, i) => role === "denials" && count(part, i)),
      ];
    }),
  );
  return rows;
}

/** The rows of all parts, in the order of the whole decision, with holes for parts without an answer. */
export function rowsOf(parts: readonly AnsweredPart[], length: number): Row[] {
  const rows = Array<Row>(length);
  for (const { indices, reply } of parts) {
    indices.forEach((index, i) => (rows[index] = reply.rows[i]!));
  }
  return rows;
}

function hasTaken({ operation, denying }: AnsweredPart): boolean {
  return operation === "consume" && denying.length === 0;
}

/** Whether units of this role come back if the request is denied. Those of owed policies are of earlier requests. */
function isGivenBack(role: CompiledPolicy["role"]): boolean {
  return role === "enforced" || role === "advisory";
}

async function giveBack(store: Store, part: AnsweredPart): Promise<void> {
  const { keys, costs, policies, reply, slot } = part;
  const counted = policies.flatMap(({ role }, i) =>
    isGivenBack(role) && reply.rows[i]!.allowed && costs[i]! > 0 ? [i] : [],
  );
  if (counted.length === 0) return;
  const of = <Item>(list: readonly Item[]) => counted.map((i) => list[i]!);
  await store.refund!(of(keys), of(costs), of(policies), reply, slot);
}

/**
 * The denials that a policy has not counted. Its own master has counted those in its own part, unless the call was a
 * peek.
 *
 * @param denied the policies of the whole decision that deny
 */
function uncountedOf(
  { operation, indices, costs, denying }: AnsweredPart,
  i: number,
  denied: readonly number[],
): number {
  const byOther = denied.some((other) => other !== indices[i]);
  if (operation !== "consume") return costs[i]! + Number(byOther);
  return Number(byOther && !denying.some((other) => other !== i));
}

/** The row of a policy after its units came back. */
function withUnits(row: Row, units: number, limit: number): Row {
  if (!row.allowed) return row;
  const remaining = row.remaining + units;
  const resetAfterUs = remaining < limit ? row.resetAfterUs : 0;
  return { allowed: true, remaining, retryAfterUs: 0, resetAfterUs };
}
