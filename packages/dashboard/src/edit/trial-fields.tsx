import { Field, textOf } from "../parts/field.tsx";

/** How many clients get a version, and when it is taken back by itself. */
export function TrialFields() {
  return (
    <div class="fields">
      <Field label="Percent of the clients" hint="Below 100, the others keep the version of now.">
        <input name="percent" type="number" min={1} max={100} required value={100} />
      </Field>
      <Field
        label="Denials at most, in percent"
        hint="With more, a version for a part of the clients is taken back by itself."
      >
        <input name="max-denied" type="number" min={0} max={99} step="any" />
      </Field>
    </div>
  );
}

/** Both as the form has them; the denials as a share. */
export function termsIn(data: FormData): {
  readonly percent: number;
  readonly maxDenied: number | undefined;
} {
  const denials = textOf(data, "max-denied");
  return {
    percent: Number(textOf(data, "percent")),
    maxDenied: denials === "" ? undefined : Number(denials) / 100,
  };
}
