import type { Operation } from "../algorithms/model.ts";
import { createDenialCache } from "../denials/denial-cache.ts";
import { createRedisClocks } from "../denials/redis-clocks.ts";
import { createSingleFlight } from "../denials/single-flight.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Reply, Store } from "../store/store.ts";
import type { Answer } from "./answer.ts";
import type { Fallback } from "./fallback.ts";
import type { Leasing } from "./leasing.ts";
import type { PartitionedRequest, PolicyGroup } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

/** What an isolate knows from the store's answers. */
export interface Knowledge {
  /** Makes a group of policies. */
  group(policies: readonly CompiledPolicy[]): PolicyGroup;
  /** Learns from an answer. A promise only where it first has to find out whether a denial can be relied on. */
  learn(operation: Operation, request: PartitionedRequest, answer: Answer): void | Promise<void>;
  /** Forgets the denials and leases of a request's partitions, and ignores answers to earlier requests. */
  forget(request: PartitionedRequest): void;
}

export function createKnowledge(
  store: Store,
  settings: LimiterSettings,
  fallback: Fallback,
  leasing: Leasing | undefined,
): Knowledge {
  const { prefix, now, maxDenials, sharedDenials } = settings;
  const clocks = createRedisClocks();
  const isOnePartition =
    new Set(settings.policies.map(({ by, shards }) => `${by} ${shards}`)).size <= 1;

  function learnAll(
    { selection: { groups, starts }, partitions }: PartitionedRequest,
    costs: readonly number[],
    { reply, sentAtMs, receivedAtMs, shared }: Answer,
    isReliable: boolean,
  ): void {
    for (let i = 0; i < groups.length; i++) {
      const { denials, answers, sharing, variants } = groups[i]!;
      const [partition, from] = [partitions[i]!, starts[i]!];
      answers.note(partition, reply, from, sentAtMs, receivedAtMs);
      if (isReliable && waits(groups[i]!, reply, from)) {
        const decidedAtMs = reply.estimated
          ? sentAtMs
          : clocks.note(partition, reply.nowUs, sentAtMs, receivedAtMs);
        denials.learn(partition, costs, from, decidedAtMs, reply, shared.includes(i));
      }
      if (shared.includes(i)) {
        if (isReliable) sharing!.publish(partition, costs, from, reply);
        else sharing!.forget(partition);
      }
      for (const variant of variants) variant.denials.drop(partition);
    }
  }

  return {
    group(members) {
      const denying = members.filter(({ role }) => role !== "advisory");
      const advisory = members.filter(({ role }) => role === "advisory");
      const ordered = [...denying, ...advisory];
      // All policies of a group have the same.
      const { leaseUs } = members[0]!;
      const denials = createDenialCache(maxDenials, denying.length);
      return {
        policies: ordered,
        denying,
        denials,
        flights: createSingleFlight(denying.length),
        // While one isolate waits for its next lease, others may still hold units.
        sharing:
          leaseUs === undefined
            ? sharedDenials?.share({ prefix, policies: denying, now }, clocks, denials)
            : undefined,
        answers: fallback.answersOf(ordered),
        leases:
          leaseUs === undefined ? undefined : leasing?.createLeases(store, ordered, leaseUs, now),
        variants: [],
      };
    },

    learn(operation, request, answer) {
      const { groups, starts, ones, policies } = request.selection;
      // After a charge, the wait is for one more unit.
      const costs = operation === "charge" ? ones : request.costs;
      const denies =
        maxDenials > 0 &&
        policies.some(({ role }, i) => role === "enforced" && costs[i]! > 0) &&
        groups.some((group, i) => waits(group, answer.reply, starts[i]!));
      const isReliable = denies && (isOnePartition || (store.spansPartitions?.(prefix) ?? true));
      if (typeof isReliable === "boolean") return learnAll(request, costs, answer, isReliable);
      return isReliable.then((reliable) => learnAll(request, costs, answer, reliable));
    },

    forget({ selection: { groups }, partitions }) {
      groups.forEach((group, i) => {
        for (const { denials, sharing, leases } of [group, ...group.variants]) {
          denials.forget(partitions[i]!, now());
          sharing?.forget(partitions[i]!);
          leases?.forget(partitions[i]!);
        }
      });
    },
  };
}

/** Whether a policy of the group has no room for the same request, and nothing that comes back can make some. */
function waits({ denying }: PolicyGroup, { rows }: Reply, from: number): boolean {
  return denying.some(({ refundable }, i) => !refundable && rows[from + i]!.retryAfterUs > 0);
}
