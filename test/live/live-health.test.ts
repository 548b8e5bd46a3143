import { expect, test } from "vitest";

import { liveFault } from "../../src/gateway/live/live-health.ts";

/** The code of health for these errors: of the rules that are published, and of the last read. */
function codeOf(error: string | undefined, read: string | undefined, kind = "unread") {
  const enforcement = { error: () => error, now: () => ({ version: 3 }) };
  const refresh = {
    error: () => read,
    isUnread: () => read !== undefined && kind === "unread",
    lostAtMs: () => undefined,
  };
  return liveFault({ enforcement, refresh } as never, false)?.code;
}

test("rules that could not be read again are in force all the same, and health says so", () => {
  expect(codeOf(undefined, undefined)).toBe(undefined);
  expect(codeOf(undefined, "no answer")).toBe("rules-not-read");
  expect(codeOf(undefined, "of another type", "misread")).toBe("rules-not-in-force");
  expect(codeOf("has faults", undefined)).toBe("rules-not-in-force");
  expect(codeOf("has faults", "no answer")).toBe("rules-not-in-force");
});
