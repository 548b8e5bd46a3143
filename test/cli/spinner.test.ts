import { afterEach, expect, test, vi } from "vitest";

import { withSpinner } from "../../packages/cli/src/output/spinner.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The text beside the result of a program on this terminal. */
async function written(terminal: { readonly isTTY: boolean; readonly columns: number }) {
  vi.stubEnv("CI", undefined);
  let text = "";
  const write = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const before = [process.stdout, process.stderr].map((stream) => {
    const { isTTY, columns } = stream;
    Object.assign(stream, terminal);
    return () => Object.assign(stream, { isTTY, columns });
  });
  try {
    expect(await withSpinner("Asking", async () => 7)).toBe(7);
    await expect(withSpinner("Asking", () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
  } finally {
    for (const restore of before) restore();
    write.mockRestore();
  }
  return text;
}

test("a terminal shows that something takes long", async () => {
  expect(await written({ isTTY: true, columns: 80 })).toContain("Asking");
});

test("no text is shown elsewhere", async () => {
  expect(await written({ isTTY: false, columns: 80 })).toBe("");
});

// The spinner would clear infinitely many lines of no width.
test("no text is shown on a terminal without a width, such as those of some containers", async () => {
  expect(await written({ isTTY: true, columns: 0 })).toBe("");
});
