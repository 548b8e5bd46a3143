import type { Change } from "../api/answers.ts";
import { clipped } from "./plain.ts";

const MAX_SHOWN = 200;

/** The changes from one document to another, by position. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="none">There is no difference.</p>;
  return (
    <>
      <ul class="changes">
        {changes.slice(0, MAX_SHOWN).map(({ type, path, before, after }) => (
          <li>
            <span class={`tag ${type}`}>{type}</span> <code class="untrusted">{clipped(path)}</code>{" "}
            {before !== undefined && <del class="untrusted">{textOf(before)}</del>}{" "}
            {after !== undefined && <ins class="untrusted">{textOf(after)}</ins>}
          </li>
        ))}
      </ul>
      {changes.length > MAX_SHOWN && <p class="muted">{changes.length - MAX_SHOWN} more</p>}
    </>
  );
}

function textOf(value: unknown): string {
  return clipped(typeof value === "string" ? value : JSON.stringify(value));
}
