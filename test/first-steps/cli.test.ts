import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { expect, inject, test } from "vitest";

const run = promisify(execFile);

/** Runs the program of the installed package, as a newcomer would. */
const tidegate = (...args: readonly string[]) =>
  run("npx", ["tidegate", ...args], {
    cwd: inject("installed"),
    env: { ...process.env, npm_config_offline: "true" },
  });

test("the command line of the package checks a file, and says where its faults are", async () => {
  const policy = '{ algorithm = "fixed-window", limit = 5, window = "1m" }';
  const sound = `[[vars.RULES]]\npath = "/"\npolicies = [${policy}]\n`;
  const file = join(inject("installed"), "rules.toml");
  writeFileSync(file, sound);
  expect((await tidegate("rules", "check", "rules.toml")).stderr).toContain("No faults in 1 file.");
  writeFileSync(file, sound.replace("limit", "limt"));
  await expect(tidegate("rules", "check", "rules.toml")).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^rules\.toml:3:\d+: vars\.RULES\[0\]\.policies\[0\]\.limit: /),
  });
});

test("it reports its missing parts, and its version", async () => {
  await expect(tidegate("audit", "--url", "http://127.0.0.1:1")).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("TIDEGATE_TOKEN"),
  });
  expect((await tidegate("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("it serves the dashboard that the package brings, until it is stopped", async () => {
  const program = join(inject("installed"), "node_modules/.bin/tidegate");
  // No server listens there: only the API's answers come from the gateway.
  const child = spawn(program, ["dashboard", "--url", "http://127.0.0.1:1"], {
    env: { ...process.env, TIDEGATE_TOKEN: "the-token-of-these-tests" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const url = String((await lines.next()).value);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]+\/$/);
    const page = await (await fetch(url)).text();
    const assets = page.match(/(?<=(?:src|href)=")assets\/[^"]+/g) ?? [];
    const script = await (
      await fetch(url + assets.find((name) => /dashboard-.*js/.test(name))!)
    ).text();
    const later = script.match(/edit-view-\w+\.js/)![0];
    const all = await Promise.all(
      [...assets, `assets/${later}`].map((asset) => fetch(url + asset)),
    );
    expect(all.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual([
      [200, "text/css; charset=utf-8"],
      [200, "text/javascript; charset=utf-8"],
      [200, "text/javascript; charset=utf-8"],
      [200, "text/javascript; charset=utf-8"],
    ]);
  } finally {
    child.kill("SIGINT");
  }
  expect(await closed).toEqual([0, null]);
});
