import { StoreError } from "../../options/errors.ts";
import type { RedisAddress } from "../redis/client.ts";
import { dialectAt } from "../redis/dialect.ts";
import { storeError } from "../redis/errors.ts";
import { restReader, type SendCommand } from "../redis/rest.ts";
import { connectionTo } from "./connection.ts";
import type { LiveStore, Persistence, ReadHistory } from "./control-store.ts";
import { liveKeys, type LiveKeys } from "./live-keys.ts";
import { BY_GATEWAY } from "./put-back.ts";
import { stateReader } from "./read-state.ts";
import { fieldsOf, recordIn, termsTextOf, type VersionHead } from "./records.ts";
import { COUNT_TRIAL, PUT_BACK } from "./scripts.generated.ts";
import { MAX_AUDIT } from "./storage.ts";
import { MIN_DECISIONS, takenBackBy } from "./trial.ts";

/**
 * The live rules in a Redis.
 *
 * @param timeoutMs the time limit of a read
 * @param onCommand called with each command that is sent
 */
export function redisLiveStore(
  redis: RedisAddress,
  prefix: string,
  timeoutMs: number,
  onCommand: () => void,
): LiveStore {
  const keys = liveKeys(prefix);
  const send = restReader(redis, timeoutMs);
  const { run } = connectionTo(redis);
  const counted: SendCommand = async (command) => {
    onCommand();
    try {
      return await send(command);
    } catch (error) {
      throw storeError(error);
    }
  };
  return {
    read: stateReader(counted, keys),
    readHistory: historyReader(counted, keys),
    persistence: () => persistenceOf(redis, counted),

    async putBack(over, { state, documents, audited }) {
      const { revision, lineage, lostAtMs, version, publishedAtMs, document, trial, entries } =
        state;
      const kept = Array.from(documents).flatMap(
        ([number, { text, publishedAtMs: publishedAt }]) => [
          number,
          `{${fieldsOf({ version: number, publishedAt, by: BY_GATEWAY })}`,
          text,
        ],
      );
      const published = document === undefined ? [0, 0, ""] : [version, publishedAtMs, document];
      const tried = trial ? [trial.version, termsTextOf(trial), trial.document] : [0, "", ""];
      onCommand();
      const [done] = await run(
        PUT_BACK,
        [keys.state, keys.entries, keys.history, keys.audit],
        [
          over,
          revision,
          lineage,
          lostAtMs,
          ...published,
          ...tried,
          fieldsOf(audited),
          MAX_AUDIT,
          documents.size,
          ...kept,
          ...Object.entries(entries).flat(),
        ],
      );
      return done === 1;
    },

    async countTrial(version, { tried, others }) {
      const begin = `${fieldsOf(takenBackBy(BY_GATEWAY, { version }))},"changes":[{"type":"removed","path":"trial","before":`;
      onCommand();
      const [counted] = await run(
        COUNT_TRIAL,
        [keys.state, keys.history, keys.audit],
        [
          version,
          tried.decided,
          tried.denied,
          others.decided,
          others.denied,
          MIN_DECISIONS,
          begin,
          MAX_AUDIT,
        ],
      );
      return counted === 2;
    },
  };
}

/** @throws StoreError if Redis gives no usable answer */
function historyReader(send: SendCommand, { history }: LiveKeys): ReadHistory {
  return async function* readHistory() {
    const names = await send(["HKEYS", history]);
    const versions = (Array.isArray(names) ? names : [])
      .map(Number)
      .filter((version) => Number.isSafeInteger(version) && version > 0)
      .toSorted((one, other) => other - one);
    for (const version of versions) {
      const kept = recordIn<VersionHead & { document?: unknown }>(
        await send(["HGET", history, String(version)]),
      );
      if (kept?.document !== undefined && !kept.takenBack)
        yield { version, document: kept.document };
    }
  };
}

/**
 * Asks a Redis; a host that keeps the data by itself is not asked, and one that refuses to say is unknown. Rejects if there is no
 * answer.
 */
async function persistenceOf(
  { url, dialect }: RedisAddress,
  send: SendCommand,
): Promise<Persistence> {
  if (dialectAt(url, dialect).firstLine !== "") return "managed";
  const info = String(await send(["INFO", "persistence"]).catch(refusal));
  if (/^aof_enabled:1\r?$/m.test(info)) return "aof";
  const isKnown = /^aof_enabled:0\r?$/m.test(info);
  const saves = await send(["CONFIG", "GET", "save"]).catch(refusal);
  if (!isKnown || !Array.isArray(saves) || saves[0] !== "save") return "unknown";
  return saves[1] === "" ? "none" : "rdb";
}

const NO_ANSWER: readonly unknown[] = ["ERR_STORE_TIMEOUT", "ERR_STORE_UNREACHABLE"];

/** A refusal is an answer: asking again would not change it. */
function refusal(error: unknown): "" {
  if (error instanceof StoreError && !NO_ANSWER.includes(error.code)) return "";
  throw error;
}
