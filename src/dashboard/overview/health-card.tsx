import type { Health, Stats } from "../api/answers.ts";
import { duration } from "../parts/format.ts";
import { plain } from "../parts/plain.ts";

/** Whether decisions come from the store, whether the breaker was open, and which rules are in force. */
export function HealthCard({
  health,
  stats,
}: {
  readonly health: Health;
  readonly stats: Stats | undefined;
}) {
  const { status, detail, live } = health;
  // Degraded is about the rules, which have a line of their own.
  const isUp = status === "ok" || status === "degraded";
  return (
    <section class="health" aria-label="Health">
      <span class={isUp ? "dot good" : "dot bad"}>
        {isUp ? "Store answers" : `Store: ${plain(detail ?? status)}`}
      </span>
      {stats && <Breaker stats={stats} />}
      <span class="dot">
        {live.source === "live" ? `Rules of version ${live.version}` : "Deployed rules"}
        {live.ageMs !== undefined && `, read ${duration(live.ageMs)} ago`}
      </span>
      {live.error !== undefined && (
        <span class="dot bad">Rules in Redis are not used: {plain(live.error)}</span>
      )}
    </section>
  );
}

/** While the breaker is open, requests fail with its code: the newest two moments say whether it was. */
function Breaker({ stats: { storeErrors, step } }: { readonly stats: Stats }) {
  const suspended = storeErrors.find(({ code }) => code === "ERR_STORE_SUSPENDED");
  const isOpen = suspended?.counts.slice(-2).some((count) => count > 0) ?? false;
  return isOpen ? (
    <span class="dot bad">
      Breaker was open in the last 2 {step === "minute" ? "minutes" : "hours"}
    </span>
  ) : (
    <span class="dot good">Breaker closed</span>
  );
}
