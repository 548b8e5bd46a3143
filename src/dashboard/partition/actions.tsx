import { useState } from "hono/jsx/dom";

import type { Explanation } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { Ask } from "../parts/ask.tsx";
import { clipped } from "../parts/plain.ts";
import { bodyOf, type Described, type Target, targetsOf } from "./described.ts";
import { OverrideForm } from "./override-form.tsx";

interface ActionsProps {
  readonly asked: Described;
  readonly found: Explanation;
  readonly done: () => void;
}

type Asking =
  | { readonly what: "reset" }
  | { readonly what: "block"; readonly target: Target; readonly lasts: string }
  | { readonly what: "override"; readonly identity: string };

/** What can be done about a client. */
export function Actions({ asked, found, done }: ActionsProps) {
  const { api, canWrite, say } = useSession();
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const policies = found.rules.flatMap((rule) => rule.policies);
  const targets = targetsOf(
    policies.map(({ partition }) => partition),
    asked.ip,
  );
  const close = () => setAsking(undefined);
  const finish = (text: string) => {
    say(text);
    done();
  };

  async function reset(): Promise<void> {
    await api.send("POST", "/identities/reset", { body: bodyOf(asked) });
    finish("What was counted of this client is forgotten.");
  }

  async function block({ title, entry }: Target, lasts: string): Promise<void> {
    await api.send("PUT", "/lists/deny", { body: { ...entry, for: lasts } });
    finish(`Blocked for ${lasts}: ${clipped(title)}`);
  }

  return (
    <div role="group" aria-label="About this client">
      {!canWrite && <p class="muted">{READ_ONLY}</p>}
      <div class="clients">
        <span>All that these policies hold of it</span>
        <div>
          <button
            type="button"
            disabled={!canWrite || policies.length === 0}
            onClick={() => setAsking({ what: "reset" })}
          >
            Reset
          </button>
        </div>
        {targets.map((target) => (
          <TargetRow target={target} ask={setAsking} />
        ))}
      </div>
      {asking?.what === "reset" && (
        <Ask title="Reset this client?" verb="Reset" act={reset} close={close}>
          <p>All policies of these rules forget what they hold of it.</p>
        </Ask>
      )}
      {asking?.what === "block" && (
        <Ask
          title="Block this client?"
          verb={`Block for ${asking.lasts}`}
          isDangerous
          act={() => block(asking.target, asking.lasts)}
          close={close}
        >
          <p class="untrusted">Every request of {clipped(asking.target.title)} gets a 403.</p>
        </Ask>
      )}
      {asking?.what === "override" && (
        <OverrideForm
          identity={asking.identity}
          policies={policies}
          close={close}
          done={() => finish("The override is in force.")}
        />
      )}
    </div>
  );
}

interface TargetRowProps {
  readonly target: Target;
  readonly ask: (asking: Asking) => void;
}

function TargetRow({ target, ask }: TargetRowProps) {
  const { canWrite } = useSession();
  const name = clipped(target.title);
  return (
    <>
      <code class="untrusted">{name}</code>
      <div>
        {["1h", "24h"].map((lasts) => (
          <button
            type="button"
            class="danger"
            disabled={!canWrite}
            aria-label={`Block for ${lasts}: ${name}`}
            onClick={() => ask({ what: "block", target, lasts })}
          >
            Block for {lasts}
          </button>
        ))}
        {"identity" in target.entry && (
          <button
            type="button"
            disabled={!canWrite}
            aria-label={`Override: ${name}`}
            onClick={() => ask({ what: "override", identity: target.title })}
          >
            Override
          </button>
        )}
      </div>
    </>
  );
}
