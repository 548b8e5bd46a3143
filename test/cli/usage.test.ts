import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { tidegate } from "../support/cli/run.ts";
import { CHANGES } from "./answers.ts";
import { useGateway } from "./use-gateway.ts";

const on = useGateway();

const RULES = [
  "check",
  "pull",
  "diff",
  "push",
  "draft",
  "publish",
  "rollback",
  "withdraw",
  "history",
  "trial",
  "raise",
];
const OTHERS =
  "top explain reset block allow lists override overrides audit dashboard doctor".split(" ");
const COMMANDS = [...RULES.map((command) => `rules ${command}`), ...OTHERS];

describe("help", () => {
  test.for(COMMANDS)(
    "of %s: a sentence, two examples, the environment, exit codes",
    async (command) => {
      const { out, err, exit } = await tidegate([...command.split(" "), "--help"]);
      expect([err, exit]).toEqual(["", 0]);
      expect(out).toMatch(new RegExp(`^Usage: tidegate ${command} [^\\n]*\\n\\n[A-Z][^]*?\\.\\n`));
      const examples = /\nExamples:\n((?: {2}\$ .*\n)+)/.exec(out)?.[1]?.trim().split("\n") ?? [];
      expect(examples).toHaveLength(2);
      for (const example of examples) expect(example).toContain(`tidegate ${command}`);
      expect(out).toMatch(/\nEnvironment:\n {2}TIDEGATE_URL [^]*TIDEGATE_TOKEN [^]*NO_COLOR /);
      expect(out).toMatch(/\nExit codes:\n(?: {2}[0-5] {2}.*\n){6}$/);
      expect(out).toMatch(/--timeout <duration>[^]*\(default:\s+"30s"\)/);
    },
  );

  test("names every command", async () => {
    const { out } = await tidegate(["--help"]);
    const names = (command: string) => new RegExp(`^  ${command}\\b`, "m");
    for (const command of ["rules", ...OTHERS]) expect(out).toMatch(names(command));
    const rules = await tidegate(["rules", "--help"]);
    for (const command of RULES) expect(rules.out).toMatch(names(command));
  });

  test("is what no command at all gets, as an error", async () => {
    const { out, err, exit } = await tidegate([]);
    expect([out, exit]).toEqual(["", 2]);
    expect(err).toMatch(/^Usage: tidegate /);
  });
});

describe("wrong usage", () => {
  const ADDRESS = "The gateway's address has a scheme and a host";
  test.for([
    [["explian"], "unknown command 'explian'\n(Did you mean explain?)"],
    [["rules", "psuh", "a.json"], "unknown command 'psuh'\n(Did you mean push?)"],
    [["audit", "--jsno"], "unknown option '--jsno'\n(Did you mean --json?)"],
    [["audit", "more"], "too many arguments"],
    [["audit", "--timeout", "fast"], 'a time from 1ms to 10m, such as 30s, not "fast".'],
    [["audit", "--url", "api.example.com"], ADDRESS],
    [["audit", "--url", "https://a:b@example.com"], ADDRESS],
    [["audit", "--url", "https://example.com/x"], ADDRESS],
    [["audit", "--token-file", "nowhere"], "nowhere cannot be read: ENOENT"],
    [["dashboard", "--port", "70000"], '--port takes a number from 1 to 65535, not "70000".'],
    [["dashboard", "--port", "0"], '--port takes a number from 1 to 65535, not "0".'],
    [["doctor", "--method", "P O"], '--method takes a method such as POST, not "P O".'],
  ] as const)("%j is an error that names it", async ([args, message]) => {
    await on.refuses(args, message);
  });

  test("without an address it says how to give one", async () => {
    const { err, exit } = await tidegate(["audit"]);
    expect(err).toMatch(/^error: Which gateway\? Set TIDEGATE_URL or give --url/);
    expect(exit).toBe(2);
  });
});

test("--version is the package's", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(await tidegate(["--version"])).toEqual({ exit: 0, out: `${version}\n`, err: "" });
});

test("global options may stand before a command and after it", async () => {
  const json = { from: "live", to: "draft", changes: [] };
  on.gateway.script({ status: 200, json }, { status: 200, json });
  const before = await tidegate(["--url", on.gateway.url, "--json", "rules", "diff"]);
  const after = await tidegate(["rules", "diff", "--url", on.gateway.url, "--json"]);
  expect(JSON.parse(before.out)).toEqual(json);
  expect(after).toEqual(before);
});

test("colours are for terminals, or if forced, and never with NO_COLOR", async () => {
  const json = { from: "live", to: "draft", changes: CHANGES };
  const diff = async (env: Readonly<Record<string, string>>) => {
    on.gateway.script({ status: 200, json });
    return (await on.run(["rules", "diff"], { env })).out;
  };
  const plain = await diff({});
  expect(plain).not.toContain("\u001B");
  expect(await diff({ FORCE_COLOR: "1" })).toBe(
    plain
      .replace(/^~.*$/m, "\u001B[33m$&\u001B[39m")
      .replace(/^\+.*$/m, "\u001B[32m$&\u001B[39m")
      .replace(/^-.*$/m, "\u001B[31m$&\u001B[39m"),
  );
  expect(await diff({ FORCE_COLOR: "0" })).toBe(plain);
  expect(await diff({ FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(plain);
});
