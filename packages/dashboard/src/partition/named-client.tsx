import { useState } from "hono/jsx/dom";

import type { Live, RulesDocument } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Ask } from "../parts/ask.tsx";
import { exampleFor } from "../parts/example.ts";
import { clipped } from "../parts/plain.ts";
import { TargetRows } from "./target-rows.tsx";
import { Who } from "./who.tsx";

interface NamedClientProps {
  /** As metrics call it. */
  readonly name: string;
  /** That denied it, where the link says so. */
  readonly policy: string | undefined;
  /** The last characters of its key. */
  readonly hint: string | undefined;
}

/** A client known only by its name in metrics, and the actions on it. */
export function NamedClient({ name, policy, hint }: NamedClientProps) {
  const { canWrite } = useSession();
  const { readNow } = useLive();
  const rules = useAnswer<Live>("/rules");
  const document = rules.data?.document;
  const policies = document && policy !== undefined ? limitsOf(document, policy) : [];
  const isRead = document !== undefined || rules.error !== undefined;
  const example = document && policy !== undefined ? exampleFor(document, policy) : undefined;
  return (
    <section class="card" aria-label="Client">
      <h2>Client</h2>
      <p>
        Metrics call it <code class="untrusted">{clipped(name)}</code>
        {hint !== undefined && (
          <>
            , and its key ends in <code class="untrusted">{clipped(hint)}</code>
          </>
        )}
        . You can block it without knowing the client.
      </p>
      {!canWrite && <p class="muted">{READ_ONLY}</p>}
      <div class="clients" role="group" aria-label="About this client">
        {policy !== undefined && <ResetRow name={name} policy={policy} />}
        <TargetRows
          targets={[{ title: name, entry: { digest: name } }]}
          policiesOf={() => policies}
          done={readNow}
        />
      </div>
      <Who name={name} example={isRead ? (example ?? {}) : undefined} />
    </section>
  );
}

function limitsOf({ rules }: RulesDocument, policy: string) {
  return rules
    .flatMap(({ policies }) => policies)
    .filter(({ name }) => name === policy)
    .map(({ limit = 1 }) => ({ name: policy, limit }));
}

/** The digest of an address does not say which address, so that no count of it can be reset. */
const HASHED_FACT = /(?:^|,)(?:ip|subnet|asn|country):[\w-]{22}(?:,|$)/;

function ResetRow({ name, policy }: { readonly name: string; readonly policy: string }) {
  const { api, canWrite, say } = useSession();
  const { readNow } = useLive();
  const [isAsking, setAsking] = useState(false);
  if (HASHED_FACT.test(name)) return <></>;

  async function reset(): Promise<void> {
    await api.send("POST", "/identities/reset", { body: { digest: name, policy } });
    say("What was counted of this client is forgotten.");
    readNow();
  }

  return (
    <>
      <span>
        All that <code class="untrusted">{clipped(policy)}</code> holds of it
      </span>
      <div>
        <button type="button" disabled={!canWrite} onClick={() => setAsking(true)}>
          Reset
        </button>
      </div>
      {isAsking && (
        <Ask title="Reset this client?" verb="Reset" act={reset} close={() => setAsking(false)}>
          <p>The policies that count it so forget what they hold of it.</p>
        </Ask>
      )}
    </>
  );
}
