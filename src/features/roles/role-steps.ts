import type { CoreSettings, LimiterContext } from "../../decide/limiter-context.ts";
import {
  after,
  type Answer,
  type CountRequest,
  type PartitionRequest,
  type GroupVerdict,
  type Verdict,
} from "../../decide/step.ts";
import type { RoleSteps } from "../../decide/steps-of-features.ts";
import { isNotAsked } from "../../options/errors.ts";
import { advised } from "./advised.ts";
import { shadowSteps } from "./shadows.ts";
import { createWaitingDenials, type DenialBatch } from "./waiting-denials.ts";

/** A group as sent to the store, with the denials that it carries. */
interface Counted {
  readonly original: PartitionRequest;
  readonly asked: PartitionRequest;
  /** For each policy that counts denials, the denials that waited. */
  readonly denials: readonly (DenialBatch | undefined)[];
}

const NO_DENIALS: Counted["denials"] = [];

/** The steps of policies that only advise, or that count denials or failures. */
export function roleSteps(context: LimiterContext<CoreSettings>): RoleSteps {
  const { settings, keysOf, now } = context;
  const { policies } = settings;
  if (policies.every(({ role, countsFailures }) => role === "enforced" && !countsFailures)) {
    return {};
  }
  const waiting = createWaitingDenials();

  /** The keys of the policies that count a denial: those that do not deny themselves, while another one does. */
  function keysOfBans({ groups }: CountRequest, verdict: Verdict): readonly string[] {
    // Compared by key, because a plan has its own policies with the same keys.
    const denying = verdict.groups.flatMap(({ asked: { group }, rows }) =>
      rows.flatMap(({ allowed }, i) => (allowed ? [] : [group.policies[i]!.key])),
    );
    if (denying.length === 0) return [];
    return groups.flatMap((each) => {
      if (each.group.isPlain) return [];
      const keys = keysOf(each);
      return each.group.policies.flatMap((policy, i) =>
        policy.role === "denials" && !denying.includes(policy.key) ? [keys[i]!] : [],
      );
    });
  }

  /** Adds the waiting denials, and removes costs that can never have room. */
  function counted(original: PartitionRequest, operation: CountRequest["operation"]): Counted {
    const { group, costs } = original;
    if (group.isPlain || operation === "charge") {
      return { original, asked: original, denials: NO_DENIALS };
    }
    const keys = keysOf(original);
    const nowMs = now();
    const denials = group.policies.map(({ role, windowUs }, i) =>
      role === "denials" && operation === "consume"
        ? waiting.take(keys[i]!, nowMs, windowUs / 1000)
        : undefined,
    );
    const fitting = group.policies.map(({ role, limit }, i) => {
      // A policy that decides alone checks for room for one more denial.
      if (role === "denials") return denials[i]?.count ?? 1;
      return costs[i]! > limit ? 0 : costs[i]!;
    });
    return { original, asked: { ...original, costs: fitting }, denials };
  }

  /** Notes the room for denials, if an answer denies or leaves no room. */
  function noteRoom(groups: readonly GroupVerdict[]): void {
    if (groups.every(({ rows }) => rows.every(({ retryAfterUs }) => retryAfterUs === 0))) return;
    for (const { asked, rows } of groups) {
      if (asked.group.isPlain) continue;
      const keys = keysOf(asked);
      asked.group.policies.forEach(({ role }, i) => {
        if (role === "denials") waiting.noteRoom(keys[i]!, rows[i]!.remaining);
      });
    }
  }

  return {
    ...shadowSteps(context),

    note: (next) => (asked) => {
      const { operation } = asked;
      if (operation === "reset") {
        return after(next(asked), (verdict) => {
          for (const each of asked.groups) for (const key of keysOf(each)) waiting.forget(key);
          return verdict;
        });
      }
      if (operation !== "consume") return next(asked);
      return after(next(asked), (verdict) => {
        const { status, reason, groups } = verdict;
        // The store, or this isolate's memory in its place, has counted the denial.
        if (
          status === 200 ||
          groups.some(({ countedBy }) => countedBy === "store" || countedBy === "memory")
        ) {
          return verdict;
        }
        const keys = keysOfBans(asked, verdict);
        if (reason === "cached-denial" && keys.some((key) => waiting.areFullWithOneMore(key))) {
          // The ban begins with this denial, so its response has to report the ban.
          return next({ ...asked, mustReachStore: true });
        }
        for (const key of keys) waiting.add(key, now());
        return verdict;
      });
    },

    advise: (next) => (asked) => {
      if (asked.operation === "reset" || asked.groups.every(({ group }) => group.isPlain)) {
        return next(asked);
      }
      return after(next(asked), (verdict) => ({
        ...verdict,
        groups: verdict.groups.map((each) => advised(each, asked.operation)),
      }));
    },

    count: (ask) => async (asked) => {
      const { operation, groups } = asked;
      if (operation === "reset" || groups.every(({ group }) => group.isPlain)) return ask(asked);
      const all = groups.map((each) => counted(each, operation));
      const answer = await ask({ ...asked, groups: all.map((each) => each.asked) });
      if (!answer.error) noteRoom(answer.groups);
      return toOriginalRequest(all, answer);
    },
  };
}

/** The answer to the original request. Denials that the store did not count wait for the next call. */
function toOriginalRequest(all: readonly Counted[], answer: Answer): Answer {
  const countedAs = new Map(all.map((each) => [each.asked, each]));
  const restored = (groups: readonly GroupVerdict[]) =>
    groups.map((each) => ({ ...each, asked: countedAs.get(each.asked)!.original }));
  const { giveBack } = answer;
  return {
    ...answer,
    groups: restored(answer.groups),
    ...(answer.unanswered && {
      unanswered: answer.unanswered.map((each) => {
        const { original, denials } = countedAs.get(each.asked)!;
        if (isNotAsked(each.error)) for (const batch of denials) batch?.putBack();
        const costs = each.costs.map((cost, i) => denials[i]?.uncountedHere ?? cost);
        return { ...each, asked: original, costs };
      }),
    }),
    ...(giveBack && { giveBack: async () => restored(await giveBack()) }),
  };
}
