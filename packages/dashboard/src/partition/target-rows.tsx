import { useState } from "hono/jsx/dom";

import type { Entry } from "../api/answers.ts";
import type { ApiError } from "../api/api.ts";
import { useSession } from "../api/session.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Ask } from "../parts/ask.tsx";
import { moment } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { takeOff } from "../parts/take-off.ts";
import { OverrideForm } from "./override-form.tsx";
import { entryOf, type Target } from "./targets.ts";

interface TargetRowsProps {
  readonly targets: readonly Target[];
  /** The policies that count a client, with their limits. */
  readonly policiesOf: (
    target: Target,
  ) => readonly { readonly name: string; readonly limit: number }[];
  readonly done: () => void;
}

const WORDS = { gone: "Not blocked any more", again: "Blocked again" };

type Asking =
  | { readonly what: "block"; readonly target: Target; readonly lasts: string }
  | { readonly what: "override"; readonly target: Target };

/** A row for each client that can be blocked, with its actions. */
export function TargetRows({ targets, policiesOf, done }: TargetRowsProps) {
  const session = useSession();
  const { api, say } = session;
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const denied = useAnswer<{ readonly entries: readonly Entry[] }>("/lists/deny");
  const close = () => setAsking(undefined);
  const changed = () => {
    denied.reload();
    done();
  };

  async function unblock(entry: Entry): Promise<void> {
    try {
      await takeOff(session, "lists/deny", entry, WORDS, changed);
    } catch (error) {
      say(`Still blocked: ${(error as ApiError).message}`);
      changed();
    }
  }

  async function block(target: Target, lasts: string): Promise<void> {
    const body = { ...target.entry, for: lasts };
    const made = await api.send<Entry>("PUT", "/lists/deny", { body });
    say(`Blocked for ${lasts}: ${clipped(target.title)}`, {
      verb: "Undo",
      act: () => unblock(made),
    });
    changed();
  }

  return (
    <>
      {targets.map((target) => (
        <TargetRow
          target={target}
          blocked={entryOf(target, denied.data?.entries ?? [])}
          unblock={unblock}
          ask={setAsking}
        />
      ))}
      {asking?.what === "block" && (
        <Ask
          title="Block this client?"
          verb={`Block for ${asking.lasts}`}
          isDangerous
          act={() => block(asking.target, asking.lasts)}
          close={close}
        >
          <p class="untrusted">
            {"digest" in asking.target.entry
              ? `Requests that a rule counts as ${clipped(asking.target.title)} get a 403.`
              : `Every request of ${clipped(asking.target.title)} gets a 403.`}
          </p>
        </Ask>
      )}
      {asking?.what === "override" && (
        <OverrideForm
          target={asking.target}
          policies={policiesOf(asking.target)}
          close={close}
          done={() => {
            say(`The override of ${clipped(asking.target.title)} is in force.`);
            done();
          }}
        />
      )}
    </>
  );
}

interface TargetRowProps {
  readonly target: Target;
  readonly blocked: Entry | undefined;
  readonly unblock: (entry: Entry) => Promise<void>;
  readonly ask: (asking: Asking) => void;
}

function TargetRow({ target, blocked, unblock, ask }: TargetRowProps) {
  const { canWrite } = useSession();
  const name = clipped(target.title);
  return (
    <>
      <code class="untrusted">{name}</code>
      <div>
        {blocked && (
          <>
            <span class="dot bad">
              Blocked {blocked.until ? `until ${moment(blocked.until)}` : "without an end"}
            </span>
            <button
              type="button"
              disabled={!canWrite}
              aria-label={`Unblock: ${name}`}
              onClick={() => void unblock(blocked)}
            >
              Unblock
            </button>
          </>
        )}
        {!blocked &&
          ["1h", "24h"].map((lasts) => (
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
        {!("cidr" in target.entry) && (
          <button
            type="button"
            disabled={!canWrite}
            aria-label={`Override: ${name}`}
            onClick={() => ask({ what: "override", target })}
          >
            Override
          </button>
        )}
      </div>
    </>
  );
}
