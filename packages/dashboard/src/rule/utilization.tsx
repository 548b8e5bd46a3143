import type { Stats } from "../api/answers.ts";
import { count, percent, sum } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";

interface UtilizationProps {
  readonly stats: Stats;
  readonly policies: readonly string[];
}

/** How much of a policy's limit was used, at each request that it counted. */
export function Utilization({ stats, policies }: UtilizationProps) {
  return (
    <section class="card" aria-label="Use of the limits">
      <h2>Use of the limits</h2>
      <p class="muted">How full each policy was after a request.</p>
      {policies.map((policy) => (
        <Histogram policy={policy} stats={stats} />
      ))}
    </section>
  );
}

function Histogram({ policy, stats }: { readonly policy: string; readonly stats: Stats }) {
  const buckets = stats.utilization
    .filter((each) => each.policy === policy)
    .map(({ le, counts }) => ({ le, total: sum(counts) }));
  const all = sum(buckets.map(({ total }) => total));
  if (all === 0) {
    return (
      <p class="none">
        <b>{clipped(policy)}</b>: nothing was counted.
      </p>
    );
  }
  return (
    <table class="bars">
      <caption>{clipped(policy)}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">used</th>
          <th scope="col">share</th>
          <th scope="col">requests</th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ le, total }, i) => (
          <tr>
            <th scope="row">
              {100 * (buckets[i - 1]?.le ?? 0)}–{100 * le} %
            </th>
            <td>
              <span
                class={le > 0.75 ? "bar full" : "bar"}
                style={{ width: `${(100 * total) / all}%` }}
              />
              <span class="unseen">{percent(total, all)}</span>
            </td>
            <td class="number">{count(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
