import { createContext, useContext } from "hono/jsx/dom";

import type { Health } from "../api/answers.ts";
import type { Loaded } from "./use-answer.ts";

/** The health of the isolate that answered, read once for the page. */
export const HealthContext = createContext<Loaded<Health> | undefined>(undefined);

export function useHealth(): Loaded<Health> | undefined {
  return useContext(HealthContext);
}

/** Whether one banner says already why answers are missing. */
export function useOutage(): boolean {
  return useHealth()?.data?.status === "store-unavailable";
}
