import type { PolicyGroup } from "../../decide/groups.ts";
import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import {
  after,
  type Answer,
  type CountRequest,
  type PartitionRequest,
  type AskStore,
  type Beside,
  type GroupVerdict,
  type Verdict,
} from "../../decide/step.ts";
import type { RoleSteps } from "../../decide/steps-of-features.ts";
import { isNotAsked } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { keepAlive } from "../../runtime/keep-alive.ts";
import { reportOnce } from "../../runtime/log.ts";
import { nextTurn } from "../../runtime/next-turn.ts";
import { advised } from "./advised.ts";
import {
  type Batch,
  createOwed,
  estimate,
  isDue,
  noteAnswer,
  owe,
  type OwedUnits,
  takeDue,
} from "./owed-units.ts";

/** Policies in shadow that a call takes along. */
interface Rider {
  readonly original: PartitionRequest;
  /** As the store is asked. */
  readonly asked: PartitionRequest;
  readonly owed: OwedUnits;
  /** The units of earlier requests. Without them, the call has the units of its own request. */
  readonly batch?: Batch;
}

/**
 * The steps of policies in shadow beside others. The other steps do not see them, so that clients get what they would get without
 * a shadow. A call that the store gets anyway takes the shadow along. If a request needs no call, the shadow's verdict
 * is estimated, and the next call takes the owed units along.
 */
export function shadowSteps({
  settings,
  now,
  clockUs,
  perGroup,
}: LimiterContext<CoreSettings>): Pick<RoleSteps, "setApart" | "send" | "carry"> {
  if (settings.policies.every(({ mode }) => mode !== "shadow")) return {};
  const owedOf = perGroup(({ policies }) => createOwed(policies));
  const groupOfOwed = perGroup(asOwed);
  const unitsOf = ({ group, partition }: PartitionRequest) => owedOf(group).of(partition, now());

  function verdictOf(asked: CountRequest, beside: Beside, verdict: Verdict): Verdict {
    const { error, reason, status } = verdict;
    const isAdmitted = status === 200 && !error;
    const shadows = beside.groups.flatMap((each): readonly GroupVerdict[] => {
      const answered = beside.verdicts.get(each);
      if (answered) return [advised(answered, asked.operation)];
      // Only the group that denies has rows in a known denial.
      if (reason === "cached-denial") return [];
      const owed = unitsOf(each);
      const takes = beside.takes && isAdmitted && !beside.sent.has(each);
      const estimated = advised(estimate(each, owed, takes, now(), clockUs()), asked.operation);
      if (!takes) return [estimated];
      const { rows } = estimated;
      const settle = (costs: readonly number[]) =>
        owe(
          owed,
          costs.map((units, i) => (rows[i]!.allowed ? units : 0)),
          now(),
        );
      // Units that a hold may give back are owed when it is settled.
      if (asked.slot && each.group.policies[0]!.refundable) return [{ ...estimated, settle }];
      settle(each.costs);
      return [estimated];
    });
    return { ...verdict, groups: [...verdict.groups, ...shadows] };
  }

  /** The shadow policies of a group that ride along with a call; `undefined` for none. */
  function riderOf(
    each: PartitionRequest,
    { operation, isSettlement, beside }: CountRequest,
  ): Rider | undefined {
    const { group, costs } = each;
    const owed = unitsOf(each);
    // Slots are taken with the hold, or not at all.
    const mayCarry = isSettlement || (operation === "consume" && !hasSlots(group));
    if (mayCarry && isDue(owed)) {
      const batch = takeDue(owed, group.policies);
      const asked = { ...each, group: groupOfOwed(group), costs: batch.costs };
      return { original: each, asked, owed, batch };
    }
    // Its own units were estimated, or it takes none.
    if (isSettlement || (operation === "peek" && beside!.takes)) return undefined;
    const fitting = group.policies.map(({ limit }, i) =>
      operation !== "charge" && costs[i]! > limit ? 0 : costs[i]!,
    );
    return { original: each, asked: { ...each, costs: fitting }, owed };
  }

  /** Sends what is owed with a call of its own, when the request has its answer. */
  async function sendOwed(groups: readonly PartitionRequest[], ask: AskStore): Promise<void> {
    await nextTurn();
    const riders = groups.flatMap(
      (each) => riderOf(each, { operation: "charge", groups, isSettlement: true }) ?? [],
    );
    if (riders.length === 0) return;
    try {
      const answer = await ask({ operation: "charge", groups: riders.map(({ asked }) => asked) });
      withoutRiders(riders, createBeside(groups, false), answer);
    } catch (error) {
      reportOnce(`policies in shadow could not count requests: ${String(error)}`);
    }
  }

  return {
    setApart: (next) => (asked) => {
      const { operation, groups } = asked;
      if (operation === "reset") {
        return after(next(asked), (verdict) => {
          for (const { group, partition } of groups) {
            for (const each of group.variants) owedOf(each).forget(partition);
          }
          return verdict;
        });
      }
      const others = groups.filter(({ group }) => !group.isShadow);
      if (others.length === groups.length || others.length === 0) return next(asked);
      const shadows = groups.filter(({ group }) => group.isShadow);
      const beside = createBeside(shadows, operation !== "peek");
      return after(next({ ...asked, groups: others, beside }), (verdict) =>
        verdictOf(asked, beside, verdict),
      );
    },

    send: (ask) => async (asked) => {
      const answer = await ask(asked);
      const { beside } = asked;
      if (beside && (beside.isLeftOut || answer.groups.some(({ isRenewed }) => isRenewed))) {
        keepAlive(sendOwed(beside.groups, ask));
      }
      return answer;
    },

    carry: (ask) => async (asked) => {
      const { beside, groups } = asked;
      const riders = beside?.groups.flatMap((each) => riderOf(each, asked) ?? []) ?? [];
      if (riders.length === 0) return ask(asked);
      const all = [...groups, ...riders.map((each) => each.asked)];
      return withoutRiders(riders, beside!, await ask({ ...asked, groups: all }));
    },
  };
}

