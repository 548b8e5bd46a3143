import type { Operation } from "../algorithms/model.ts";
import { createDecision, type Decision } from "../decision/decision.ts";
import type { Outcome, PolicyRows } from "../decision/outcome.ts";
import { StoreError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Memory } from "../store/memory.ts";
import { PartialReplyError } from "../store/partial-reply.ts";
import type { Reply, Store } from "../store/store.ts";
import { createFallback } from "./fallback.ts";
import { createKnowledge, type Shared } from "./knowledge.ts";
import { isAllowed, type PartitionedRequest, pick, type PolicyGroup } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";
import type { Decided } from "./take.ts";
import { createUncountedDenials } from "./uncounted-denials.ts";

/** The steps that every operation of a limiter is built from. */
export interface DecisionPath {
  /** Makes a group of policies. */
  group(policies: readonly CompiledPolicy[]): PolicyGroup;
  /** Decides a request: from a known denial, else by the store, else, if that fails, by each policy's `onFailure`. */
  limit(request: PartitionedRequest): Promise<Decision>;
  /** Asks the store, even if a denial is known. */
  ask(operation: Operation, request: PartitionedRequest): Promise<Decision>;
  /** The denial of a cost above its policy's limit, which can never pass; `undefined` for any other costs. */
  exceedsLimit(request: PartitionedRequest): Decision | undefined;
  /** Forgets the counts in the store, and everything that the isolate knows about them. */
  forget(request: PartitionedRequest): Promise<void>;
}

const NONE: Shared = [];

