import type { Rule, WhatIf } from "../../api/answers.ts";
import { moment } from "../../parts/format.ts";
import { Empty } from "../../parts/states.tsx";
import { linkTo } from "../../parts/view-location.ts";
import { AffectedTable } from "./affected-table.tsx";
import { Compared } from "./compared.tsx";
import { doubts, saidAffected, saidCertainty, saidNow, saidOfFew, saidThen } from "./sentences.ts";

interface WhatIfAnswerProps {
  readonly answer: WhatIf;
  readonly minutes: number;
  readonly rule: Rule;
  /** Where the limit stands in the document. */
  readonly place: string;
}

/** The result of a replay in words, with its certainty. */
export function WhatIfAnswer({ answer, minutes, rule, place }: WhatIfAnswerProps) {
  const { from, to, requests, partitions, tooFew, affected } = answer;
  return (
    <div class="replayed" role="group" aria-label="Answer" aria-live="polite">
      {requests === 0 && partitions === 0 ? (
        <Empty title="No trace yet">
          Nothing was counted for this policy in the last {minutes} minutes. It takes a minute at
          most until a request is in the trace.
        </Empty>
      ) : (
        <>
          <p>{saidNow(answer, minutes)}</p>
          {tooFew ? (
            <>
              {saidOfFew(answer).map((sentence) => (
                <p>{sentence}</p>
              ))}
              <Empty title="Too few samples">
                {partitions === 0 ? "None" : `Only ${partitions}`} of the clients that were here{" "}
                {partitions === 1 ? "is" : "are"} in the sample, which has 1 in {answer.oneIn}. An
                estimate of the requests needs 10. Try the numbers instead: add a second policy with
                them and the mode <code>shadow</code>, which denies nothing, and read here after a
                while how many it would deny.
              </Empty>
            </>
          ) : (
            <>
              <p class="then">{saidThen(answer)}</p>
              <Compared answer={answer} />
              <p>{saidCertainty(answer)}</p>
              <p>{saidAffected(answer)}</p>
            </>
          )}
          {doubts(answer).map((doubt) => (
            <p class="muted">{doubt}</p>
          ))}
          {affected.length > 0 && (
            <AffectedTable rows={affected} policy={answer.policy} rule={rule} />
          )}
        </>
      )}
      <div class="actions spread">
        <a class="button" href={linkTo("edit", { at: place })}>
          Edit this rule
        </a>
        <span class="muted">
          {moment(from)} to {moment(to)}
        </span>
      </div>
    </div>
  );
}
