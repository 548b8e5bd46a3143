import { useRef } from "hono/jsx/dom";

import { useSession } from "../api/session.ts";
import { Ask } from "../parts/ask.tsx";
import { Field, Lasts, textOf } from "../parts/field.tsx";
import { quota } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import type { Target } from "./targets.ts";

interface OverrideFormProps {
  readonly target: Target;
  readonly policies: readonly { readonly name: string; readonly limit: number }[];
  readonly close: () => void;
  readonly done: () => void;
}

/** Gives one client another limit. */
export function OverrideForm({ target, policies: own, close, done }: OverrideFormProps) {
  const { api } = useSession();
  const fields = useRef<HTMLDivElement>(null);

  async function put(): Promise<void> {
    const data = new FormData(fields.current!.closest("form")!);
    const lasts = textOf(data, "lasts");
    await api.send("PUT", "/overrides", {
      body: {
        ...target.entry,
        policies: { [textOf(data, "policy")]: { limit: Number(textOf(data, "limit")) } },
        ...(lasts !== "" && { for: lasts }),
      },
    });
    done();
  }

  return (
    <Ask title="Another limit for this client" verb="Put the override" act={put} close={close}>
      <p class="untrusted">
        <code>{clipped(target.title)}</code>
      </p>
      <div ref={fields} class="fields">
        <Field label="Policy">
          <select name="policy">
            {own.map(({ name, limit }) => (
              <option value={name}>
                {name}, {quota(limit)} now
              </option>
            ))}
          </select>
        </Field>
        <Field label="Limit">
          <input
            name="limit"
            type="number"
            min={1}
            required
            value={own[0] ? own[0].limit * 2 : 1}
          />
        </Field>
        <Field label="For">
          <Lasts name="lasts" chosen="24h" />
        </Field>
      </div>
    </Ask>
  );
}
