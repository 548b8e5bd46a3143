import type { Page } from "../page.ts";
import { givesBack, type LedgerPolicy } from "../policies.ts";
import type { Say } from "./say.ts";

/** No denial is trusted for longer. */
const MOST_MS = 60_000;

/** A denial that a master has told an isolate. */
interface Learnt {
  readonly partition: string;
  readonly plan: string | undefined;
  readonly atMs: number;
  readonly waitMs: number;
  /** When it was told, in the order of pages. */
  readonly turn: number;
}

/** The effect of a page on a partition. */
interface Done {
  readonly isolate: number;
  readonly partition: string;
  readonly plan: string | undefined;
  readonly turn: number;
  /** Whether the isolate got the whole answer. */
  readonly isAnswered: boolean;
  /** The policy to which something went back. */
  readonly gaveBackTo: string | undefined;
}

const partitionOf = (key: string) => key.slice(key.indexOf("{") + 1, key.indexOf("}"));
const withoutShard = (partition: string) => partition.replace(/#\d+$/, "");

/** The denials that each isolate can know: it makes no other denial without asking, and none for longer than it may. */
export function knownDenials(isolates: readonly (readonly LedgerPolicy[])[]) {
  const learnt = isolates.map((): Learnt[] => []);
  const done: Done[] = [];
  /** How many calls of a page were entered. */
  const entered = new WeakMap<Page, number>();
  let turn = 0;
  /** Whether an isolate may know denials of a policy: as far as the isolate knows, no unit goes back to it. */
  const isKept = (isolate: number, name: string | undefined) =>
    isolates[isolate]!.some((policy) => policy.name === name && !givesBack(policy));

  return {
    /**
     * Enters the new calls of a page.
     *
     * @param ends whether the isolate certainly had the whole answer
     */
    enter(page: Page, nowMs: number, ends: boolean): void {
      turn++;
      const { isolate, plan, calls } = page;
      for (const call of calls.slice(entered.get(page) ?? 0)) {
        const { operation, fate, parts } = call;
        for (const { key, name, waitUs = 0 } of parts) {
          const partition = partitionOf(key);
          const gaveBackTo = operation === "refund" ? name : undefined;
          done.push({ isolate, partition, plan, turn, isAnswered: ends, gaveBackTo });
          if (fate !== "answered" || waitUs === 0 || !isKept(isolate, name)) continue;
          learnt[isolate]!.push({ partition, plan, atMs: nowMs, waitMs: waitUs / 1000, turn });
        }
      }
      entered.set(page, calls.length);
    },

    /**
     * @param partitions of the request
     * @param hasRoom whether every policy has room, as far as the ledger can say
     */
    check(
      { isolate, plan }: Page,
      partitions: readonly string[],
      nowMs: number,
      hasRoom: boolean,
      say: Say,
    ): void {
      const of = learnt[isolate]!.filter(
        (each) => each.plan === plan && partitions.includes(withoutShard(each.partition)),
      );
      if (of.length === 0) return say("denies what nothing has told it");
      const fresh = of.filter(({ atMs, waitMs }) => nowMs < atMs + Math.min(waitMs, MOST_MS));
      if (fresh.length === 0) return say("denies for longer than it may");
      const valid = fresh.filter(
        (each) =>
          !done.some(
            (other) =>
              other.isolate === isolate &&
              other.isAnswered &&
              other.gaveBackTo === undefined &&
              other.partition === each.partition &&
              other.plan !== plan &&
              other.turn > each.turn,
          ),
      );
      if (valid.length === 0) return say("denies after its own decision under another plan");
      if (!hasRoom) return;
      const isExcused = valid.some((each) =>
        done.some(
          (other) =>
            other.partition === each.partition &&
            other.turn > each.turn &&
            (other.plan !== plan || isKept(isolate, other.gaveBackTo)),
        ),
      );
      if (!isExcused) say("denies although there is room, and nothing has made it since");
    },
  };
}
