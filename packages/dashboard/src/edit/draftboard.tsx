import type { EditorView } from "@codemirror/view";
import { useEffect, useMemo, useRef, useState } from "hono/jsx/dom";

import type { Changes, Draft, Live, RulesDocument } from "../api/answers.ts";
import { ApiError } from "../api/api.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { showPlace } from "../code/editor-view.ts";
import { useLive } from "../live/live.ts";
import { Ask } from "../parts/ask.tsx";
import { FaultList } from "../parts/fault-list.tsx";
import { moment } from "../parts/format.ts";
import { plain } from "../parts/plain.ts";
import { Failed } from "../parts/states.tsx";
import { CheckLine } from "./check-line.tsx";
import { Difference } from "./difference.tsx";
import { Editor } from "./editor.tsx";
import { type PlacedFault, readJson } from "./json-text.ts";
import { termsIn, TrialFields } from "./trial-fields.tsx";
import { keepEdits, unsavedEdits } from "./unsaved.ts";
import { type Checked, useCheck, useSettled } from "./use-check.ts";

interface DraftboardProps {
  readonly live: Live;
  readonly draft: Draft | undefined;
  /** The place to begin at, such as `rules[3]`. */
  readonly at: string | null;
}

const EDITED = "As edited";

const textOf = (document: RulesDocument) => JSON.stringify(document, undefined, 2);

/** The document as text, and the actions on it. */
export function Draftboard({ live, draft, at }: DraftboardProps) {
  const { api, canWrite, say } = useSession();
  const { readNow } = useLive();
  const saved = useMemo(() => textOf((draft ?? live).document), [draft, live.version]);
  const [left] = useState(unsavedEdits);
  const [text, setText] = useState(left?.text ?? saved);
  const [based, setBased] = useState(left?.based ?? draft?.basedOn ?? live.version);
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const editor = useRef<EditorView>(null);
  const terms = useRef<HTMLDivElement>(null);
  const inForce = useMemo(() => textOf(live.document), [live.version]);
  const inForceSide = { text: inForce, name: `Version ${live.version}, in force` };
  const settled = useSettled(text);
  const settledCheck = useCheck(settled, live.version);
  const checked: Checked = settled === text ? settledCheck : { state: "checking" };
  const faults = checked.state === "faulty" ? checked.faults : [];
  const isOutdated = based < live.version;
  /** The editor's last copy of the rules in force. */
  const own = useRef(inForce);
  const isSound = checked.state === "sound";

  useEffect(() => {
    if (text === own.current) {
      setText(inForce);
      setBased(live.version);
    }
    own.current = inForce;
  }, [live.version]);
  useEffect(() => {
    keepEdits(text === saved || text === inForce ? undefined : { text, based });
  }, [text, based, saved, inForce]);
  useEffect(() => {
    if (at === null) return;
    showPlace(editor.current!, readJson(text).offsetOf(at));
  }, [at]);

  async function saveDraft(): Promise<void> {
    setError(undefined);
    try {
      await api.send("PUT", "/rules/draft", { body: text, ifMatch: based });
      say("The draft is kept.");
      readNow();
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown);
    }
  }

  async function publish(note: string): Promise<void> {
    const { percent, maxDenied } = termsIn(new FormData(terms.current!.closest("form")!));
    const query = new URLSearchParams({
      ...(note !== "" && { note }),
      ...(percent < 100 && { percent: String(percent) }),
      ...(percent < 100 && maxDenied !== undefined && { "max-denied": String(maxDenied) }),
    });
    const sending = { body: text, ifMatch: based };
    const { version = 0 } = await api
      .send<Changes>("PUT", `/rules?${query}`, sending)
      .catch((thrown: unknown) => {
        // Another person may have published meanwhile: the page shows what.
        readNow();
        throw thrown;
      });
    if (percent < 100) {
      say(`Version ${version} is tried on ${percent} % of the clients.`);
    } else {
      own.current = text;
      setBased(version);
      say(`Version ${version} is in force here, and soon everywhere.`);
    }
    readNow();
  }

  return (
    <section class="card" aria-label="Document">
      {draft && (
        <p class="facts">
          <span>
            draft of {moment(draft.savedAt)} by {plain(draft.by)}
          </span>
          <span>based on version {draft.basedOn}</span>
        </p>
      )}
      {left && text === left.text && (
        <p class="facts">
          <span>with edits that are neither a draft nor published</span>
          <button type="button" onClick={() => setText(saved)}>
            Discard them
          </button>
        </p>
      )}
      {isOutdated && (
        <p class="banner" role="alert">
          Version {live.version} was published since. The difference below is against it.{" "}
          <button type="button" onClick={() => setBased(live.version)}>
            Base this on version {live.version}
          </button>
        </p>
      )}
      <Editor
        text={text}
        setText={setText}
        checked={checked}
        editor={editor}
        isReadOnly={!canWrite}
      />
      <CheckLine checked={checked} />
      <FaultList
        faults={faults}
        placeOf={({ line }) => `Line ${line}`}
        goTo={({ offset }: PlacedFault) => showPlace(editor.current!, offset)}
      />
      {error && <Failed error={error} />}
      {!canWrite && <p class="muted">{READ_ONLY}</p>}
      <div class="actions">
        <button type="button" onClick={() => setText(inForce)}>
          Back to what is in force
        </button>
        <button
          type="button"
          disabled={!canWrite || !isSound || isOutdated}
          onClick={() => void saveDraft()}
        >
          Save draft
        </button>
        <button
          type="button"
          class="primary"
          disabled={!canWrite || !isSound || isOutdated}
          onClick={() => setAsking(true)}
        >
          Publish…
        </button>
      </div>
      <h2>Difference to version {live.version}</h2>
      <Difference
        title={`Difference to version ${live.version}`}
        before={inForceSide}
        after={{ text: settled, name: EDITED }}
      />
      {isAsking && (
        <Ask
          title="Publish these rules?"
          verb="Publish"
          note="Note for the history"
          act={publish}
          close={() => setAsking(false)}
        >
          <Difference title="What changes" before={inForceSide} after={{ text, name: EDITED }} />
          <div ref={terms}>
            <TrialFields />
          </div>
        </Ask>
      )}
    </section>
  );
}
