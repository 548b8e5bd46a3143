import { expect } from "vitest";

import { startOrigin } from "../../scripts/local-stack/origin.ts";
import { startWorker } from "../../scripts/local-stack/worker.ts";
import type { ErrorCode, Reason } from "../../src/index.ts";
import { hash } from "../../src/partition/key-text.ts";
import { LIMIT, type Subject, type SubjectOptions, VERDICTS } from "./subject.ts";

/** The worker in workerd with a rule for each verdict. All of its rules share one store, and so one breaker. */
export async function workerSubject({ url, token, timeout }: SubjectOptions): Promise<Subject> {
  const reported: ErrorCode[] = [];
  const complaints: string[] = [];
  const origin = await startOrigin();
  const worker = await startWorker({
    variables: {
      ORIGIN: origin.url,
      UPSTASH_REDIS_REST_URL: url,
      UPSTASH_REDIS_REST_TOKEN: token,
      TIMEOUT: timeout,
      RULES: VERDICTS.map((onFailure) => ({
        path: `/${onFailure}`,
        partition: ["header:x-user"],
        onFailure,
        policies: [{ algorithm: "fixed-window", name: onFailure, limit: LIMIT, window: "366d" }],
      })),
    },
    onLog({ level, message }) {
      const code = /^tidegate: (ERR_STORE_\w+):/.exec(message)?.[1];
      if (code !== undefined && level === "warn") reported.push(code as ErrorCode);
      else if (!/^tidegate: Redis answers again after \d+ s; /.test(message))
        complaints.push(message);
    },
  });
  const passed = new Map<string, number>();

  return {
    name: "worker",
    breakers: 1,
    reported,
    complaints,
    partition: async (identity) => `x-user:${await hash(identity)}`,
    async ask(verdict, identity) {
      const started = performance.now();
      const response = await fetch(`${worker.url}/${verdict}`, { headers: { "x-user": identity } });
      const type = response.headers.get("content-type");
      await response.arrayBuffer();
      const ms = performance.now() - started;
      if (response.ok) passed.set(verdict, (passed.get(verdict) ?? 0) + 1);
      else expect(type).toBe("application/problem+json");
      const remaining = /;r=(\d+);/.exec(response.headers.get("ratelimit") ?? "")?.[1];
      return {
        status: response.status,
        reason: (response.headers.get("x-ratelimit-reason") ?? "allowed") as Reason,
        remaining: Number(remaining),
        ms,
      };
    },
    async stop() {
      // Allowed requests reached the origin, and no others did.
      const counts = origin.counts();
      await worker.stop();
      await origin.stop();
      for (const verdict of VERDICTS) {
        expect(counts[`GET /${verdict}`] ?? 0).toBe(passed.get(verdict) ?? 0);
      }
    },
  };
}
