import { useEffect, useState } from "hono/jsx/dom";

import { type Place, placeOf } from "../parts/place.ts";

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return placeOf(hash);
}
