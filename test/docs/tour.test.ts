import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { startLocalStack } from "../../scripts/local-stack/local-stack.ts";
import { codeBlocks } from "./code-blocks.ts";

const program = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const run = promisify(execFile);

/** A folder with a `npx` that runs the command line of this repository. */
function binaries(folder: string): string {
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
  return folder;
}

/** The parts that differ from run to run: moments, and the token's owner. */
function steady(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<moment>")
    .replaceAll(/admin:[\da-f]{8}/g, "admin:<token>");
}

test(
  "the guide's tour through live rules prints the guide's output, against the local stack",
  { timeout: 120_000 },
  async () => {
    const stack = await startLocalStack({ onLog: () => {} });
    onTestFinished(() => stack.stop());
    const folder = mkdtempSync(join(tmpdir(), "tour-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const env = {
      ...process.env,
      PATH: `${binaries(folder)}:${process.env["PATH"]}`,
      TIDEGATE_URL: stack.workers[0],
      TIDEGATE_TOKEN: stack.adminToken,
      NO_COLOR: "1",
    };
    const tour = codeBlocks("docs/live-rules.md")
      .filter(({ language }) => language === "console")
      .map(({ code }) => code)
      .join("");
    const steps = tour.split(/^\$ /m).filter((step) => step.trim() !== "");
    expect(steps.length).toBeGreaterThan(12);
    let shown = "";
    for (const step of steps) {
      const [command = ""] = step.split("\n");
      const { stdout } = await run("bash", ["-c", `${command} 2>&1`], { cwd: folder, env });
      shown += `$ ${command}\n${stdout.replaceAll(/ +$/gm, "")}`;
    }
    expect(steady(shown)).toBe(steady(tour));
  },
);
