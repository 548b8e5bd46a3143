import type { Operation } from "../../../src/algorithms/model.ts";

/**
 * The fate of a call of a master. It runs and is answered; it runs, and the answer is lost; it is lost before; its client gives
 * up, and it runs later; the master refuses it; it is surely not sent.
 */
export const FATES = ["answered", "unanswered", "lost", "late", "refused", "not sent"] as const;
export type Fate = (typeof FATES)[number];

/** One key of a call. */
export interface Part {
  readonly key: string;
  readonly name: string;
  /** Units that it asked for. */
  readonly asked: number;
  /** The units that it really took. */
  took: number;
  charged: number;
  gave: number;
  kept?: boolean;
  allowed?: boolean;
  waitUs?: number;
}

/** A call of a master. */
export interface Call {
  readonly operation: Operation | "refund" | "extend";
  readonly page: Page;
  /** The client's act at the time. */
  readonly phase: Phase;
  readonly fate: Fate;
  readonly parts: readonly Part[];
  ran: boolean;
}

/** Whether a call had to be made, ended, or extended. */
export type Phase = "ask" | "end" | "extend";

/** One request of a client and all that follows from it. */
export interface Page {
  readonly id: number;
  readonly kind: "limit" | "reserve" | "peek" | "charge";
  readonly isolate: number;
  readonly plan: string | undefined;
  /** By the names of policies. */
  readonly costs: Readonly<Record<string, number>>;
  readonly calls: Call[];
}

/** Calls of a page in a phase. */
export function callsIn(page: Page, phase: Phase): readonly Call[] {
  return page.calls.filter((call) => call.phase === phase);
}

/** Whether the limiter cannot know the result of a call. */
export function isUnknown({ fate }: Call): boolean {
  return fate !== "answered" && fate !== "not sent";
}

/** A call, for the report of a broken promise. */
export function textOf({ operation, fate, parts, ran }: Call): string {
  const keys = parts.map(({ key, asked, took, charged, gave }) => {
    const sums = Object.entries({ took, charged, gave }).filter(([, units]) => units !== 0);
    const done = sums.map(([what, units]) => ` ${what} ${units}`).join("");
    return `${key.slice(key.indexOf("{"))} ${asked}${done}`;
  });
  return `${operation} ${fate}${ran ? "" : ", did not run"}: ${keys.join(", ")}`;
}
