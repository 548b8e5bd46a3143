import { type AskStore, type GroupVerdict, NO_MOMENT, type Unanswered } from "../../decide/step.ts";

/** Takes charges that this isolate's memory has counted already as answered: it must not count them once more. */
export function answerCounted(next: AskStore): AskStore {
  return (asked) => {
    if (!asked.groups.some(({ isCountedInMemory }) => isCountedInMemory)) return next(asked);
    return next(asked).then(({ groups, unanswered = [], ...answer }) => ({
      ...answer,
      groups: [...groups, ...unanswered.filter(isCounted).map(verdictOf)],
      unanswered: unanswered.filter((each) => !isCounted(each)),
    }));
  };
}

function isCounted({ asked }: Unanswered): boolean {
  return asked.isCountedInMemory === true;
}

/** The verdict of a charge that only the store may count. It never denies. */
function verdictOf({ asked, error }: Unanswered): GroupVerdict {
  const rows = asked.group.policies.map(({ limit }) => ({
    allowed: true,
    remaining: limit,
    retryAfterUs: 0,
    resetAfterUs: 0,
  }));
  return { asked, rows, countedBy: "none", at: NO_MOMENT, error };
}
