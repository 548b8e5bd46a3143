import { useEffect, useState } from "hono/jsx/dom";

import type { Changes, Live, Version } from "../api/answers.ts";
import type { ApiError } from "../api/api.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Ask } from "../parts/ask.tsx";
import { ChangeList } from "../parts/change-list.tsx";
import { moment } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { Answered, Failed, Loading } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";

interface HistoryCardProps {
  readonly live: Live;
}

type Row = Partial<Version> & Pick<Version, "version" | "current">;

export function HistoryCard({ live }: HistoryCardProps) {
  const { api, canWrite, say } = useSession();
  const { readNow } = useLive();
  const history = useAnswer<{ readonly versions: readonly Version[] }>("/rules/history");
  const [target, setTarget] = useState<number | undefined>(undefined);

  async function rollBack(note: string): Promise<void> {
    const body = { to: target, ...(note !== "" && { note }) };
    const { version } = await api.send<Changes>("POST", "/rules/rollback", {
      body,
      // A version that is tried is taken back by it.
      ifMatch: live.trial?.version ?? live.version,
    });
    say(`Version ${target} is in force again, as version ${version}.`);
    readNow();
  }

  const action = ({ version, current, tried }: Row) =>
    current || tried ? (
      <span class="tag">{current ? "in force" : "tried"}</span>
    ) : (
      <button
        type="button"
        disabled={!canWrite}
        title={canWrite ? "" : READ_ONLY}
        aria-label={`Roll back to version ${version}`}
        onClick={() => setTarget(version)}
      >
        Roll back
      </button>
    );
  return (
    <section class="card" aria-label="History">
      <h2>History</h2>
      <Answered of={history} what="the history">
        {({ versions }) => (
          <Table
            caption="Published versions"
            empty="Nothing was published so far."
            rows={[...versions, { version: 0, current: live.version === 0 } as Row]}
            columns={[
              { title: "version", cell: ({ version }) => version },
              {
                title: "published",
                cell: ({ publishedAt }) =>
                  publishedAt === undefined ? "as deployed" : moment(publishedAt),
              },
              { title: "by", cell: ({ by = "" }) => <code>{clipped(by)}</code> },
              {
                title: "note",
                cell: ({ note = "", takenBack }) =>
                  clipped([takenBack ? ["taken back"] : [], note || []].flat().join(": ")),
              },
              { title: "action", cell: action },
            ]}
          />
        )}
      </Answered>
      {target !== undefined && (
        <Ask
          title={`Roll back to version ${target}?`}
          verb="Roll back"
          note="Note for the history"
          isDangerous
          act={rollBack}
          close={() => setTarget(undefined)}
        >
          <ChangesTo version={target} />
        </Ask>
      )}
    </section>
  );
}

/** The differences from the rules in force. */
function ChangesTo({ version }: { readonly version: number }) {
  const { api } = useSession();
  const [found, setFound] = useState<Changes | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  useEffect(() => {
    const to = version === 0 ? "deployed" : version;
    api.get<Changes>(`/rules/diff?from=live&to=${to}`).then(setFound, setError);
  }, [version]);
  if (error) return <Failed error={error} />;
  return found ? <ChangeList changes={found.changes} /> : <Loading what="the difference" />;
}
