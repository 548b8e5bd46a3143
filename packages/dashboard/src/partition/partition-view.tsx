import { useEffect, useState } from "hono/jsx/dom";

import type { Explanation } from "../api/answers.ts";
import type { ApiError } from "../api/api.ts";
import { useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { Field, textOf } from "../parts/field.tsx";
import { clipped } from "../parts/plain.ts";
import { Empty, Failed } from "../parts/states.tsx";
import { linkTo } from "../parts/view-location.ts";
import { Actions } from "./actions.tsx";
import { bodyOf, type Described, describedBy, isUnreadable, linkable } from "./described.ts";
import { Explained } from "./explained.tsx";
import type { Whom } from "./history/audit-entries.ts";
import { AuditCard, History } from "./history/history.tsx";
import { NamedClient } from "./named-client.tsx";
import { NamingEntries } from "./naming-entries.tsx";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The state of a client in the policies, and the decision about a request. */
export function PartitionView({ query }: { readonly query: URLSearchParams }) {
  const { api } = useSession();
  const { tick, readNow } = useLive();
  const [asked, setAsked] = useState<Described | undefined>(
    query.has("path") && !isUnreadable(query) ? describedBy(query) : undefined,
  );
  const [found, setFound] = useState<Explanation | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const filled = asked ?? describedBy(query);
  const [linked, setLinked] = useState(query.get("partition") ?? undefined);

  useEffect(() => {
    if (!asked) return undefined;
    let isCurrent = true;
    const tell = (answer: Explanation | undefined, failure?: ApiError) => {
      if (!isCurrent) return;
      if (answer) setFound(answer);
      setError(failure);
    };
    api
      .send<Explanation>("POST", "/explain", { body: bodyOf(asked) })
      .then(tell, (thrown: ApiError) => tell(undefined, thrown));
    return () => {
      isCurrent = false;
    };
  }, [asked, tick]);

  function submit(event: Event): void {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const described = {
      method: textOf(data, "method"),
      path: textOf(data, "path"),
      ip: textOf(data, "ip"),
      headers: textOf(data, "headers"),
    };
    setFound(undefined);
    setError(undefined);
    setLinked(undefined);
    setAsked(described);
    history.replaceState(null, "", linkTo("partition", linkable(described)));
  }

  return (
    <>
      <h1>Client</h1>
      {linked !== undefined && <Linked name={linked} query={query} />}
      <form class="card request" onSubmit={submit}>
        <Field label="Method">
          <select name="method">
            {[...new Set([...METHODS, filled.method])].map((method) => (
              <option value={method} selected={method === filled.method}>
                {method}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Path and query">
          <input name="path" required value={filled.path} autocomplete="off" spellcheck={false} />
        </Field>
        <Field label="Client's address">
          <input
            name="ip"
            value={filled.ip}
            placeholder="203.0.113.7"
            autocomplete="off"
            spellcheck={false}
          />
        </Field>
        <Field label="Headers, one in each line">
          <textarea
            name="headers"
            rows={3}
            value={filled.headers}
            placeholder="x-user-id: 42"
            spellcheck={false}
          />
        </Field>
        <div class="actions">
          <button type="submit" class="primary">
            Explain
          </button>
        </div>
      </form>
      {error && <Failed error={error} />}
      {asked && found && (
        <section class="card" aria-label="Explanation" aria-live="polite">
          <Explained explanation={found} />
          <NamingEntries explanation={found} done={readNow} />
          <Actions asked={asked} found={found} done={readNow} />
        </section>
      )}
      {!asked && linked === undefined && (
        <Empty title="Describe a request">
          You see its decision, and the counts of its client in each policy. It takes no units.
        </Empty>
      )}
      {asked && found && <AuditCard whom={whomOf(asked, found)} />}
      {linked !== undefined && !asked && <AuditCard whom={{ identities: [linked], ip: "" }} />}
      {linked === undefined ? (
        asked && <History whose={{ request: bodyOf(asked) }} />
      ) : (
        <History whose={{ name: linked }} />
      )}
    </>
  );
}

interface LinkedProps {
  /** The client's name in metrics. */
  readonly name: string;
  readonly query: URLSearchParams;
}

function Linked({ name, query }: LinkedProps) {
  if (isUnreadable(query)) {
    return (
      <NamedClient
        name={name}
        policy={query.get("policy") ?? undefined}
        hint={query.get("hint") ?? undefined}
      />
    );
  }
  return (
    <p>
      From the overview: <code class="untrusted">{clipped(name)}</code>.
    </p>
  );
}

/** A client that a list blocks is not explained by any policy: its header fields name it all the same. */
function whomOf({ headers, ip }: Described, { rules }: Explanation): Whom {
  const partitions = rules.flatMap(({ policies }) => policies.map(({ partition }) => partition));
  const fields = headers.split("\n").filter((line) => line.includes(":"));
  return { identities: [...new Set([...partitions, ...fields])], ip };
}
