import { useRef, useState } from "hono/jsx/dom";

import type { Changes, Live, Trial } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { Ask } from "./ask.tsx";
import { Field, textOf } from "./field.tsx";
import { count, moment, percent } from "./format.ts";
import { Table } from "./table.tsx";

interface TrialCardProps {
  /** The version that the others have. */
  readonly live: Live;
  readonly trial: Trial;
}

/** The version that a part of the clients has, beside that of the others. */
export function TrialCard({ live, trial }: TrialCardProps) {
  const { canWrite } = useSession();
  const [asked, setAsked] = useState<"share" | "back" | undefined>(undefined);
  const { version, maxDenied, counts } = trial;
  const rows = [
    { clients: trial.percent, of: version, ...counts.tried },
    { clients: 100 - trial.percent, of: live.version, ...counts.others },
  ];
  const close = () => setAsked(undefined);
  return (
    <section class="card" aria-label="Trial">
      <h2>
        Version {version} is tried on {trial.percent} % of the clients
      </h2>
      <p class="facts">
        <span>published {moment(trial.publishedAt)}</span>
        {maxDenied !== undefined && (
          <span>taken back above {Number((100 * maxDenied).toFixed(4))} % of denials</span>
        )}
      </p>
      <Table
        caption="Decisions since the percentage was set"
        empty=""
        rows={rows}
        columns={[
          { title: "clients", cell: ({ clients }) => `${clients} %` },
          { title: "version", cell: ({ of }) => (of === 0 ? "as deployed" : of) },
          { title: "decisions", isNumber: true, cell: ({ decided }) => count(decided) },
          {
            title: "denied",
            isNumber: true,
            cell: ({ decided, denied }) => `${count(denied)} (${percent(denied, decided)})`,
          },
        ]}
      />
      {!canWrite && <p class="muted">{READ_ONLY}</p>}
      <div class="actions">
        <button type="button" class="danger" disabled={!canWrite} onClick={() => setAsked("back")}>
          Take back…
        </button>
        <button
          type="button"
          class="primary"
          disabled={!canWrite}
          onClick={() => setAsked("share")}
        >
          Another percentage…
        </button>
      </div>
      {asked === "share" && <AskShare trial={trial} close={close} />}
      {asked === "back" && <AskBack trial={trial} close={close} />}
    </section>
  );
}

interface AskProps {
  readonly trial: Trial;
  readonly close: () => void;
}

function AskShare({ trial: { version, percent: now }, close }: AskProps) {
  const { api, say } = useSession();
  const { readNow } = useLive();
  const fields = useRef<HTMLDivElement>(null);

  async function give(): Promise<void> {
    const share = Number(textOf(new FormData(fields.current!.closest("form")!), "percent"));
    const sending = { body: { percent: share }, ifMatch: version };
    await api.send<Changes>("PUT", "/rules/trial", sending);
    say(
      share === 100
        ? `All clients have version ${version}.`
        : `Version ${version} is tried on ${share} % of the clients.`,
    );
    readNow();
  }

  return (
    <Ask title={`Give version ${version} to more clients?`} verb="Give" act={give} close={close}>
      <p>
        No client loses the version by a higher percentage. At 100 all have it, and the trial ends.
      </p>
      <div ref={fields} class="fields">
        <Field label="Percent of the clients">
          <input name="percent" type="number" min={1} max={100} required value={now} />
        </Field>
      </div>
    </Ask>
  );
}

function AskBack({ trial: { version }, close }: AskProps) {
  const { api, say } = useSession();
  const { readNow } = useLive();

  async function takeBack(): Promise<void> {
    await api.send<Changes>("POST", "/rules/rollback", { body: {}, ifMatch: version });
    say(`Version ${version} is taken back.`);
    readNow();
  }

  return (
    <Ask
      title={`Take version ${version} back?`}
      verb="Take back"
      isDangerous
      act={takeBack}
      close={close}
    >
      <p>All clients have the version of before again. The history keeps this one.</p>
    </Ask>
  );
}
