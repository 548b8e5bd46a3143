import type { SendCommand } from "../../redis/rest.ts";
import type { KeptVersion, ReadHistory } from "../control-store.ts";
import type { LiveKeys } from "../live-keys.ts";

/** @throws StoreError if Redis gives no usable answer */
export function historyReader(send: SendCommand, { history }: LiveKeys): ReadHistory {
  return async function* readHistory() {
    const names = await send(["HKEYS", history]);
    const versions = (Array.isArray(names) ? names : [])
      .map(Number)
      .filter((version) => Number.isSafeInteger(version) && version > 0)
      .toSorted((one, other) => other - one);
    for (const version of versions) {
      const document = documentIn(await send(["HGET", history, String(version)]));
      if (document !== undefined) yield { version, document };
    }
  };
}

/** The document of a record; `undefined` if it is no record. */
function documentIn(text: unknown): unknown {
  try {
    return (Object(JSON.parse(String(text))) as Partial<KeptVersion>).document;
  } catch {
    return undefined;
  }
}
