import type { Child } from "hono/jsx/dom";

import type { Health } from "../api/answers.ts";
import { HealthContext } from "../live/health.ts";
import { useAnswer } from "../live/use-answer.ts";
import { plain } from "../parts/plain.ts";

/** Reads the health for all views, and says above them when the store does not answer. */
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
  closed: "Its breaker is closed: it asks with each request, and waits for the timeout.",
  open: "Its breaker is open: it does not ask, and answers at once.",
  "half-open": "Its breaker is half-open: single requests ask.",
};

const SILENT: Readonly<Record<Health["store"], string>> = {
  redis: "Redis does not answer",
  "durable-object": "Durable Objects do not answer",
  memory: "The memory does not answer",
};

function Outage({ health: { store, detail, breaker, onFailure } }: { readonly health: Health }) {
  return (
    <div class="banner outage" role="alert">
      <strong>{SILENT[store]} the isolate that answered you</strong>
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
