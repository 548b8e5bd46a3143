import { useState } from "hono/jsx/dom";

import type { PutOverride } from "../../../../src/admin/entry-answers.ts";
import { ApiError } from "../api/api.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { Field, Lasts, textOf } from "../parts/field.tsx";
import { plain } from "../parts/plain.ts";
import { Failed } from "../parts/states.tsx";
import type { ListPath } from "./list-paths.ts";

interface AddEntryProps {
  readonly path: ListPath;
  readonly title: string;
  readonly reload: () => void;
}

const KINDS = {
  cidr: "address or network",
  identity: "identity",
  asn: "network's number",
  country: "country",
} as const;

export function AddEntry({ path, title, reload }: AddEntryProps) {
  const { api, canWrite, say } = useSession();
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [warning, setWarning] = useState<string | undefined>(undefined);
  const isOverride = path === "overrides";

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    setError(undefined);
    setWarning(undefined);
    try {
      const body = entryOf(data, isOverride);
      // An override of a header that no rule counts by is kept, and changes nothing.
      const made = await api.send<Pick<PutOverride, "warning">>("PUT", `/${path}`, { body });
      setWarning(made.warning);
      say(`${title}: ${made.warning === undefined ? "added" : "kept"}.`);
      form.reset();
      reload();
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown);
    }
  }

  return (
    <details class="add">
      <summary>Add to {title.toLowerCase()}</summary>
      <form onSubmit={submit}>
        {!canWrite && <p class="muted">{READ_ONLY}</p>}
        <fieldset disabled={!canWrite} class="fields">
          <legend class="unseen">Add to {title.toLowerCase()}</legend>
          {isOverride ? <OverrideFields /> : <ClientFields />}
          <Field label="For">
            <Lasts name="lasts" />
          </Field>
          <button type="submit" class="primary">
            Add
          </button>
        </fieldset>
        {error && <Failed error={error} />}
        {warning !== undefined && (
          <p role="status" class="dot bad untrusted">
            {plain(warning)}
          </p>
        )}
      </form>
    </details>
  );
}

function ClientFields() {
  return (
    <>
      <Field label="Kind">
        <select name="kind">
          {Object.entries(KINDS).map(([kind, title]) => (
            <option value={kind}>{title}</option>
          ))}
        </select>
      </Field>
      <Field label="Client" hint="such as 203.0.113.0/24, x-user-id:42, 64496 or CH">
        <input name="client" required autocomplete="off" spellcheck={false} />
      </Field>
    </>
  );
}

function OverrideFields() {
  return (
    <>
      <Field label="Identity" hint="such as x-user-id:42">
        <input name="client" required autocomplete="off" spellcheck={false} />
      </Field>
      <Field label="Policy">
        <input name="policy" required autocomplete="off" spellcheck={false} />
      </Field>
      <Field label="Limit">
        <input name="limit" type="number" min={1} required />
      </Field>
    </>
  );
}

function entryOf(data: FormData, isOverride: boolean): object {
  const client = textOf(data, "client");
  const lasts = textOf(data, "lasts");
  const end = lasts === "" ? {} : { for: lasts };
  if (isOverride) {
    const limits = { [textOf(data, "policy")]: { limit: Number(textOf(data, "limit")) } };
    return { identity: client, policies: limits, ...end };
  }
  const kind = textOf(data, "kind");
  return { [kind]: kind === "asn" ? Number(client) : client, ...end };
}
