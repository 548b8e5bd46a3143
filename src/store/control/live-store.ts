import type { RedisAddress } from "../redis/client.ts";
import { storeError } from "../redis/errors.ts";
import { restReader, type SendCommand } from "../redis/rest.ts";
import { connectionTo } from "./connection.ts";
import type { LiveStore } from "./control-store.ts";
import { liveKeys } from "./live-keys.ts";
import { persistenceOf } from "./persistence.ts";
import { BY_GATEWAY } from "./put-back.ts";
import { historyReader } from "./read-history.ts";
import { stateReader } from "./read-state.ts";
import { fieldsOf } from "./records.ts";
import { COUNT_TRIAL, PUT_BACK } from "./scripts.generated.ts";
import { MAX_AUDIT } from "./storage.ts";
import { termsTextOf } from "./trial-fields.ts";
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
