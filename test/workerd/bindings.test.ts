import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { readEnvironment } from "../../src/runtime/environment.ts";

const NAME = "UPSTASH_REDIS_REST_URL";

afterEach(() => void vi.unstubAllGlobals());

test("finds a Worker's bindings, with or without a process", () => {
  expect(readEnvironment()).toMatchObject({ ...env });
  vi.stubGlobal("process", undefined);
  expect(readEnvironment()).toEqual({ ...env });
});

test("takes a binding before a variable of the process", () => {
  vi.stubGlobal("process", { env: { [NAME]: "https://elsewhere.example", OTHER: "1" } });
  expect(readEnvironment()).toEqual({ ...env, OTHER: "1" });
  expect(env[NAME]).toMatch(/^http/);
});
