import { useState } from "hono/jsx/dom";

import type { Explanation } from "../api/answers.ts";
import { useSession } from "../api/session.ts";
import { Ask } from "../parts/ask.tsx";
import { entryName } from "../parts/entry-name.ts";
import { moment } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { takeOff } from "../parts/take-off.ts";

/** An entry as `/explain` names it. */
type Naming = NonNullable<Explanation["entries"]>[number];

interface NamingEntriesProps {
  readonly explanation: Explanation;
  readonly done: () => void;
}

/** The entries that block or exempt a client: one of a network, for example, that its own name does not lead to. */
export function NamingEntries({ explanation, done }: NamingEntriesProps) {
  const session = useSession();
  const [asking, setAsking] = useState<Naming | undefined>(undefined);
  const isBlock = explanation.verdict === "blocked";
  const path = isBlock ? "lists/deny" : "lists/allow";
  const words = isBlock
    ? { gone: "Not blocked any more", again: "Blocked again" }
    : { gone: "Not exempt any more", again: "Exempt again" };
  const title = isBlock ? "Entries that block it" : "Entries that exempt it";
  const { entries = [] } = explanation;
  if (entries.length === 0) return <></>;
  return (
    <>
      <h3>{title}</h3>
      <div class="clients" role="group" aria-label={title}>
        {entries.map((entry) => (
          <>
            <code class="untrusted">{clipped(entryName(entry))}</code>
            <div>
              <span>
                {entry.until === undefined ? "without an end" : `until ${moment(entry.until)}`}
              </span>
              <button
                type="button"
                disabled={!session.canWrite}
                aria-label={`Remove ${clipped(entryName(entry))}`}
                onClick={() => setAsking(entry)}
              >
                Remove
              </button>
            </div>
          </>
        ))}
      </div>
      {asking && (
        <Ask
          title="Remove this entry?"
          verb="Remove"
          isDangerous
          act={() => takeOff(session, path, asking, words, done)}
          close={() => setAsking(undefined)}
        >
          <p class="untrusted">
            <code>{clipped(entryName(asking))}</code>
          </p>
          <p>Every client that it names is affected, not only this one.</p>
        </Ask>
      )}
    </>
  );
}
