import { useState } from "hono/jsx/dom";

import type { Entry } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { Ask } from "../parts/ask.tsx";
import { entryName } from "../parts/entry-name.ts";
import { moment } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { Table } from "../parts/table.tsx";
import { takeOff } from "../parts/take-off.ts";
import type { ListPath } from "./list-paths.ts";

interface EntryTableProps {
  readonly path: ListPath;
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly reload: () => void;
}

const WORDS = { gone: "Removed", again: "In force again" };

export function EntryTable({ path, title, entries, reload }: EntryTableProps) {
  const session = useSession();
  const { canWrite } = session;
  const [removed, setRemoved] = useState<Entry | undefined>(undefined);
  const columns = [
    {
      title: "client",
      cell: (entry: Entry) => <code class="untrusted">{clipped(entryName(entry))}</code>,
    },
    ...(path === "overrides"
      ? [{ title: "limits", cell: (entry: Entry) => clipped(limitsOf(entry)) }]
      : []),
    { title: "until", cell: ({ until }: Entry) => (until ? moment(until) : "no end") },
    {
      title: "from",
      cell: ({ source, by = "", at, inForce }: Entry) =>
        source === "document"
          ? "the document"
          : `${clipped(by)}${at ? `, ${moment(at)}` : ""}${inForce === false ? "; not in force under these rules" : ""}`,
    },
    {
      title: "action",
      cell: (entry: Entry) =>
        entry.id === undefined ? (
          ""
        ) : (
          <button
            type="button"
            disabled={!canWrite}
            title={canWrite ? "" : READ_ONLY}
            aria-label={`Remove ${clipped(entryName(entry))}`}
            onClick={() => setRemoved(entry)}
          >
            Remove
          </button>
        ),
    },
  ];
  return (
    <>
      <Table
        caption={title}
        empty="There is no entry."
        rows={entries}
        textOf={(entry) => JSON.stringify(entry)}
        columns={columns}
      />
      {removed && (
        <Ask
          title="Remove this entry?"
          verb="Remove"
          isDangerous
          close={() => setRemoved(undefined)}
          act={() => takeOff(session, path, removed, WORDS, reload)}
        >
          <p class="untrusted">
            <code>{clipped(entryName(removed))}</code>
          </p>
        </Ask>
      )}
    </>
  );
}

function limitsOf({ plan, policies = {} }: Entry): string {
  const limits = Object.entries(policies).map(
    ([name, numbers]) =>
      `${name}: ${Object.entries(numbers)
        .map(([field, value]) => `${field} ${String(value)}`)
        .join(", ")}`,
  );
  return [...(plan === undefined ? [] : [`plan ${plan}`]), ...limits].join("; ");
}
