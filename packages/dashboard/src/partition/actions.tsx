import { useState } from "hono/jsx/dom";

import type { Explanation } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { Ask } from "../parts/ask.tsx";
import { bodyOf, type Described } from "./described.ts";
import { TargetRows } from "./target-rows.tsx";
import { targetsOf } from "./targets.ts";

interface ActionsProps {
  readonly asked: Described;
  readonly found: Explanation;
  readonly done: () => void;
}

/** The actions on the client of a request. */
export function Actions({ asked, found, done }: ActionsProps) {
  const { api, canWrite, say } = useSession();
  const [isAsking, setAsking] = useState(false);
  const policies = found.rules.flatMap((rule) => rule.policies);
  const fields = asked.headers.split("\n").flatMap((line) => identityIn(line));
  const partitions = policies.map(({ partition }) => partition);
  // No policy explains a client that a list blocks: the request names the client to unblock.
  const targets = targetsOf(found.verdict === "blocked" ? fields : partitions, asked.ip);

  async function reset(): Promise<void> {
    await api.send("POST", "/identities/reset", { body: bodyOf(asked) });
    say("What was counted of this client is forgotten.");
    done();
  }

  return (
    <div role="group" aria-label="About this client">
      {!canWrite && <p class="muted">{READ_ONLY}</p>}
      <div class="clients">
        <span>All that these policies hold of it</span>
        <div>
          <button
            type="button"
            disabled={!canWrite || (policies.length === 0 && found.verdict !== "blocked")}
            onClick={() => setAsking(true)}
          >
            Reset
          </button>
        </div>
        <TargetRows
          targets={targets}
          policiesOf={({ title }) => policies.filter(({ partition }) => partition === title)}
          done={done}
        />
      </div>
      {isAsking && (
        <Ask title="Reset this client?" verb="Reset" act={reset} close={() => setAsking(false)}>
          <p>All policies of these rules forget what they hold of it.</p>
        </Ask>
      )}
    </div>
  );
}

/** A header field as an entry names it. */
function identityIn(line: string): readonly string[] {
  const [, name, value] = /^([^:\s]+):\s*(.*\S)\s*$/.exec(line) ?? [];
  return name === undefined ? [] : [`${name.toLowerCase()}:${value}`];
}
