import { createLimiter, fixedWindow } from "../../src/index.ts";
import type { ErrorCode, Limiter } from "../../src/index.ts";
import { LIMIT, type Subject, type SubjectOptions, type Verdict, VERDICTS } from "./subject.ts";

/** A limiter for each verdict, each with a breaker of its own. */
export function limiterSubject({ url, token, timeout }: SubjectOptions): Subject {
  const reported: ErrorCode[] = [];
  const limiters = Object.fromEntries(
    VERDICTS.map((onFailure) => [
      onFailure,
      createLimiter({
        redis: { url, token },
        policies: [fixedWindow({ name: onFailure, limit: LIMIT, window: "366d" })],
        timeout,
        onFailure,
        onStoreError: ({ code }) => reported.push(code),
      }),
    ]),
  ) as Record<Verdict, Limiter>;

  return {
    name: "limiter",
    breakers: VERDICTS.length,
    reported,
    complaints: [],
    partition: async (identity) => identity,
    async ask(verdict, identity) {
      const started = performance.now();
      const decision = await limiters[verdict].limit(identity);
      const ms = performance.now() - started;
      const { status, reason, error, policies } = decision;
      return {
        status,
        reason,
        remaining: policies[0]!.remaining,
        ...(error && { code: error.code }),
        ms,
      };
    },
    async stop() {},
  };
}
