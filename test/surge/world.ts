import type { Intention } from "../../bench/surge/people/person.ts";
import type { Answer, World } from "../../bench/surge/people/pursue.ts";
import { virtualTime } from "../support/virtual-time.ts";

export interface Reply {
  readonly status: number;
  readonly afterMs: number;
  readonly retryAfterMs?: number;
}

/** A person's request, and when it was answered. */
export interface Call {
  readonly intention: Intention;
  readonly atMs: number;
  readonly reply: Reply;
}

/** A world whose time passes as fast as it can, which answers as it is told. */
export function virtualWorld(replyTo: (call: number) => Reply) {
  const time = virtualTime(0);
  const calls: Call[] = [];
  const now = () => time.now() / 1000;
  const world: World = {
    now,
    until: (ms) => time.pass(Math.max(0, Math.ceil(ms * 1000) - time.now())),
    async ask(intention): Promise<Answer> {
      const reply = replyTo(calls.length);
      calls.push({ intention, atMs: now(), reply });
      await time.pass(Math.round(reply.afterMs * 1000));
      return { status: reply.status, retryAfterMs: reply.retryAfterMs ?? 1_000 };
    },
  };
  return { world, calls, run: () => time.run() };
}
