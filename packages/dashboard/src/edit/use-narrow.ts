import { useEffect, useState } from "hono/jsx/dom";

/** Up to this width the style sheets have one column. */
const narrow = matchMedia("(width <= 760px)");

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const update = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", update);
    return () => narrow.removeEventListener("change", update);
  }, []);
  return isNarrow;
}
