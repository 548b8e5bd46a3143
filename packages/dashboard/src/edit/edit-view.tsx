import type { Draft, Live } from "../api/answers.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Published } from "../parts/published.tsx";
import { Answered } from "../parts/states.tsx";
import { TrialCard } from "../parts/trial-card.tsx";
import { Draftboard } from "./draftboard.tsx";
import { HistoryCard } from "./history-card.tsx";

/** The rules, to be changed: draft, difference, publish, roll back. */
export function EditView({ at }: { readonly at: string | null }) {
  const live = useAnswer<Live>("/rules");
  const draft = useAnswer<Draft>("/rules/draft");
  const isDraftKnown = draft.data !== undefined || draft.error !== undefined;
  return (
    <>
      <h1>Edit the rules</h1>
      <Answered of={live} what="the rules">
        {(data) => (
          <>
            <Published live={data} />
            {data.trial && <TrialCard live={data} trial={data.trial} />}
            {isDraftKnown && (
              <Draftboard
                live={data}
                draft={draft.error?.isMissing ? undefined : draft.data}
                at={at}
              />
            )}
            <HistoryCard live={data} />
          </>
        )}
      </Answered>
    </>
  );
}
