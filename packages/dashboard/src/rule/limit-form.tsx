import { useRef } from "hono/jsx/dom";

import type { Changes, Live, RulesDocument } from "../api/answers.ts";
import { useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { Ask } from "../parts/ask.tsx";
import { Field, textOf } from "../parts/field.tsx";
import { quota } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { termsOf } from "../parts/rule-label.ts";

interface LimitFormProps {
  readonly live: Live;
  /** The place of the rule, and of the policy in it. */
  readonly index: number;
  readonly place: number;
  readonly close: () => void;
}

/** Publishes the rules with another limit of one policy. */
export function LimitForm({ live, index, place, close }: LimitFormProps) {
  const { api, say } = useSession();
  const { readNow } = useLive();
  const fields = useRef<HTMLDivElement>(null);
  const policy = live.document.rules[index]!.policies[place]!;
  const name = clipped(policy.name ?? "unnamed");

  async function undo(version: number): Promise<void> {
    const body = { to: live.version, note: `Back to ${policy.limit} of ${name}` };
    await api.send<Changes>("POST", "/rules/rollback", { body, ifMatch: version }).then(
      () => say(`The limit of ${name} is ${quota(policy.limit)} again.`),
      (error: Error) => say(`The limit was not taken back: ${error.message}`),
    );
    readNow();
  }

  async function publish(note: string): Promise<void> {
    const limit = Number(textOf(new FormData(fields.current!.closest("form")!), "limit"));
    const query = note === "" ? "" : `?note=${encodeURIComponent(note)}`;
    const { version = 0 } = await api.send<Changes>("PUT", `/rules${query}`, {
      body: withLimit(live.document, index, place, limit),
      ifMatch: live.version,
    });
    say(`The limit of ${name} is ${quota(limit)}, in version ${version}.`, {
      verb: "Undo",
      act: () => undo(version),
    });
    readNow();
  }

  return (
    <Ask
      title={`Another limit of ${name}`}
      verb="Publish"
      note="Note for the history"
      act={publish}
      close={close}
    >
      <p>
        It allows {clipped(termsOf(policy))} now. Publishing puts the new limit into force for
        everybody; the rest of the rules stays as it is.
      </p>
      <div ref={fields} class="fields">
        <Field label="Limit">
          <input name="limit" type="number" min={1} required value={policy.limit ?? 1} />
        </Field>
      </div>
    </Ask>
  );
}

function withLimit(
  document: RulesDocument,
  index: number,
  place: number,
  limit: number,
): RulesDocument {
  const rules = document.rules.map((rule, i) =>
    i !== index
      ? rule
      : {
          ...rule,
          policies: rule.policies.map((policy, at) =>
            at === place ? Object.assign({}, policy, { limit }) : policy,
          ),
        },
  );
  return { ...document, rules };
}
