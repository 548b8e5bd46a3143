import type { AuditEntry, Entry } from "../api/answers.ts";
import { useAnswer } from "../live/use-answer.ts";
import { ChangeList } from "../parts/change-list.tsx";
import { entryName } from "../parts/entry-name.ts";
import { moment } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { Answered } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";

export function AuditView() {
  const audit = useAnswer<{ readonly entries: readonly AuditEntry[] }>("/audit");
  return (
    <>
      <h1>
        Audit <span class="muted">the newest 500 writes</span>
      </h1>
      <Answered of={audit} what="the audit">
        {({ entries }) => (
          <section class="card" aria-label="Audit">
            <Table
              caption="Who did what"
              empty="Nothing was changed so far."
              rows={entries}
              textOf={(entry) => JSON.stringify(entry)}
              columns={[
                { title: "when", cell: ({ at }) => moment(at) },
                { title: "who", cell: ({ by }) => <code>{clipped(by)}</code> },
                { title: "what", cell: ({ action }) => clipped(action) },
                {
                  title: "client",
                  cell: (entry) => <code class="untrusted">{clipped(targetOf(entry))}</code>,
                },
                { title: "version", cell: ({ version }) => version ?? "" },
                { title: "changes", cell: (entry) => <Changed entry={entry} /> },
              ]}
            />
          </section>
        )}
      </Answered>
    </>
  );
}

/** The client of a write: the one on an entry, or the one that was reset. */
function targetOf({ action, changes = [] }: AuditEntry): string {
  if (!/^(?:put|remove) |^reset$/.test(action)) return "";
  const names = changes.map(({ before, after }) => {
    const value = after ?? before;
    return typeof value === "string" ? value : entryName(Object(value) as Partial<Entry>);
  });
  return [...new Set(names)].join(", ");
}

function Changed({ entry: { changes = [], omitted = 0 } }: { readonly entry: AuditEntry }) {
  if (changes.length === 0) return <>none</>;
  return (
    <details>
      <summary>{changes.length + omitted}</summary>
      <ChangeList changes={changes} />
      {omitted > 0 && <p class="muted">{omitted} more are not kept.</p>}
    </details>
  );
}
