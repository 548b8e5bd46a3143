import type { AuditEntry, PartitionHistory, PolicyHistory } from "../../api/answers.ts";
import { useLive } from "../../live/live.ts";
import { historyPath } from "../../live/ranges.ts";
import { useAnswer } from "../../live/use-answer.ts";
import { ChangeList } from "../../parts/change-list.tsx";
import { count, moment, sum } from "../../parts/format.ts";
import { Picture } from "../../parts/picture.tsx";
import { clipped } from "../../parts/plain.ts";
import { Answered, Empty, MetricsOff } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { auditEntriesAbout, type Whom } from "./audit-entries.ts";

/** The client of a history: by a described request, or a name that the overview has. */
type Whose = { readonly request: object } | { readonly name: string };

/** The known facts about one partition over time, and the gaps. */
export function History({ whose }: { readonly whose: Whose }) {
  const { range } = useLive();
  const history = useAnswer<PartitionHistory>(
    `history ${range.name} ${JSON.stringify(whose)}`,
    (nowMs) => historyPath(range, nowMs),
    whose,
  );
  if (history.error?.isMissing) return <MetricsOff />;
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      <p class="muted">
        Redis keeps the 200 clients that were denied most, and those that were near a limit most,
        for each ten minutes of the last 24 hours. A count is the least that is certain. Without one
        the client was not among them; it may have been denied all the same.
      </p>
      <Answered of={history} what="its history">
        {(data) => <Known history={data} whose={whose} />}
      </Answered>
    </section>
  );
}

function Known({ history, whose }: { readonly history: PartitionHistory; readonly whose: Whose }) {
  const { partitions } = history;
  if (partitions.length === 0) {
    return (
      <Empty title="Nothing is known of it">
        {"request" in whose
          ? "No policy counts this request."
          : "It was not among the clients that are kept, in this time."}
      </Empty>
    );
  }
  return (
    <>
      {partitions.map((each) => (
        <section class="card" aria-label={`Under ${each.policy}`} key={each.policy}>
          <h3 class="untrusted">
            Under <code>{clipped(each.policy)}</code>
          </h3>
          <p class="facts">
            <span class="untrusted">{clipped(each.partition)}</span>
          </p>
          <DenialsPicture times={history.times} of={each} />
        </section>
      ))}
    </>
  );
}

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

interface DenialsPictureProps {
  /** When each ten minutes begin, in ISO 8601. */
  readonly times: readonly string[];
  readonly of: PolicyHistory;
}

/** When one policy denied a partition, and when it was near its limit. */
function DenialsPicture({ times, of: { denied, near } }: DenialsPictureProps) {
  if (sum(denied) + sum(near) === 0) {
    return (
      <p class="none">
        Not among the clients that were denied most, or near the limit most, in this time.
      </p>
    );
  }
  return (
    <Picture
      title="Denied by the ten minutes, at least"
      kind="layers"
      times={times.map((iso) => Date.parse(iso))}
      series={[
        { label: "denied", colour: "--denied", values: denied },
        { label: "near the limit", colour: "--refused", values: near },
      ]}
      growsFrom={Date.parse(times.at(-1)!)}
      format={count}
    />
  );
}
