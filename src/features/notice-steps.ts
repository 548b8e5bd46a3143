import type { Row } from "../algorithms/model.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import { isStoreAnswer } from "../decide/local-denials.ts";
import { presenter } from "../decide/present.ts";
import {
  after,
  type CountRequest,
  type GroupVerdict,
  type PartitionRequest,
  type Verdict,
} from "../decide/step.ts";
import type { NoticeSteps } from "../decide/steps-of-features.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { keepAlive } from "../runtime/keep-alive.ts";
import { reportOnce } from "../runtime/log.ts";
import {
  endOf,
  keepSilent,
  type Mark,
  marksOf,
  mayAsk,
  type NoticedPolicy,
  type NoticeListener,
  type Watched,
  watcher,
} from "./notice-marks.ts";

export interface NoticeSettings extends CoreSettings {
  readonly onNotice?: NoticeListener;
  /** Gets the work on each notice, which never rejects, so that the end of a process can wait for it. */
  readonly followNotice?: (work: Promise<void>) => void;
}

/** How long an isolate does not ask about a notice after the store gave no answer. */
const PAUSE_MS = 1_000;

/**
 * Looks at each verdict, and tells its notices in the background. It looks at the units used and not for the request that crossed
 * the share: that request may belong to an isolate that is gone. So any later request tells a notice that is missing.
 */
export function noticeSteps(context: LimiterContext<NoticeSettings>): NoticeSteps {
  const { settings, store, now, perGroup, keysOf } = context;
  const { onNotice, followNotice, policies } = settings;
  const tells = (policy: CompiledPolicy) => policy.notify && (policy.onNotice ?? onNotice);
  if (!policies.some(tells)) return {};
  const show = presenter(settings);
  const watch = watcher();
  const watchedOf = perGroup((group) =>
    group.policies.flatMap((policy, i) => (policy.notify ? [watch(policy, i)] : [])),
  );
  const keysFor = ({ policy }: Mark, asked: PartitionRequest) =>
    keysOf({ ...asked, group: { ...asked.group, policies: [policy] } });

  /** Calls the store about a notice of the window that ends then, and is silent for as long as it says. */
  async function ask(
    operation: "consume" | "charge",
    mark: Mark,
    asked: PartitionRequest,
    endsUs: number,
  ): Promise<Row> {
    const keys = keysFor(mark, asked);
    const { rows } = await store.decide(operation, keys, [endsUs], [mark.policy]);
    const [row] = rows as [Row];
    const untilMs = now() + row.retryAfterUs / 1000;
    keepSilent(mark, asked.partition, { endsUs: row.remaining, untilMs });
    return row;
  }

  /** Tells a notice, unless an isolate has told it or is about to. */
  async function tell(
    mark: Mark,
    asked: PartitionRequest,
    endsUs: number,
    notice: Notice,
  ): Promise<void> {
    // Until there is an answer, or will be none.
    keepSilent(mark, asked.partition, { endsUs, untilMs: now() + PAUSE_MS });
    let claim: Row;
    try {
      claim = await ask("consume", mark, asked, endsUs);
    } catch {
      // An outage is reported by the store's guard. The next request asks again.
      return;
    }
    if (!claim.allowed) return;
    try {
      const { ofLimit } = mark.policy.parameters;
      // The window that was counted, by the clock of the store.
      const windowEndsUs = claim.remaining;
      const id = `${keysFor(mark, asked)[0]}/${ofLimit}@${windowEndsUs}`;
      await (mark.onNotice ?? onNotice)!(...notice(id));
      await ask("charge", mark, asked, windowEndsUs);
    } catch (error) {
      reportOnce(`a notice may be told again: ${String(error)}`);
    }
  }

  function consider(mark: Mark, each: GroupVerdict, verdict: Verdict, watched: Watched): void {
    const asked = each.asked.unsharded ?? each.asked;
    const nowUs = each.at.nowUs || verdict.nowUs;
    const endsUs = endOf(watched.policy, each.rows[watched.index]!, nowUs);
    if (!mayAsk(mark, asked.partition, endsUs, now())) return;
    const work = tell(mark, asked, endsUs, (id) => [
      show(verdict),
      noticedOf(mark, each, verdict, watched, id),
    ]);
    followNotice?.(work);
    keepAlive(work);
  }

  function look({ operation }: CountRequest, verdict: Verdict): Verdict {
    for (const each of verdict.groups) {
      if (!isKnown(each, verdict)) continue;
      for (const watched of watchedOf(each.asked.group)) {
        const row = each.rows[watched.index];
        if (!row) continue;
        const used = watched.policy.limit - row.remaining;
        const reached = watched.reached.find(({ units }) => used >= units);
        if (reached) consider(reached.mark, each, verdict, watched);
        const isDenied = operation === "consume" && !row.allowed;
        if (isDenied && watched.denied) consider(watched.denied, each, verdict, watched);
      }
    }
    return verdict;
  }

  /** Notices of units that a reset restores are told again. */
  async function forget(groups: readonly PartitionRequest[]): Promise<void> {
    const keys = groups.flatMap((asked) => {
      const marks = asked.group.variants.flatMap(watchedOf).flatMap(marksOf);
      for (const { silences } of marks) silences.delete(asked.partition);
      return marks.flatMap((mark) => keysFor(mark, asked));
    });
    // Plans with other limits have the same keys.
    if (keys.length > 0) await store.reset([...new Set(keys)]);
  }

  return {
    onVerdict: (next) => (asked) => {
      const { operation, groups } = asked;
      if (operation === "peek") return next(asked);
      if (operation !== "reset") return after(next(asked), (verdict) => look(asked, verdict));
      return Promise.resolve(next(asked)).then(async (verdict) => {
        await forget(groups);
        return verdict;
      });
    },

    onSettlement: (next) => (asked) => {
      const verdict = next(asked);
      return asked.isSettlement ? after(verdict, (own) => look(asked, own)) : verdict;
    },
  };
}

/** The arguments of a listener, by the name of the notice. */
type Notice = (id: string) => Readonly<Parameters<NoticeListener>>;

/**
 * Whether a verdict tells how the store's counts stand or stood. Counts of an outage are the isolate's own, and an optimistic admission is
 * not counted yet: its settlement tells.
 */
function isKnown(each: GroupVerdict, verdict: Verdict): boolean {
  const { reason } = verdict;
  return isStoreAnswer(each, verdict) || (each.countedBy === "none" && reason === "cached-denial");
}

function noticedOf(
  { kind, share }: Mark,
  { asked, rows, at }: GroupVerdict,
  verdict: Verdict,
  { policy, index }: Watched,
  id: string,
): NoticedPolicy {
  const { allowed, remaining, retryAfterUs, resetAfterUs } = rows[index]!;
  const { limit, windowUs } = policy.unsharded ?? policy;
  const nowUs = at.nowUs || verdict.nowUs;
  return {
    kind,
    share,
    id,
    partition: (asked.unsharded ?? asked).partition,
    name: policy.name,
    limit,
    window: windowUs / 1e6,
    remaining,
    consumed: Math.round(((policy.limit - remaining) / policy.limit) * limit),
    retryAfterMs: retryAfterUs / 1000,
    resetAfterMs: resetAfterUs / 1000,
    resetAtMs: Math.round((nowUs + resetAfterUs) / 1000),
    allowed,
  };
}
