import type { Policy } from "../../api/answers.ts";
import { Field } from "../../parts/field.tsx";
import { quota } from "../../parts/format.ts";
import { clipped } from "../../parts/plain.ts";
import { type Edited, LABELS, MINUTES, numbersOf } from "./numbers.ts";

interface WhatIfFormProps {
  readonly policies: readonly Policy[];
  readonly policy: Policy;
  /** The last question about this policy. */
  readonly asked: Edited | undefined;
  readonly choose: (name: string) => void;
  readonly submit: (event: Event) => void;
}

export function WhatIfForm({ policies, policy, asked, choose, submit }: WhatIfFormProps) {
  const isBucket = policy.algorithm === "token-bucket";
  return (
    <form class="fields" onSubmit={submit} key={policy.name}>
      <Field label="Policy">
        <select
          name="policy"
          onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}
        >
          {policies.map(({ name }) => (
            <option value={name} selected={name === policy.name}>
              {clipped(name!)}
            </option>
          ))}
        </select>
      </Field>
      {numbersOf(policy).map((name) => (
        <Field
          label={name === "limit" && isBucket ? "Limit, which is the burst" : LABELS[name]}
          hint={`now ${quota(policy[name])}`}
        >
          <input
            name={name}
            required
            inputmode={typeof policy[name] === "number" ? "numeric" : "text"}
            value={asked?.numbers[name] ?? String(policy[name])}
            autocomplete="off"
            spellcheck={false}
          />
        </Field>
      ))}
      <Field label="Of the last" hint="of what is kept">
        <select name="minutes">
          {MINUTES.map((minutes) => (
            <option value={minutes} selected={minutes === asked?.minutes}>
              {minutes} minutes
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="primary">
        Replay
      </button>
    </form>
  );
}
