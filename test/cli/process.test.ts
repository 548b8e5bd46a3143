import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, test } from "vitest";

import { PROGRAM, TOKEN, tidegate, tidegateProcess } from "../support/cli/run.ts";
import { AT, BY, CHANGES, LIVE, ok, problem } from "./answers.ts";
import { useGateway } from "./use-gateway.ts";

/* The properties of a process. The other tests run the program in theirs. */

const on = useGateway();

test.for([
  [["rules", "pull"], ok(LIVE), 0],
  [["rules", "diff", "--exit-code"], ok({ from: "live", to: "draft", changes: CHANGES }), 1],
  [["audit", "--jsno"], undefined, 2],
  [["audit"], problem(503, "Down"), 3],
  [["audit"], problem(401, "Who?"), 4],
  [["audit"], problem(412, "Other"), 5],
] as const)(
  "%j ends with its exit code, and prints what it prints here",
  async ([args, answer, exit]) => {
    const env = { TIDEGATE_URL: on.gateway.url };
    const script = () => on.gateway.script(...(answer ? [answer] : []));
    script();
    const run = await tidegateProcess(args, { env });
    expect(run.exit).toBe(exit);
    script();
    expect(run).toEqual(await tidegate(args, { env }));
  },
);

test("a reader that has seen enough is no error", async () => {
  const version = { publishedAt: AT, by: BY, note: "x".repeat(200), current: false };
  // More than a pipe holds.
  const versions = Array.from({ length: 2_000 }, (_, i) => Object.assign({ version: i }, version));
  on.gateway.script(ok({ versions }));
  const script = `"$0" "$1" rules history | head -n 1; exit "\${PIPESTATUS[0]}"`;
  const env = { ...process.env, TIDEGATE_URL: on.gateway.url, TIDEGATE_TOKEN: TOKEN };
  const child = spawn("bash", ["-c", script, process.execPath, PROGRAM], { env });
  let err = "";
  child.stderr.on("data", (chunk) => (err += chunk));
  child.stdout.resume();
  const [exit] = (await once(child, "close")) as [number];
  expect([exit, err]).toEqual([0, ""]);
});
