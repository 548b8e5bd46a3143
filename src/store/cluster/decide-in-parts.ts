import type { Operation, Slot } from "../../algorithms/model.ts";
import type { StoreError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { setRecent } from "../../runtime/lru.ts";
import { mayDeny } from "../decide-together.ts";
import { PartialReplyError } from "../partial-reply.ts";
import type { Reply, Store } from "../store.ts";
import { type AnsweredPart, type Part, rowsOf, takeBack } from "./take-back.ts";

/** Decides a request in parts, one for each hash slot. */
export type DecideInParts = (
  operation: Operation,
  slots: readonly number[],
  keys: readonly string[],
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
  slot?: Slot,
) => Promise<Reply>;

/** The most remembered parts with a recent denial. A forgotten one costs a give-back. */
const MAX_DENIED = 1_000;

/**
 * Asks each part with its own call, concurrently, and gives units back if another part denies. A part that has only
 * policies in shadow is left out of requests and settlements, and has no rows: no client waits for its master.
 *
 * If a part denied the last time, the others only peek at first, and take units when that part has room again. So a
 * client that goes on after its denials takes no units from others, not even for a moment.
 */
export function decideInParts(inner: Store): DecideInParts {
  /** The first keys of parts whose last answer was a denial. */
  const deniedLast = new Map<string, true>();

  async function ask(operation: Operation, part: Part): Promise<AnsweredPart | StoreError> {
    const { keys, costs, policies, slot } = part;
    try {
      const reply = await inner.decide(operation, keys, costs, policies, slot);
      const denying = policies.flatMap((policy, i) =>
        !reply.rows[i]!.allowed && mayDeny(policy) ? [i] : [],
      );
      if (denying.length > 0) setRecent(deniedLast, keys[0]!, true, MAX_DENIED);
      else deniedLast.delete(keys[0]!);
      return { ...part, operation, reply, denying };
    } catch (error) {
      return error as StoreError;
    }
  }

  function askAll(operation: Operation, parts: readonly Part[]) {
    return Promise.all(parts.map((part) => ask(operation, part)));
  }

  /** Takes from parts that denied the last time, and then from the others if those have room. */
  async function askDoubtful(parts: readonly Part[], doubtful: readonly Part[]) {
    const answers = await Promise.all(
      parts.map((part) => ask(doubtful.includes(part) ? "consume" : "peek", part)),
    );
    if (answers.some(denies)) return answers;
    return Promise.all(
      answers.map((answer, i) =>
        isAnswered(answer) && answer.operation === "peek" ? ask("consume", parts[i]!) : answer,
      ),
    );
  }

  return async (operation, slots, keys, costs, policies, slot) => {
    const all = [...new Set(slots)].map((hashSlot): Part => {
      const indices = slots.flatMap((each, i) => (each === hashSlot ? [i] : []));
      return {
        indices,
        keys: at(keys, indices),
        costs: at(costs, indices),
        policies: at(policies, indices),
        slot,
      };
    });
    const awaited = all.filter(isAwaited(operation));
    const parts = awaited.length > 0 ? awaited : all;
    const doubtful =
      operation === "consume" ? parts.filter((part) => deniedLast.has(part.keys[0]!)) : [];
    const answers = await (doubtful.length > 0
      ? askDoubtful(parts, doubtful)
      : askAll(operation, parts));
    const answered = answers.filter(isAnswered);
    const rows = rowsOf(answered, policies.length);
    const undo = async () =>
      operation === "consume" ? takeBack(inner, answered, policies.length) : rows;
    const clocksUs = Array<number>(policies.length);
    for (const { indices, reply } of answered) for (const i of indices) clocksUs[i] = reply.nowUs;
    if (answered.length < parts.length) {
      const failures = Array<StoreError | undefined>(policies.length);
      answers.forEach((answer, i) => {
        if (!isAnswered(answer)) for (const index of parts[i]!.indices) failures[index] = answer;
      });
      throw new PartialReplyError(failures, { rows, clocksUs, giveBack: undo });
    }
    const nowUs = Math.max(...answered.map(({ reply }) => reply.nowUs));
    return { nowUs, clocksUs, rows: answered.some(denies) ? await undo() : rows };
  };
}

/** Tells whether a caller waits for a part. */
function isAwaited(operation: Operation): (part: Part) => boolean {
  if (operation === "peek") return () => true;
  return ({ policies }) =>
    policies.some(
      ({ mode, role }) => mode !== "shadow" || (operation === "charge" && role !== "owed"),
    );
}

function isAnswered(answer: AnsweredPart | StoreError): answer is AnsweredPart {
  return !(answer instanceof Error);
}

function denies(answer: AnsweredPart | StoreError): boolean {
  return isAnswered(answer) && answer.denying.length > 0;
}

function at<Item>(list: readonly Item[], indices: readonly number[]): Item[] {
  return indices.map((i) => list[i]!);
}
