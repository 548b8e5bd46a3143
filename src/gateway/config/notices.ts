import type { NoticedPolicy, NoticeListener } from "../../features/notice-marks.ts";
import { ruleOfPolicy } from "../../metrics/denial-log.ts";
import { nameOfKey } from "../../metrics/partition-name.ts";
import type { Recorder } from "../../metrics/recorder.ts";
import type { CountedRule } from "../../metrics/tally.ts";
import type { Webhook } from "./webhook.ts";

/** The receivers of notices. */
export interface NoticeReceivers {
  readonly webhook: Webhook | undefined;
  readonly recorder: Pick<Recorder, "noticed"> | undefined;
  /** A function of the deployment's own. */
  readonly listener: NoticeListener | undefined;
  /** How partitions are named to the webhook. */
  readonly identities: "hashed" | "plain";
}

/** On Workers, work whose request was cancelled never ends: more than this many are not waited for. */
const MAX_UNDER_WAY = 100;

/** Tells receivers of notices. */
export interface Notices {
  /** Makes the listener of the limiter for these rules. */
  listenFor(rules: readonly CountedRule[]): NoticeListener;
  /** Gets the limiter's work on each notice. */
  follow(work: Promise<void>): void;
  /** Resolves when no notice is under way any more: all are told, and noted as told. Never rejects. */
  settled(): Promise<void>;
}

/** Tells all receivers of each notice, and counts it; `undefined` where there is no receiver. */
export function noticesTo(receivers: NoticeReceivers): Notices | undefined {
  const { webhook, recorder, listener, identities } = receivers;
  if (!webhook && !recorder && !listener) return undefined;

  const underWay = new Set<Promise<void>>();

  async function tell(
    decision: Parameters<NoticeListener>[0],
    policy: NoticedPolicy,
    rules: readonly CountedRule[],
  ): Promise<void> {
    const { name, kind } = policy;
    try {
      await Promise.all([
        listener?.(decision, policy),
        webhook?.({ id: policy.id, body: await bodyOf(policy, rules, identities) }),
      ]);
    } catch (error) {
      recorder?.noticed(name, kind, "failed");
      throw error;
    }
    recorder?.noticed(name, kind, "told");
  }

  return {
    listenFor: (rules) => (decision, policy) => tell(decision, policy, rules),

    follow(work) {
      const [oldest] = underWay;
      if (underWay.size >= MAX_UNDER_WAY) underWay.delete(oldest!);
      underWay.add(work);
      void work.then(() => underWay.delete(work));
    },

    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function bodyOf(
  { kind, name, share, partition, consumed, limit, window, resetAtMs }: NoticedPolicy,
  rules: readonly CountedRule[],
  identities: "hashed" | "plain",
): Promise<object> {
  return {
    type: `limit.${kind}`,
    timestamp: new Date().toISOString(),
    data: {
      rule: ruleOfPolicy(name, rules),
      policy: name,
      partition: await nameOfKey(partition, identities),
      ...(share !== undefined && { share }),
      consumed,
      limit,
      window,
      resetAt: new Date(resetAtMs).toISOString(),
    },
  };
}