/** @param memory for local counts. Default: a new one */
export function createDecisionPath(
  store: Store,
  settings: LimiterSettings,
  memory?: Memory,
): DecisionPath {
  const { prefix, now, random, headers: headerOptions, leasing } = settings;
  const clock = store.now && (() => store.now!());
  const fallback = createFallback(settings.onFailure, clock, memory);
  const knowledge = createKnowledge(store, settings, fallback);
  const uncounted = createUncountedDenials();

  const keysOf = ({ selection: { policies, groupOf }, partitions }: PartitionedRequest) =>
    policies.map(({ key }, i) => `${prefix}:{${partitions[groupOf[i]!]!}}:${key}`);

  async function limit(request: PartitionedRequest): Promise<Decision> {
    const never = exceedsLimit(request);
    if (never) return never;
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
      if (!answered) return ask(operationOf(costs), request, NONE);
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
      return ask(operationOf(costs), request, shared);
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
    if (operation === "consume" && request.selection.isLeased) return takeLeased(request, shared);
    const sentAtMs = now();
    try {
      const reply = await askStore(operation, request);
      const receivedAtMs = now();
      const learning = knowledge.learn(operation, request, {
        reply,
        sentAtMs,
        receivedAtMs,
        shared,
      });
      if (learning) await learning;
      return answer(request, reply, outcomeOf(request, reply));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return withoutStore(
        operation,
        request,
        error,
        error instanceof PartialReplyError ? error : {},
      );
    }
  }

  function askStore(operation: Operation, request: PartitionedRequest): Reply | Promise<Reply> {
    const keys = keysOf(request);
    const costs = costsToAsk(operation, request, keys);
    return store.decide(operation, keys, costs, request.selection.policies);
  }

  /** Takes from what is held, and from the store what is not. */
  async function takeLeased(request: PartitionedRequest, shared: Shared): Promise<Decision> {
    const taken = await leasing!.take(request, keysOf, (part) => askStore("consume", part), now);
    const decision = taken.error
      ? await withoutStore("consume", request, taken.error, taken)
      : answerTaken(request, taken);
    for (const found of taken.answers()) {
      const own = found.groups.flatMap((group, i) => (shared.includes(group) ? [i] : []));
      await knowledge.learn("consume", found.request, { ...found, shared: own });
    }
    return decision;
  }

  function answerTaken(request: PartitionedRequest, taken: Decided): Decision {
    const { request: decided, rows } = taken;
    if (decided !== request) countLater(request, { policies: decided.selection.policies, rows });
    return answer(decided, taken, outcomeOf(decided, taken));
  }

  /** Decides by each policy's `onFailure`, but for those that the store did answer. */
  async function withoutStore(
    operation: Operation,
    request: PartitionedRequest,
    error: StoreError,
    { rows, giveBack }: Partial<Pick<PartialReplyError, "rows" | "giveBack">>,
  ): Promise<Decision> {
    const reply = fallback.decide(operation, request, keysOf(request), rows);
    const { status } = reply;
    if (status !== 200) await giveBack?.();
    return answer(request, reply, { reason: "store-unavailable", status, error });
  }

  /** The costs that the store is asked about: with denials that are not counted yet, and none that it cannot compute with. */
  function costsToAsk(
    operation: Operation,
    { selection: { policies, isPlain }, costs }: PartitionedRequest,
    keys: readonly string[],
  ): readonly number[] {
    if (isPlain || operation !== "consume") return costs;
    return policies.map(({ role, limit: most }, i) =>
      role === "denials" ? uncounted.take(keys[i]!) : Math.min(costs[i]!, most + 1),
    );
  }

  /** Denies by what is known about one group. */
  function denyKnown(request: PartitionedRequest, group: number, reply: Reply): Decision {
    const policies = request.selection.groups[group]!.denying;
    const { nowUs, rows } = reply;
    countLater(request, { policies, rows });
    const outcome = { reason: "cached-denial", status: 429 } as const;
    return createDecision({ ...outcome, policies, nowUs, rows, headerOptions, random });
  }

  function countLater(request: PartitionedRequest, denied: PolicyRows): void {
    if (!request.selection.isPlain) uncounted.note(request.selection, keysOf(request), denied);
  }

  function answer(
    { selection: { policies, listed, shadows } }: PartitionedRequest,
    { nowUs, rows }: Pick<Reply, "nowUs" | "rows">,
    outcome: Pick<Outcome, "reason" | "status"> & { readonly error?: StoreError },
  ): Decision {
    const all = { policies, rows };
    const shown = listed ? pick(all, listed) : all;
    const shadow = shadows.length > 0 ? { shadow: pick(all, shadows) } : undefined;
    return createDecision({ ...outcome, ...shown, ...shadow, nowUs, headerOptions, random });
  }

  function exceedsLimit(request: PartitionedRequest): Decision | undefined {
    const { selection, partitions, costs } = request;
    const { policies, groups, groupOf, starts } = selection;
    if (policies.every((policy, i) => fits(policy, costs[i]!))) return undefined;
    const known = groups.map(({ denials }, i) => {
      const found = denials.find(partitions[i]!, costs, starts[i]!, now());
      return found.state === "denied" ? found : undefined;
    });
    // The numbers of a known denial, else those of unused policies.
    const rows = policies.map((policy, i) => {
      const group = groupOf[i]!;
      const row = known[group]?.rows[i - starts[group]!];
      const allowed = fits(policy, costs[i]!);
      return {
        allowed,
        remaining: row?.remaining ?? policy.limit,
        retryAfterUs: allowed ? 0 : Infinity,
        resetAfterUs: row?.resetAfterUs ?? 0,
      };
    });
    countLater(request, { policies, rows });
    const nowUs = known.find((denial) => denial)?.nowUs ?? fallback.now();
    return answer(request, { nowUs, rows }, { reason: "cost-exceeds-limit", status: 429 });
  }

  return {
    group: (policies) => knowledge.group(policies),
    limit,
    ask: (operation, request) => ask(operation, request, NONE),
    exceedsLimit,

    async forget(request) {
      const keys = keysOf(request);
      fallback.forget(request, keys, now());
      await store.reset(keys);
      // Only after the reset: the answer to an earlier request could otherwise bring the old denial back.
      knowledge.forget(request);
      for (const key of keys) uncounted.take(key);
      fallback.forget(request, keys, now());
    },
  };
}

function outcomeOf({ selection: { policies } }: PartitionedRequest, { rows }: Pick<Reply, "rows">) {
  return isAllowed({ policies, rows })
    ? ({ reason: "allowed", status: 200 } as const)
    : ({ reason: "limited", status: 429 } as const);
}

/** Whether a cost can ever have room. Policies that do not deny, and those that count no requests, refuse no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}

/** A request that costs nothing takes nothing. */
function operationOf(costs: readonly number[]): Operation {
  return costs.every((cost) => cost === 0) ? "peek" : "consume";
}
