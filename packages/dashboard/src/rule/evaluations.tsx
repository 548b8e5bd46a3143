import type { Stats } from "../api/answers.ts";
import { count, percent, sum } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { modeInWords } from "../parts/rule-label.ts";
import { Table } from "../parts/table.tsx";

interface EvaluationsProps {
  readonly stats: Stats;
  readonly policies: readonly string[];
}

/** The effect of each mode on a request without room. */
const MEANINGS: Readonly<Record<string, string>> = {
  enforce: "denied",
  shadow: "would be denied",
  soft: "passed over the limit",
};

/** The answers of the policies: those that enforce beside those that are tried. */
export function Evaluations({ stats, policies }: EvaluationsProps) {
  const rows = policies.flatMap((policy) =>
    Object.keys(MEANINGS).flatMap((mode) => {
      const of = (result: string) =>
        sum(
          stats.evaluations
            .filter(
              (each) => each.policy === policy && each.mode === mode && each.result === result,
            )
            .map(({ counts }) => sum(counts)),
        );
      const [allowed, denied] = [of("allowed"), of("denied")];
      return allowed + denied === 0 ? [] : [{ policy, mode, allowed, denied }];
    }),
  );
  return (
    <section class="card" aria-label="What each policy said">
      <h2>What each policy said</h2>
      <Table
        caption="What each policy said"
        empty="No policy was asked."
        rows={rows}
        columns={[
          { title: "policy", cell: ({ policy }) => clipped(policy) },
          {
            title: "mode",
            cell: ({ mode }) => <span class={`tag ${mode}`}>{modeInWords(mode)}</span>,
          },
          { title: "with room", isNumber: true, cell: ({ allowed }) => count(allowed) },
          {
            title: "without",
            isNumber: true,
            cell: ({ allowed, denied }) =>
              `${count(denied)} (${percent(denied, allowed + denied)})`,
          },
          { title: "which are", cell: ({ mode, denied }) => (denied > 0 ? MEANINGS[mode] : "") },
        ]}
      />
    </section>
  );
}
