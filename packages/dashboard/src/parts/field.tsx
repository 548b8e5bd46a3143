import type { Child } from "hono/jsx/dom";

/** A labelled field of a form. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: Child;
}) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** How long an entry lasts. */
export function Lasts({
  name,
  chosen = "1h",
}: {
  readonly name: string;
  readonly chosen?: string;
}) {
  const choices = {
    "1h": "1 hour",
    "24h": "24 hours",
    "7d": "7 days",
    "30d": "30 days",
    "": "no end",
  };
  return (
    <select name={name}>
      {Object.entries(choices).map(([value, title]) => (
        <option value={value} selected={value === chosen}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** The text of a form's field. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value.trim() : "";
}
