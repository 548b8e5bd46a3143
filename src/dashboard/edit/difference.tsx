import { useMemo } from "hono/jsx/dom";

import { plain } from "../parts/plain.ts";
import { diffLines, hunksOf } from "./line-diff.ts";

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
  /** What the texts are. */
  readonly title: string;
}

const MARKS = { same: " ", removed: "−", added: "+" } as const;

/** As many lines as a person reads. */
const MAX_LINES = 600;

/** Two texts as one, with the lines of both that differ. */
export function Difference({ before, after, title }: DifferenceProps) {
  const hunks = useMemo(() => hunksOf(diffLines(before, after)), [before, after]);
  if (hunks.length === 0) return <p class="none">There is no difference.</p>;
  const total = hunks.reduce((lines, hunk) => lines + hunk.length, 0);
  let room = MAX_LINES;
  return (
    <div class="diff" role="region" aria-label={title} tabindex={0}>
      {hunks.map((hunk) => {
        const shown = hunk.slice(0, room);
        room -= shown.length;
        return (
          shown.length > 0 && (
            <ol>
              {shown.map(({ kind, text, before: old, after: now }) => (
                <li class={kind}>
                  <span class="line" aria-hidden="true">
                    {old ?? now}
                  </span>
                  <span class="mark">{MARKS[kind]}</span>
                  <code>{plain(text)}</code>
                </li>
              ))}
            </ol>
          )
        );
      })}
      {total > MAX_LINES && <p class="muted">{total - MAX_LINES} more lines differ.</p>}
    </div>
  );
}
