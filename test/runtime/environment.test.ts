import { afterEach, expect, test, vi } from "vitest";

import { onWorkers, readEnvironment } from "../../src/runtime/environment.ts";

afterEach(() => void vi.unstubAllGlobals());

test("the environment is the process's, and empty where there is none", () => {
  expect(readEnvironment()).toEqual({ ...process.env });
  vi.stubGlobal("process", {});
  expect(readEnvironment()).toEqual({});
  vi.stubGlobal("process", undefined);
  expect(readEnvironment()).toEqual({});
});

test.for<[navigator: unknown, workers: boolean]>([
  [{ userAgent: "Cloudflare-Workers" }, true],
  [{ userAgent: "Cloudflare-Workers/2" }, false],
  [{ userAgent: "Node.js/24" }, false],
  [{}, false],
  [undefined, false],
])("a navigator of %j says whether this is workerd: %j", ([navigator, workers]) => {
  vi.stubGlobal("navigator", navigator);
  expect(onWorkers()).toBe(workers);
});
