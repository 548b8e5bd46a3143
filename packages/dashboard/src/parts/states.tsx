import type { Child } from "hono/jsx/dom";

import type { ApiError } from "../api/api.ts";
import { useHealth, useOutage } from "../live/health.ts";
import type { Loaded } from "../live/use-answer.ts";
import { FaultList } from "./fault-list.tsx";
import { plain } from "./plain.ts";

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="state loading" aria-busy="true">
      Reading {what}…
    </p>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <div class="state">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** The reason of a failure, with every fault in the request, and the remedies. */
export function Failed({
  error,
  retry,
}: {
  readonly error: ApiError;
  readonly retry?: () => void;
}) {
  return (
    <div class="state failed" role="alert">
      <strong>{titleOf(error)}</strong>
      <p>{plain(error.message)}</p>
      <FaultList faults={error.faults} />
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf({ status }: ApiError): string {
  if (status === 0) return "No answer";
  if (status === 401) return "The token is not accepted";
  if (status === 403) return "Your token may not do this";
  if (status === 412) return "Somebody else published";
  if (status === 429) return "Too many wrong tokens";
  if (status === 501) return "This gateway has no live rules";
  if (status === 503) return "The store does not answer";
  return "That did not work";
}

/** An answer, or why there is none yet. The last answer stays while a later request fails. */
export function Answered<Answer>({
  of: { data, error, reload },
  what,
  children,
}: {
  readonly of: Loaded<Answer>;
  readonly what: string;
  readonly children: (data: Answer) => Child;
}) {
  const isOutage = useOutage() && error?.status === 503;
  return (
    <>
      {error && !isOutage && <Failed error={error} retry={reload} />}
      {isOutage && data === undefined && (
        <p class="state">Not known while the store does not answer: {what}.</p>
      )}
      {data === undefined && !error && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}

export function MetricsOff() {
  const store = useHealth()?.data?.store;
  if (store === "memory") {
    return (
      <Empty title="This gateway counts in memory">
        It shows its rules and explains requests. To count those of all isolates, it needs a Redis
        or Durable Objects.
      </Empty>
    );
  }
  return (
    <Empty title="Metrics are off">
      This gateway does not count requests. Rules, clients, lists and the audit work without.
    </Empty>
  );
}