/** Notes the fates of riders, and returns the answer about the others. */
function withoutRiders(riders: readonly Rider[], beside: Beside, answer: Answer): Answer {
  for (const { original, asked, owed, batch } of riders) {
    const verdict = answer.groups.find((each) => each.asked === asked);
    const failure = answer.unanswered?.find((each) => each.asked === asked);
    const isAnswered = verdict?.rows[0] !== undefined;
    const isSent = isAnswered || (failure !== undefined && !isNotAsked(failure.error));
    if (isAnswered) noteAnswer(owed, verdict);
    if (batch && isSent) batch.end();
    else if (batch) batch.putBack();
    else if (isSent) beside.sent.add(original);
    if (isAnswered && !batch) beside.verdicts.set(original, { ...verdict, asked: original });
    if (failure) beside.unanswered.push({ ...failure, asked: original, costs: original.costs });
    else if (!isAnswered) beside.isLeftOut = true;
  }
  const own = new Set(riders.map(({ asked }) => asked));
  const isOther = ({ asked }: { readonly asked: PartitionRequest }) => !own.has(asked);
  const groups = answer.groups.filter(isOther);
  const unanswered = answer.unanswered?.filter(isOther) ?? [];
  const [first] = unanswered;
  if (!first) return { groups };
  const { giveBack } = answer;
  return {
    groups,
    unanswered,
    error: first.error,
    ...(giveBack && { giveBack: async () => (await giveBack()).filter(isOther) }),
  };
}

function createBeside(groups: readonly PartitionRequest[], takes: boolean): Beside {
  return { groups, takes, verdicts: new Map(), sent: new Set(), unanswered: [], isLeftOut: false };
}

/** The group as a call takes its owed units along. */
function asOwed(group: PolicyGroup): PolicyGroup {
  const policies = group.policies.map((policy): CompiledPolicy => ({ ...policy, role: "owed" }));
  return { ...group, policies };
}

function hasSlots({ policies }: PolicyGroup): boolean {
  return policies.some(({ implementation }) => implementation.hasSlots);
}
