import type { SendCommand } from "../redis/rest.ts";
import type { ReadHistory } from "./control-store.ts";
import type { LiveKeys } from "./live-keys.ts";
import { recordIn, type VersionHead } from "./records.ts";

/** @throws StoreError if Redis gives no usable answer */
export function historyReader(send: SendCommand, { history }: LiveKeys): ReadHistory {
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
