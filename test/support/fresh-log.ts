import { beforeEach } from "vitest";

// A test finds an isolate that has logged nothing, also when it is tried again.
beforeEach(async () => {
  const { reported } = await import("../../src/runtime/log.ts");
  reported.clear();
});
