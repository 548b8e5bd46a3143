import { isRecord } from "../../options/record.ts";
import type { Connection } from "./connection.ts";
import { type LiveKeys, liveKeys } from "./live-keys.ts";
import {
  auditRecordIn,
  draftIn,
  fieldsOf,
  headIn,
  type KeptEntry,
  MAX_VERSION,
  recordIn,
  termsTextOf,
  trialIn,
  type VersionHead,
  wholeUpTo,
} from "./records.ts";
import {
  DRAFT,
  NOTE,
  PUBLISH,
  PUT_ENTRY,
  READ_HISTORY,
  READ_RULES,
  REMOVE_ENTRY,
  TRIAL,
  WITHDRAW,
} from "./scripts.generated.ts";
import {
  AUDIT_PAGE,
  MAX_AUDIT,
  MAX_ENTRIES,
  MAX_ENTRIES_BYTES,
  MAX_VERSIONS,
  type Storage,
  type Written,
} from "./storage.ts";

/** The last moment that a date can be. */
const MAX_MOMENT_MS = 8.64e15;

/** The control data in a Redis. */
export function storageOf({ run, ask }: Connection, prefix: string): Storage {
  const keys: LiveKeys = liveKeys(prefix);
  const { state, entries, history, draft, audit } = keys;

  return {
    async rules() {
      const [versionText, publishedAt, document, head, trialText, terms, ...counted] = await run(
        READ_RULES,
        [state, history],
        [],
      );
      const version = wholeUpTo(MAX_VERSION, versionText);
      const trial = trialIn(trialText, terms);
      if (version === 0 && !trial) return undefined;
      const [decided, denied, othersDecided, othersDenied] = counted.map(
        (text) => Number(text) || 0,
      ) as [number, number, number, number];
      const by = recordIn<VersionHead>(head)?.by;
      return {
        version,
        publishedAtMs: wholeUpTo(MAX_MOMENT_MS, publishedAt),
        ...(by !== undefined && { by }),
        document: recordIn(document),
        ...(trial && {
          trial: {
            ...trial,
            counts: {
              tried: { decided, denied },
              others: { decided: othersDecided, denied: othersDenied },
            },
          },
        }),
      };
    },

    async publish(document, based, audited, note, terms) {
      const { by } = audited;
      return writtenBy(
        await run(
          PUBLISH,
          [state, history, draft, audit],
          [
            based.on,
            based.known,
            document,
            fieldsOf({ by, note }),
            fieldsOf(audited),
            MAX_VERSIONS,
            MAX_AUDIT,
            terms ? fieldsOf(terms) : "",
          ],
        ),
      );
    },

    async changeTrial(trial, audited) {
      const { version, percent } = trial;
      const args = [version, percent, termsTextOf(trial), fieldsOf(audited), MAX_AUDIT];
      return writtenBy(await run(TRIAL, [state, history, audit], args));
    },

    async withdraw(version, audited) {
      const args = [version, fieldsOf(audited), MAX_AUDIT];
      return writtenBy(await run(WITHDRAW, [state, history, audit], args));
    },

    async saveDraft(document, basedOn, audited) {
      const { by } = audited;
      const args = [basedOn ?? "", document, fieldsOf({ by }), fieldsOf(audited), MAX_AUDIT];
      return writtenBy(await run(DRAFT, [state, draft, audit], args));
    },

    async draft() {
      return draftIn(await ask<string | null>(["GET", draft]));
    },

    async history() {
      const [current, tried, ...heads] = await run(READ_HISTORY, [state, history], []);
      const versions = heads.flatMap((head) => headIn(head) ?? []);
      return {
        current: wholeUpTo(MAX_VERSION, current),
        tried: wholeUpTo(MAX_VERSION, tried),
        versions: versions.sort((one, other) => other.version - one.version),
      };
    },

    async version(version) {
      const text = await ask<string | null>(["HGET", history, version]);
      return recordIn<{ document: unknown }>(text);
    },

    async putEntry(kind, id, entry, checkedWith, audited) {
      const field = `${kind}:${id}`;
      const { by } = audited;
      const [put, number] = await run(
        PUT_ENTRY,
        [state, entries, audit],
        [
          field,
          JSON.stringify(entry),
          fieldsOf({ by }),
          fieldsOf(audited),
          MAX_ENTRIES,
          MAX_ENTRIES_BYTES,
          MAX_AUDIT,
          checkedWith ?? "",
        ],
      );
      if (put === 1) return { kind: "put", atMs: Number(number) };
      return put === 2 ? { kind: "outdated", version: Number(number) } : { kind: "full" };
    },

    async removeEntry(kind, id, audited) {
      const args = [`${kind}:${id}`, fieldsOf(audited), MAX_AUDIT];
      const [removed] = await run(REMOVE_ENTRY, [state, entries, audit], args);
      return removed === 1;
    },

    async entries(kind) {
      const flat = await ask<readonly string[]>(["HGETALL", entries]);
      const found: (KeptEntry & { id: string })[] = [];
      for (let at = 0; at < flat.length; at += 2) {
        const [of, id] = flat[at]!.split(":", 2);
        const kept = of === kind ? recordIn<KeptEntry>(flat[at + 1]) : undefined;
        // Without its author it is in force all the same.
        if (kept && isRecord(kept.entry)) found.push({ ...kept, by: String(kept.by), id: id! });
      }
      return found;
    },

    async audit(before) {
      let first = 0;
      if (before !== undefined) {
        const [newest] = await ask<readonly unknown[]>(["HMGET", state, "audited"]);
        // The list is newest first, and its numbers have no gaps.
        first = Math.max(0, wholeUpTo(Number.MAX_SAFE_INTEGER, newest) - before + 1);
      }
      const texts = await ask<readonly string[]>(["LRANGE", audit, first, first + AUDIT_PAGE - 1]);
      const records = texts.flatMap((text) => auditRecordIn(text) ?? []);
      // Others may have been written since the newest was asked for.
      return before === undefined ? records : records.filter(({ n }) => n < before);
    },

    async note(audited) {
      await run(NOTE, [state, audit], [fieldsOf(audited), MAX_AUDIT]);
    },
  };
}

function writtenBy([done, version, atMs]: readonly (number | string)[]): Written {
  return done === 1
    ? { done: true, version: Number(version), atMs: Number(atMs) }
    : { done: false, version: Number(version) };
}
