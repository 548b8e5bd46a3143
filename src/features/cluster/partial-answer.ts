import type { Row } from "../../algorithms/model.ts";
import { byGroup, type PartialAnswer, verdictsOf } from "../../decide/ask-store.ts";
import { PartialReplyError } from "../../store/partial-reply.ts";

/** The answer of the masters that gave one; the groups of the others have none. */
export const partialAnswer: PartialAnswer = (groups, error, sentAtMs, receivedAtMs) => {
  if (!(error instanceof PartialReplyError)) return undefined;
  const clocksUs = error.clocksUs as readonly number[];
  const answered = (rows: readonly (Row | undefined)[]) =>
    verdictsOf(
      groups,
      { rows: rows as readonly Row[], nowUs: 0, clocksUs },
      sentAtMs,
      receivedAtMs,
    ).filter(({ rows: [first] }) => first);
  const unanswered = byGroup(groups, error.failures).flatMap(([failure], i) => {
    const asked = groups[i]!;
    return failure ? [{ asked, error: failure, costs: asked.costs }] : [];
  });
  return {
    groups: answered(error.rows),
    unanswered,
    error,
    giveBack: async () => answered(await error.giveBack()),
  };
};
