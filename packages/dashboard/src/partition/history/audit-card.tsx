import type { AuditEntry } from "../../api/answers.ts";
import { useAnswer } from "../../live/use-answer.ts";
import { ChangeList } from "../../parts/change-list.tsx";
import { moment } from "../../parts/format.ts";
import { clipped } from "../../parts/plain.ts";
import { Answered } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { auditEntriesAbout, type Whom } from "./audit-entries.ts";

/** Actions of people on a client. */
export function AuditCard({ whom }: { readonly whom: Whom }) {
  const audit = useAnswer<{ readonly entries: readonly AuditEntry[] }>("/audit");
  return (
    <section class="card" aria-label="What was done about it">
      <h2>What was done about it</h2>
      <Answered of={audit} what="the audit">
        {({ entries }) => (
          <Table
            caption="Blocks, exemptions, overrides and resets of this client"
            empty="Nothing, among the newest 500 writes."
            rows={auditEntriesAbout(entries, whom)}
            columns={[
              { title: "when", cell: ({ at }) => moment(at) },
              { title: "who", cell: ({ by }) => <code>{clipped(by)}</code> },
              { title: "what", cell: ({ action }) => clipped(action) },
              { title: "changes", cell: ({ changes = [] }) => <ChangeList changes={changes} /> },
            ]}
          />
        )}
      </Answered>
    </section>
  );
}
