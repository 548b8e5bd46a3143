import type { Live, TopPartition } from "../api/answers.ts";
import { useLive } from "../live/live.ts";
import { topPath } from "../live/ranges.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Answered } from "../parts/states.tsx";
import { TopTable } from "../parts/top-table.tsx";

interface DeniedMostProps {
  readonly policies: readonly string[];
  readonly rules: Live;
}

/** The clients that the policies of a rule denied most, of the hundred that all rules denied most. */
export function DeniedMost({ policies, rules }: DeniedMostProps) {
  const { range } = useLive();
  const top = useAnswer<{ readonly partitions: readonly TopPartition[] }>(
    `top denied ${range.name}`,
    (nowMs) => topPath("denied", range, nowMs),
  );
  return (
    <section class="card" aria-label="Denied most">
      <h2>Denied most</h2>
      <Answered of={top} what="the clients">
        {({ partitions }) => (
          <TopTable
            caption="Denied most by this rule"
            rows={partitions.filter(({ policy }) => policies.includes(policy))}
            rules={rules}
          />
        )}
      </Answered>
    </section>
  );
}
