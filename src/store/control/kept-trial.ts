import type { Head, KeptRecords } from "./kept-records.ts";
import { BY_GATEWAY } from "./put-back.ts";
import type { AuditedAction, Written } from "./storage.ts";
import {
  exceedsBound,
  newestOf,
  NO_COUNTS,
  type SideCounts,
  takenBackBy,
  type Trial,
  type TrialCounts,
} from "./trial.ts";

/** The operations on a version that only a part of the clients has. */
export interface TrialOperations {
  changeTrial(trial: Trial, audited: AuditedAction): Written;
  /** Adds decisions to those of a trial; returns whether its version is taken back because of them. */
  countTrial(version: number, counts: TrialCounts): boolean;
}

/** @param now in milliseconds since 1970 */
export function keptTrial(records: KeptRecords, now: () => number) {
  /** Marks the version of a trial that ends, which stays in the history, so that no isolate falls back to it. */
  function takeBack({ trial }: Pick<Head, "trial">): void {
    const kept = trial && records.version(trial.version);
    if (kept) records.keepVersion({ ...kept, takenBack: true });
  }

  return {
    takeBack,

    changeTrial({ version, percent, ...terms }, audited) {
      const before = records.head();
      if (before.trial?.version !== version) return { done: false, version: newestOf(before) };
      const atMs = now();
      if (percent === 0) {
        takeBack(before);
        records.change({ trial: undefined });
      } else if (percent < 100) {
        records.change({ trial: { ...terms, version, percent }, counts: NO_COUNTS });
      } else {
        const { text: document } = records.version(version)!;
        records.change({ version, publishedAtMs: atMs, document, trial: undefined, lostAtMs: 0 });
      }
      const given = percent === 0 ? before.version : version;
      records.audit(audited, given);
      return { done: true, version: given, atMs };
    },

    countTrial(version, { tried, others }) {
      const before = records.head();
      const { trial, counts = NO_COUNTS } = before;
      if (trial?.version !== version) return false;
      const sum = { tried: added(counts.tried, tried), others: added(counts.others, others) };
      records.replace({ ...before, counts: sum });
      if (!exceedsBound(sum.tried, trial)) return false;
      takeBack(before);
      records.change({ trial: undefined });
      const changes = [{ type: "removed", path: "trial", before: sum.tried }] as const;
      records.audit({ ...takenBackBy(BY_GATEWAY, trial), changes }, before.version);
      return true;
    },
  } satisfies TrialOperations & { takeBack(head: Pick<Head, "trial">): void };
}

function added(one: SideCounts, other: SideCounts): SideCounts {
  return { decided: one.decided + other.decided, denied: one.denied + other.denied };
}
