import type { Row } from "../algorithms/model.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import { deniesIn } from "./local-denials.ts";
import {
  type Answer,
  type CountRequest,
  type GroupVerdict,
  NO_MOMENT,
  type PartitionRequest,
  type Unanswered,
  type Verdict,
} from "./step.ts";

/** Decides a request of which the store left groups unanswered, by each policy's `onFailure`. */
export type WithoutStore = (
  operation: Exclude<CountRequest["operation"], "reset">,
  asked: CountRequest,
  answer: Answer,
) => Promise<Verdict>;

/** Makes what decides by each policy's `onFailure`, except for groups that the store answered. */
export function decideWithoutStore({ local, keysOf }: LimiterContext<CoreSettings>): WithoutStore {
  /** A group as this isolate's memory counts it. */
  const counted = (asked: PartitionRequest, costs: readonly number[]) => ({
    policies: asked.group.policies,
    partition: asked.partition,
    keys: keysOf(asked),
    costs,
  });

  return async (
    operation,
    { groups, slot, beside },
    { groups: answered, unanswered = [], error, giveBack },
  ) => {
    const verdicts = new Map(answered.map((each) => [each.asked, each]));
    const isClosed = unanswered.some(({ asked }) => local.failsClosed(asked.group.denying));
    const isDenied = isClosed || answered.some(deniesIn);
    const shadows = beside?.unanswered ?? [];
    const left = [...unanswered, ...shadows];
    const { nowUs, rows } = local.decide(
      // The request is denied anyway, so it takes no units.
      isDenied && operation === "consume" ? "peek" : operation,
      left.map(({ asked, costs }) => counted(asked, costs)),
      slot,
    );
    left.forEach((each, i) => verdicts.set(each.asked, countedHere(each, rows[i]!, nowUs)));
    for (const { asked } of shadows) beside!.verdicts.set(asked, verdicts.get(asked)!);
    const inOrder = () => groups.flatMap((each) => verdicts.get(each) ?? []);
    const status = isClosed ? 503 : inOrder().some(deniesIn) ? 429 : 200;
    if (status !== 200 && giveBack) {
      for (const each of await giveBack()) verdicts.set(each.asked, each);
    }
    return { reason: "store-unavailable", status, nowUs, groups: inOrder(), error };
  };
}

function countedHere(
  { asked, error }: Unanswered,
  rows: readonly Row[],
  nowUs: number,
): GroupVerdict {
  return { asked, rows, countedBy: "memory", at: { ...NO_MOMENT, nowUs }, error };
}
