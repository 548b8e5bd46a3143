import { createContext, useContext } from "hono/jsx/dom";

import type { Health } from "../api/answers.ts";
import type { Loaded } from "./use-answer.ts";

/** The health of the isolate that answered, read once for the page. */
export const HealthContext = createContext<Loaded<Health> | undefined>(undefined);

export function useHealth(): Loaded<Health> | undefined {
  return useContext(HealthContext);
}

/** Whether the counts are in Redis, which bills commands; and what the page calls their store. */
export function useStoreName(): {
  readonly isRedis: boolean;
  readonly title: string;
  readonly name: string;
} {
  const store = useHealth()?.data?.store ?? "redis";
  return store === "redis"
    ? { isRedis: true, title: "Redis", name: "Redis" }
    : { isRedis: false, title: "Store", name: "the store" };
}

/** Whether one banner says already why answers are missing. */
export function useOutage(): boolean {
  return useHealth()?.data?.status === "store-unavailable";
}
