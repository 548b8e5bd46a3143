import type { Operation } from "../algorithms/model.ts";
import { createDecision, type Decision } from "../decision/decision.ts";
import type { PolicyRows } from "../decision/outcome.ts";
import { StoreError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { PartialReplyError } from "../store/partial-reply.ts";
import type { Reply, Store } from "../store/store.ts";
import type { Shared } from "./answer.ts";
import { decisionOf } from "./decision-of.ts";
import { createFallback } from "./fallback.ts";
import { createKnowledge } from "./knowledge.ts";
import type { Leasing } from "./leasing.ts";
import type { PathParts } from "./path-parts.ts";
import { replyAboveLimit } from "./reply-above-limit.ts";
import type { PartitionedRequest, PolicyGroup } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";
import { createStoreCalls } from "./store-calls.ts";
import type { Decided } from "./take.ts";
import { type PartlyKnown, takenOf } from "./taken-of.ts";

/** The steps that every operation of a limiter is built from. */
export interface DecisionPath {
  /** Makes a group of policies. */
  group(policies: readonly CompiledPolicy[]): PolicyGroup;
  /** Decides a request: from a known denial, else by the store, else, if that fails, by each policy's `onFailure`. */
  limit(request: PartitionedRequest): Promise<Decision>;
  /** Asks the store, even if a denial is known. */
  ask(operation: Operation, request: PartitionedRequest): Promise<Decision>;
  /**
   * Charges in the store, and nowhere else if it gives no answer.
   *
   * @throws StoreError
   */
  chargeStore(request: PartitionedRequest): Promise<void>;
  /** The denial of a cost above its policy's limit, which can never pass; `undefined` for any other costs. Counts nothing. */
  exceedsLimit(request: PartitionedRequest): Decision | undefined;
  /** Forgets the counts in the store, and everything that the isolate knows about them. */
  forget(request: PartitionedRequest): Promise<void>;
}

const NONE: Shared = [];
const ABOVE_LIMIT = { reason: "cost-exceeds-limit", status: 429 } as const;

export function createDecisionPath(
  store: Store,
  settings: LimiterSettings,
  { memory, roles, leasing }: PathParts,
): DecisionPath {
  const { prefix, now, random, headers: headerOptions } = settings;
  const clock = store.now && (() => store.now!());
  const fallback = createFallback(settings.onFailure, clock, memory);
  const knowledge = createKnowledge(store, settings, fallback, leasing);

  const keysOf = ({ selection: { policies, groupOf }, partitions }: PartitionedRequest) =>
    policies.map(({ key }, i) => `${prefix}:{${partitions[groupOf[i]!]!}}:${key}`);
  const calls = createStoreCalls(store, keysOf, roles);

  async function limit(request: PartitionedRequest): Promise<Decision> {
    const never = replyAboveLimit(request, now, fallback.now);
    if (never) {
      countLater(request, { policies: request.selection.policies, rows: never.rows });
      return decisionOf(request, never, settings, ABOVE_LIMIT);
    }
    const { selection, partitions, costs } = request;
    const { groups, starts } = selection;
    const arrivedAtMs = now();
    for (let nowMs = arrivedAtMs; ; nowMs = now()) {
      let expired: number[] | undefined;
      let shared: number[] | undefined;
      for (let i = 0; i < groups.length; i++) {
        const known = groups[i]!.denials.find(partitions[i]!, costs, starts[i]!, nowMs);
        if (known.state === "denied") return denyKnown(request, i, known);
        if (known.state === "unknown") continue;
        (expired ??= []).push(i);
        // A client that was never denied does not wait for the shared cache.
        if (known.denied && groups[i]!.sharing) (shared ??= []).push(i);
      }
      if (expired) return askAlone(request, expired, shared ?? NONE, nowMs);
      let answered: Promise<unknown> | undefined;
      for (let i = 0; i < groups.length && !answered; i++) {
        const { flights } = groups[i]!;
        answered = flights.join(partitions[i]!, costs, starts[i]!, arrivedAtMs, nowMs);
      }
      if (!answered) return ask(operationOf(request), request, NONE);
      await answered;
    }
  }

  /** Asks after denials have expired, while others wait. It first looks for the answers of other isolates. */
  function askAlone(
    request: PartitionedRequest,
    expired: readonly number[],
    shared: Shared,
    nowMs: number,
  ): Promise<Decision> {
    const { selection, partitions, costs } = request;
    const { groups, starts } = selection;
    let asking = async () => {
      for (const i of shared) {
        const denied = await groups[i]!.sharing!.read(partitions[i]!, costs, starts[i]!);
        if (denied) return denyKnown(request, i, denied);
      }
      return ask(operationOf(request), request, shared);
    };
    for (const i of expired) {
      const { denials, flights } = groups[i]!;
      const inner = asking;
      denials.drop(partitions[i]!);
      asking = () => flights.run(partitions[i]!, costs, starts[i]!, nowMs, inner);
    }
    return asking();
  }

  async function ask(
    operation: Operation,
    request: PartitionedRequest,
    shared: Shared,
  ): Promise<Decision> {
    if (leasing && operation === "consume" && request.selection.isLeased) {
      return takeLeased(request, leasing, shared);
    }
    const sentAtMs = now();
    const call = calls.prepare(operation, request);
    try {
      const reply = await call.send();
      const receivedAtMs = now();
      const answer = { reply, sentAtMs, receivedAtMs, shared };
      const learning = knowledge.learn(operation, request, answer);
      if (learning) await learning;
      request.reservation?.taken.push({ request, keys: keysOf(request), reply });
      return decisionOf(request, reply, settings);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const partial = error instanceof PartialReplyError ? error : undefined;
      return withoutStore(operation, { ...request, costs: call.failed(error) }, error, partial);
    }
  }

  /** Takes from what is held, and from the store what is not. */
  async function takeLeased(
    request: PartitionedRequest,
    { take }: Leasing,
    shared: Shared,
  ): Promise<Decision> {
    const taken = await take(request, keysOf, (part) => calls.take(part), now);
    const decision = taken.error
      ? await withoutStore("consume", request, taken.error, taken)
      : answerTaken(request, taken);
    for (const found of taken.answers()) {
      const { request: part, reply } = found;
      if (!taken.error)
        request.reservation?.taken.push({ request: part, keys: keysOf(part), reply });
      const own = found.groups.flatMap((group, i) => (shared.includes(group) ? [i] : []));
      await knowledge.learn("consume", found.request, { ...found, shared: own });
    }
    return decision;
  }

  function answerTaken(request: PartitionedRequest, taken: Decided): Decision {
    const { request: decided, rows } = taken;
    if (decided !== request) countLater(request, { policies: decided.selection.policies, rows });
    return decisionOf(decided, taken, settings);
  }

  /** Decides by each policy's `onFailure`, but for those that the store did answer. */
  async function withoutStore(
    operation: Operation,
    request: PartitionedRequest,
    error: StoreError,
    partial: PartlyKnown | undefined,
  ): Promise<Decision> {
    const decided = fallback.decide(operation, request, keysOf(request), partial?.rows);
    const { status } = decided;
    const left = status === 200 ? undefined : await partial?.giveBack();
    const rows = left ? decided.rows.map((row, i) => left[i] ?? row) : decided.rows;
    const reply = { ...decided, rows };
    request.reservation?.taken.push(...takenOf(request, keysOf, reply, error, partial));
    const shown = roles ? roles.withoutRoom(operation, request, reply) : reply;
    return decisionOf(request, shown, settings, { reason: "store-unavailable", status, error });
  }

  /** Denies by what is known about one group. The store is asked where the denial fills a ban: from then on it is told. */
  function denyKnown(
    request: PartitionedRequest,
    group: number,
    reply: Reply,
  ): Decision | Promise<Decision> {
    const policies = request.selection.groups[group]!.denying;
    const { nowUs, rows } = reply;
    if (roles?.fillsBan(request, keysOf, { policies, rows })) {
      return ask(operationOf(request), request, NONE);
    }
    countLater(request, { policies, rows });
    leasing?.noteDenied(request, group);
    const outcome = { reason: "cached-denial", status: 429 } as const;
    return createDecision({ ...outcome, policies, nowUs, rows, headerOptions, random });
  }

  function countLater(request: PartitionedRequest, denied: PolicyRows): void {
    roles?.noteDenial(request, keysOf, denied);
  }

  return {
    group: (policies) => knowledge.group(policies),
    limit,
    ask: (operation, request) => ask(operation, request, NONE),
    chargeStore: async (request) => void (await calls.prepare("charge", request).send()),

    exceedsLimit(request) {
      const never = replyAboveLimit(request, now, fallback.now);
      return never && decisionOf(request, never, settings, ABOVE_LIMIT);
    },

    async forget(request) {
      const keys = keysOf(request);
      fallback.forget(request, keys, now());
      await store.reset(keys);
      // Only after the reset: the answer to an earlier request could otherwise bring the old denial back.
      knowledge.forget(request);
      roles?.forget(keys);
      fallback.forget(request, keys, now());
    },
  };
}

/** A request that costs nothing takes nothing; but policies that count denials count that it is denied. */
function operationOf({ selection: { policies }, costs }: PartitionedRequest): Operation {
  const takes = costs.some((cost) => cost > 0) || policies.some(({ role }) => role !== "enforced");
  return takes ? "consume" : "peek";
}
