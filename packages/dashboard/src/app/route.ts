import { useEffect, useState } from "hono/jsx/dom";

import { locationOf, type ViewLocation } from "../parts/view-location.ts";

export function useViewLocation(): ViewLocation {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return locationOf(hash);
}
