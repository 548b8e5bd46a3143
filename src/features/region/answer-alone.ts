import { verdictsOf } from "../../decide/ask-store.ts";
import type { AskStore, Step } from "../../decide/step.ts";
import { StandInError } from "../../store/region/stand-in.ts";

/** Takes what a region has counted by itself, while home gave no answer, as the answer. */
export const answerAlone: Step<AskStore> = (next) => async (asked) => {
  const answer = await next(asked);
  const { error } = answer;
  if (!(error instanceof StandInError)) return answer;
  const verdicts = verdictsOf(asked.groups, error.reply, 0, 0);
  const alone = { countedBy: "none", error } as const;
  return { groups: verdicts.map((each) => Object.assign(each, alone)), error };
};
