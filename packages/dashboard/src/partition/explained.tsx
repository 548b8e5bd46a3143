import { momentIn } from "../../../../src/runtime/moment-in.ts";
import { waitInWords } from "../../../../src/runtime/wait-in-words.ts";
import type { ExplainedPolicy, Explanation } from "../api/answers.ts";
import { count, duration, moment } from "../parts/format.ts";
import { clipped, plain } from "../parts/plain.ts";
import { modeInWords } from "../parts/rule-label.ts";
import { Table } from "../parts/table.tsx";

/** The effect of each verdict on the request. */
const MEANINGS: Readonly<Record<Explanation["verdict"], string>> = {
  allowed: "Passes: every policy has room",
  denied: "Denied",
  exempt: "Passes uncounted: a list exempts the client",
  blocked: "Refused: a list blocks the client",
  refused: "Refused before any policy is asked",
  passed: "Passes: no rule covers it",
};

export function Explained({ explanation }: { readonly explanation: Explanation }) {
  const { verdict, status, reason, retryAfter, plan, override, version, rules } = explanation;
  const rows = rules.flatMap(({ policies, ...rule }) =>
    policies.map((policy) => ({ ...policy, rule })),
  );
  return (
    <>
      <h2 class={`verdict ${verdict}`}>{MEANINGS[verdict]}</h2>
      <p class="facts">
        <span>status {status}</span>
        <span>{plain(reason)}</span>
        {retryAfter !== undefined && <span>retry after {waitInWords(retryAfter)}</span>}
        {plan !== undefined && override === undefined && <span>plan {plain(plan)}</span>}
        {override !== undefined && <span>override {clipped(override)}</span>}
        <span>rules of version {version}</span>
      </p>
      <Table
        caption="Policies that count this request"
        empty="No policy counts this request."
        rows={rows}
        columns={[
          { title: "policy", cell: ({ name }) => clipped(name) },
          {
            title: "room",
            cell: ({ allowed }) => (
              <span class={allowed ? "dot good" : "dot bad"}>{allowed ? "yes" : "no"}</span>
            ),
          },
          { title: "left", isNumber: true, cell: ({ remaining }) => count(remaining) },
          { title: "limit", isNumber: true, cell: ({ limit }) => count(limit) },
          {
            title: "used",
            cell: ({ limit, remaining }) => (
              <meter
                min={0}
                max={limit}
                value={limit - remaining}
                high={limit * 0.75}
                optimum={0}
                aria-label={`${limit - remaining} of ${limit} used`}
              />
            ),
          },
          { title: "wait", isNumber: true, cell: ({ retryAfterMs }) => waitOf(retryAfterMs) },
          { title: "renews", cell: renewalOf },
          { title: "mode", cell: ({ mode }) => modeInWords(mode) },
          {
            title: "client",
            cell: ({ partition, digest }) => (
              <>
                <code class="untrusted">{clipped(partition)}</code>
                {digest !== undefined && (
                  <>
                    {" "}
                    digest <code class="untrusted">{clipped(digest)}</code>
                  </>
                )}
              </>
            ),
          },
          {
            title: "rule",
            cell: ({ rule }) => (
              <a href={`#/rules/${rule.index}`}>{clipped(`${rule.method} ${rule.path}`)}</a>
            ),
          },
        ]}
      />
    </>
  );
}

/** When everything is left again. */
function renewalOf({ renewsAt, timeZone = "UTC", resetAfterMs }: ExplainedPolicy): string {
  if (renewsAt !== undefined) return momentIn(timeZone, renewsAt) ?? moment(renewsAt);
  return resetAfterMs > 0 ? `in ${duration(resetAfterMs)}` : "–";
}

function waitOf(ms: number | null): string {
  if (ms === null) return "never";
  return ms > 0 ? duration(ms) : "–";
}
