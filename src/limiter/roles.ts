import type { Operation } from "../algorithms/model.ts";
import type { PolicyRows } from "../decision/outcome.ts";
import { isNotAsked, type StoreError } from "../errors/errors.ts";
import type { Reply } from "../store/store.ts";
import type { PartitionedRequest } from "./selection.ts";
import { createWaitingDenials } from "./waiting-denials.ts";

/** What a decision needs where not every policy is plain: some only advise, some count denials or failures. */
export interface Roles {
  /** What a call asks: the denials that wait to be counted are part of it, and no cost that can never have room is. */
  ask(operation: Operation, request: PartitionedRequest, keysOf: KeysOf): Asked;
  /** The reply in which advisory policies deny a cost above their limit, and a wait for failures is short. */
  withoutRoom(operation: Operation, request: PartitionedRequest, reply: Reply): Reply;
  /** Notes how many denials there is room for, if an answer denies or leaves no room. */
  noteRoom(request: PartitionedRequest, keysOf: KeysOf, reply: Reply): void;
  /** Whether a denial fills a policy that counts denials, as far as the isolate knows. */
  fillsBan(request: PartitionedRequest, keysOf: KeysOf, denied: PolicyRows): boolean;
  /** Notes a denial that the store does not see; policies that count denials count it with the next call. */
  noteDenial(request: PartitionedRequest, keysOf: KeysOf, denied: PolicyRows): void;
  /** Forgets denials that are not counted yet. */
  forget(keys: readonly string[]): void;
}

/** The costs of one call. */
export interface Asked {
  readonly costs: readonly number[];
  /**
   * The costs for this isolate's memory after a failure. Denials that the store surely did not count wait for the next call.
   *
   * @param failures why each policy has no answer
   */
  failed(failures: readonly (StoreError | undefined)[]): readonly number[];
}

/** The keys of a request, made only where they are needed: a denial of a limiter without roles makes none. */
export type KeysOf = (request: PartitionedRequest) => readonly string[];

/**
 * The longest wait for a policy that counts failures. What it denies is often reserved by requests that are no failures,
 * and comes back with their responses: nobody knows when, and a client that waited for the window would wait in vain.
 */
const LONGEST_WAIT_US = 1_000_000;

const NONE: readonly string[] = [];

/** @param now a steady clock, in milliseconds */
export function createRoles(now: () => number): Roles {
  const waiting = createWaitingDenials();

  return {
    ask(operation, request, keysOf) {
      const { policies, isPlain } = request.selection;
      const { costs } = request;
      if (isPlain || operation === "charge") return { costs, failed: () => costs };
      const keys = keysOf(request);
      const fitting = policies.map(({ role, limit: most }, i) => {
        // One that decides alone is asked whether it has room for one more.
        if (role === "denials") return 1;
        return costs[i]! > most ? 0 : costs[i]!;
      });
      if (operation !== "consume") return { costs: fitting, failed: () => fitting };
      const nowMs = now();
      const denials = policies.map(({ role, windowUs }, i) =>
        role === "denials" ? waiting.take(keys[i]!, nowMs, windowUs / 1000) : undefined,
      );
      return {
        costs: fitting.map((cost, i) => denials[i]?.count ?? cost),
        failed(failures) {
          denials.forEach((taken, i) => {
            if (failures[i] && isNotAsked(failures[i])) taken?.putBack();
          });
          return fitting.map((cost, i) => denials[i]?.uncountedHere ?? cost);
        },
      };
    },

    withoutRoom(operation, { selection: { policies, isPlain }, costs }, reply) {
      if (isPlain) return reply;
      const rows = reply.rows.map((row, i) => {
        const { role, limit: most, countsFailures } = policies[i]!;
        const { remaining, retryAfterUs, resetAfterUs } = row;
        if (role === "advisory" && costs[i]! > most && operation !== "charge") {
          return { allowed: false, remaining, retryAfterUs: Infinity, resetAfterUs };
        }
        if (!countsFailures || retryAfterUs <= LONGEST_WAIT_US) return row;
        return { ...row, retryAfterUs: LONGEST_WAIT_US };
      });
      return { ...reply, rows };
    },

    noteRoom(request, keysOf, { rows }) {
      const { policies, isPlain } = request.selection;
      if (isPlain || rows.every(({ retryAfterUs }) => retryAfterUs === 0)) return;
      const keys = keysOf(request);
      policies.forEach(({ role }, i) => {
        if (role === "denials") waiting.noteRoom(keys[i]!, rows[i]!.remaining);
      });
    },

    fillsBan: (request, keysOf, denied) =>
      keysOfBans(request, keysOf, denied).some((key) => waiting.areFullWithOneMore(key)),

    noteDenial(request, keysOf, denied) {
      const nowMs = now();
      for (const key of keysOfBans(request, keysOf, denied)) waiting.add(key, nowMs);
    },

    forget(keys) {
      for (const key of keys) waiting.forget(key);
    },
  };
}

/** The keys of the policies that count a denial: those that do not deny themselves, where another one does. */
function keysOfBans(
  request: PartitionedRequest,
  keysOf: KeysOf,
  { policies: asked, rows }: PolicyRows,
): readonly string[] {
  const { policies, isPlain } = request.selection;
  if (isPlain || rows.every(({ allowed }) => allowed)) return NONE;
  const keys = keysOf(request);
  return policies.flatMap((policy, i) => {
    const denies = rows[asked.indexOf(policy)]?.allowed === false;
    return policy.role === "denials" && !denies ? [keys[i]!] : [];
  });
}
