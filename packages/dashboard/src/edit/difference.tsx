import { useEffect, useRef, useState } from "hono/jsx/dom";

import { compareSides, compareUnified, type Side } from "../code/compare.ts";
import { shadowOf } from "../code/shadow.ts";
import { plainLines } from "../parts/plain.ts";

interface DifferenceProps {
  readonly before: Side;
  readonly after: Side;
  /** The texts to compare. */
  readonly title: string;
}

/** Two texts beside each other; as one where there is no room for that. */
export function Difference({ before, after, title }: DifferenceProps) {
  if (before.text === after.text) return <p class="none">There is no difference.</p>;
  return <Compared before={before} after={after} title={title} />;
}

function Compared({ before, after, title }: DifferenceProps) {
  const host = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  useEffect(() => {
    const compare = isNarrow ? compareUnified : compareSides;
    const view = compare(shadowOf(host.current!), plainSide(before), plainSide(after));
    return () => view.destroy();
  }, [before.text, after.text, isNarrow]);
  return (
    <div class="difference" role="region" aria-label={title} tabindex={0}>
      {!isNarrow && (
        <p class="sides">
          <span>{before.name}</span>
          <span>{after.name}</span>
        </p>
      )}
      <div ref={host} />
    </div>
  );
}

/** Shows invisible characters, also in lines that are only in the text before: those are no part of an editor. */
function plainSide({ text, name }: Side): Side {
  return { text: plainLines(text), name };
}

/** Up to this width the style sheets have one column. */
const narrow = matchMedia("(width <= 760px)");

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const update = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", update);
    return () => narrow.removeEventListener("change", update);
  }, []);
  return isNarrow;
}
