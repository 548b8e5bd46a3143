import { useEffect, useState } from "hono/jsx/dom";

/** The width from which on the style sheets have room for two columns. */
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
