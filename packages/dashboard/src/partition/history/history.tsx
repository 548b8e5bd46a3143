import type { PartitionHistory } from "../../api/answers.ts";
import { useLive } from "../../live/live.ts";
import { historyPath } from "../../live/ranges.ts";
import { useAnswer } from "../../live/use-answer.ts";
import { clipped } from "../../parts/plain.ts";
import { Answered, Empty, MetricsOff } from "../../parts/states.tsx";
import { DenialsPicture } from "./denials-picture.tsx";

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
