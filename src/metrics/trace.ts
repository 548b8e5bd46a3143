import { denies, type Outcome, type PolicyRows } from "../decision/outcome.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { createKeyedHash } from "./keyed-hash.ts";
import { identityOf } from "./partition-name.ts";
import { eventText, lineStart, numberText } from "./trace-text.ts";

/** One of so many partitions is in the sample. */
export const SAMPLED_ONE_IN = 64;

/** The requests that an isolate keeps until its next flush. */
const MAX_EVENTS = 500;

/** The highest class: of a sample that has become too large, its partitions stay longest. */
const MAX_CLASS = 16;

/** Requests of partitions in the sample, on their way to Redis. */
export interface TracePart {
  /** Partitions of lower classes were dropped. */
  readonly level: number;
  readonly chunks: readonly TraceChunk[];
}

/** The requests of all partitions of one class. */
export interface TraceChunk {
  readonly sampleClass: number;
  readonly events: number;
  readonly text: string;
}

/** Keeps the outcome of each request of a few partitions, chosen by a keyed hash. */
export interface Trace {
  /** Costs one hash where the partition is not in the sample. */
  note(outcome: Outcome, identities: Readonly<Record<string, string>>, costs: Costs): void;
  /** Returns its records, and starts afresh. */
  take(): TracePart;
  /** The name of a partition in the sample; `undefined` for one that is not in it. */
  numberOf(identity: string): string | undefined;
}

/** By the names of policies; 1 for those that it does not name. */
type Costs = Readonly<Record<string, number>> | undefined;

/** The requests of one partition under one policy and limit. */
interface Kept {
  readonly sampleClass: number;
  events: number;
  text: string;
  lastMs: number;
}

/**
 * Requests that do not fit are dropped by classes of partitions, each half as large as the one before: each isolate drops the
 * same ones, so that a smaller sample of whole partitions remains.
 *
 * @param secret a text that clients do not know, or they would place themselves in the sample, or outside
 */
export function createTrace(secret: string): Trace {
  const hash = createKeyedHash(secret);
  let kept = new Map<string, Kept>();
  let events = 0;
  let level = 0;
  let latest: string | undefined;

  function isSampled(identity: string): boolean {
    if (identity !== latest) {
      hash.update(identity);
      latest = identity;
    }
    return (hash.words[0]! & (SAMPLED_ONE_IN - 1)) === 0;
  }

  function makeRoom(): void {
    while (events > MAX_EVENTS) {
      level++;
      for (const [start, line] of kept) {
        if (line.sampleClass >= level) continue;
        kept.delete(start);
        events -= line.events;
      }
    }
  }

  function keep(
    { nowUs }: Outcome,
    policy: CompiledPolicy,
    costs: Costs,
    verdict: { readonly hasRoom: boolean; readonly isDenied: boolean },
  ): void {
    const sampleClass = classOf(hash.words[0]!);
    if (sampleClass < level) return;
    const { limit } = policy.unsharded ?? policy;
    const start = lineStart(policy.name, partitionOf(hash.words), limit);
    const line = kept.get(start) ?? { sampleClass, events: 0, text: start, lastMs: 0 };
    const ms = Math.floor(nowUs / 1000);
    line.text += eventText({ ...verdict, ms: ms - line.lastMs, cost: costOf(costs, policy.name) });
    line.lastMs = ms;
    line.events++;
    events++;
    kept.set(start, line);
    makeRoom();
  }

  function noteRows(
    outcome: Outcome,
    { policies, rows }: PolicyRows,
    identities: Readonly<Record<string, string>>,
    costs: Costs,
  ): void {
    for (let i = 0; i < rows.length; i++) {
      const policy = policies[i]!;
      if (!isSampled(identityOf(policy, identities))) continue;
      const isDenied = isDeniedByOthers(outcome, policy);
      keep(outcome, policy, costs, { hasRoom: rows[i]!.allowed, isDenied });
    }
  }

  return {
    note(outcome, identities, costs) {
      // The request took no units from counting policies.
      if (outcome.reason === "store-unavailable") return;
      noteRows(outcome, outcome, identities, costs);
      if (outcome.shadow) noteRows(outcome, outcome.shadow, identities, costs);
    },

    take() {
      const slice = { level, chunks: chunksOf([...kept.values()]) };
      kept = new Map();
      events = level = 0;
      return slice;
    },

    numberOf: (identity) => (isSampled(identity) ? numberText(partitionOf(hash.words)) : undefined),
  };
}

// Its closure would cost each request an allocation in the loop of its caller.
function isDeniedByOthers(outcome: Outcome, { name }: CompiledPolicy): boolean {
  return outcome.policies.some((other, i) => other.name !== name && denies(outcome, i));
}

/** Half of the sample is of class 0, a quarter of class 1, and so on. */
function classOf(word: number): number {
  const rest = word >>> 6;
  return rest === 0 ? MAX_CLASS : Math.min(MAX_CLASS, 31 - Math.clz32(rest & -rest));
}

/** A number of 52 bits, by which a partition in the sample is told apart from the others. */
function partitionOf(words: Int32Array): number {
  return (words[1]! >>> 0) * 2 ** 20 + (words[0]! >>> 12);
}

function chunksOf(lines: readonly Kept[]): TraceChunk[] {
  const classes = [...new Set(lines.map(({ sampleClass }) => sampleClass))];
  return classes.map((sampleClass) => {
    const own = lines.filter((line) => line.sampleClass === sampleClass);
    return {
      sampleClass,
      events: own.reduce((sum, { events }) => sum + events, 0),
      text: own.map(({ text }) => text).join("\n"),
    };
  });
}

/** The cost of a request for a policy, which may be named like a property of every object, such as `constructor`. */
function costOf(costs: Costs, name: string): number {
  return costs && Object.hasOwn(costs, name) ? costs[name]! : 1;
}
