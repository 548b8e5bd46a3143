import type { Child } from "hono/jsx/dom";

import type { Health } from "../api/answers.ts";
import { HealthContext } from "../live/health.ts";
import { useAnswer } from "../live/use-answer.ts";
import { plain } from "../parts/plain.ts";

/** Reads the health for all views, and says above them when Redis does not answer. */
export function WithHealth({ children }: { readonly children: Child }) {
  const health = useAnswer<Health>("/health");
  return (
    <HealthContext.Provider value={health}>
      {health.data?.status === "store-unavailable" && <Outage health={health.data} />}
      {children}
    </HealthContext.Provider>
  );
}

/** The state of the breaker, in the form of the health answer. */
const BREAKER: Readonly<Record<NonNullable<Health["breaker"]>, string>> = {
  closed: "Its breaker is closed: it asks Redis with each request, and waits for the timeout.",
  open: "Its breaker is open: it does not ask Redis, and answers at once.",
  "half-open": "Its breaker is half-open: single requests try Redis.",
};

function Outage({ health: { detail, breaker, onFailure } }: { readonly health: Health }) {
  return (
    <div class="banner outage" role="alert">
      <strong>Redis does not answer the isolate that answered you</strong>
      <p>
        {detail !== undefined && `${plain(detail)} `}
        {breaker && BREAKER[breaker]} Other isolates may still reach it.
      </p>
      <p>Its traffic now: {trafficOf(onFailure)}.</p>
    </div>
  );
}

function policies(count: number): string {
  return count === 1 ? "1 policy" : `${count} policies`;
}

function trafficOf({ local, open, closed }: Health["onFailure"]): string {
  const parts = [
    local > 0 && `${policies(local)} limited by what the isolate counts itself`,
    open > 0 && `${policies(open)} not limited at all`,
    closed > 0 && `${policies(closed)} refused with 503`,
  ];
  return parts.filter(Boolean).join("; ");
}
