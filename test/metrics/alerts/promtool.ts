import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What promtool says of a file of unit tests. */
export interface Said {
  readonly isSuccess: boolean;
  readonly text: string;
}

/** Runs unit tests of rules, in promtool's format. */
export function testRules(tests: object): Said {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  try {
    const file = join(folder, "tests.yml");
    writeFileSync(file, JSON.stringify(tests));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", file], {
      encoding: "utf8",
    });
    return { isSuccess: status === 0, text: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
