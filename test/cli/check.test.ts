import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { tidegate } from "../support/cli/run.ts";
import type { Run } from "../support/run-here.ts";
import { FAULTY_JSON } from "./faulty-json.ts";
import { FAULTY_SYNTAX } from "./faulty-syntax.ts";
import { FAULTY_TOML } from "./faulty-toml.ts";

const FILES = [...FAULTY_SYNTAX, ...FAULTY_JSON, ...FAULTY_TOML];
const SOUND = `{
  // Comments may stay.
  "version": 3,
  "rules": [{ "path": "/rides", "policies": [
    { "algorithm": "fixed-window", "limit": 20, "window": "1m" },
  ] }],
}
`;
const FAULTY = SOUND.replace('"1m"', "1");

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "tidegate-cli-check-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe("rules check", () => {
  let all: Run;
  beforeAll(async () => {
    FILES.forEach(({ file, text }, i) => {
      mkdirSync(join(cwd, `${i}`));
      writeFileSync(join(cwd, `${i}`, file), text);
    });
    all = await tidegate(["rules", "check", ...FILES.map(({ file }, i) => `${i}/${file}`)], {
      cwd,
    });
  });

  test("counts the faults of all files", () => {
    const faults = FILES.reduce((sum, { faults }) => sum + faults.length, 0);
    expect(all.out.split("\n")).toHaveLength(faults + 1);
    expect(all.err).toBe(`${faults} faults in ${FILES.length} of ${FILES.length} files.\n`);
    expect(all.exit).toBe(1);
  });

  test.for(FILES.map(({ title, file, faults }, i) => ({ title, file, faults, i })))(
    "finds the place of $title in $file",
    ({ file, faults, i }) => {
      const lines = all.out.split("\n").filter((line) => line.startsWith(`${i}/`));
      const beginnings = lines.map((line, n) => line.slice(0, `${i}/${file}:${faults[n]}`.length));
      expect(beginnings).toEqual(faults.map((fault) => `${i}/${file}:${fault}`));
    },
  );

  test("shows place, fault, remedy and the value found", async () => {
    const { out, err, exit } = await tidegate(["rules", "check", "-"], { stdin: FAULTY });
    expect(out).toBe(
      '-:5:49: rules[0].policies[0].window: Give a time with its unit (ms, s, m, h or d) from "1ms" to "366d", such as "10s". (In the rule for * /rides.) (found: 1)\n',
    );
    expect(err).toBe("1 fault in 1 of 1 file.\n");
    expect(exit).toBe(1);
  });

  test("prints the same as JSON", async () => {
    const run = await tidegate(["rules", "check", "--json", "-"], { stdin: FAULTY });
    expect(JSON.parse(run.out)).toEqual([
      {
        file: "-",
        line: 5,
        column: 49,
        path: "rules[0].policies[0].window",
        value: "1",
        code: expect.any(String),
        remedy: expect.stringMatching(/^Give a time with its unit/),
      },
    ]);
    expect(run.exit).toBe(1);
  });

  test("finds no faults in a sound document, in the project's own rules, nor in the example", async () => {
    writeFileSync(join(cwd, "sound.jsonc"), SOUND);
    const files = [join(cwd, "sound.jsonc"), "wrangler.toml", "examples/gateway/wrangler.toml"];
    const sound = { exit: 0, out: "", err: "No faults in 3 files.\n" };
    expect(await tidegate(["rules", "check", ...files])).toEqual(sound);
    expect((await tidegate(["rules", "check", "--json", ...files])).out).toBe("[]\n");
  });

  test("asks whom the wrangler file trusts with the address", async () => {
    const rules = `[[vars.RULES]]\npath = "/"\npartition = ["asn"]\npolicies = [{ algorithm = "fixed-window", limit = 1, window = "1m" }]\n`;
    writeFileSync(join(cwd, "wrangler.toml"), rules);
    expect((await tidegate(["rules", "check", "wrangler.toml"], { cwd })).exit).toBe(0);
    writeFileSync(join(cwd, "wrangler.toml"), `vars.CLIENT_IP = "socket"\n${rules}`);
    const { out, exit } = await tidegate(["rules", "check", "wrangler.toml"], { cwd });
    expect(out).toMatch(/^wrangler\.toml:4:14: vars\.RULES\[0\]\.partition/);
    expect(exit).toBe(1);
  });

  test("shows no control characters of a file, and no secrets", async () => {
    const stdin = `{ "rules": [{ "path": "/", "policies": [] }],\n  "\\u001b[2Jtoken": "s3cr3t" }`;
    const { out } = await tidegate(["rules", "check", "-"], { stdin });
    expect(out).toContain("-:2:3: \\u001b[2Jtoken: ");
    expect(out).not.toContain("\u001B");
    expect(out).not.toContain("s3cr3t");
  });

  test("a file that cannot be read is wrong usage, as is none", async () => {
    const missing = await tidegate(["rules", "check", "nowhere.json"], { cwd });
    expect(missing.err).toMatch(/^error: nowhere\.json cannot be read: ENOENT/);
    expect(missing.exit).toBe(2);
    const none = await tidegate(["rules", "check"]);
    expect(none.err).toContain("missing required argument 'file'");
    expect(none.exit).toBe(2);
  });

  test("no file is read beyond 4 MiB, nor is a standard input that has no end", async () => {
    const most = " ".repeat(4 * 2 ** 20);
    writeFileSync(join(cwd, "most.json"), most);
    writeFileSync(join(cwd, "more.json"), `${most} `);
    const check = (file: string) => tidegate(["rules", "check", file], { cwd });
    expect((await check("most.json")).out).toContain("most.json:1:4194305: Write a value here.");
    const beyond = "cannot be read: it has more than 4 MiB, and rules and variables are shorter.";
    expect((await check("more.json")).err).toBe(`error: more.json ${beyond}\n`);
    const endless = await tidegate(["rules", "check", "-"], { stdin: `${most}${most}` });
    expect([endless.err, endless.exit]).toEqual([`error: - ${beyond}\n`, 2]);
  });
});

test("too many rules for a variable of a Worker bring a warning, with an alternative", async () => {
  const rule = (i: number) =>
    `[[vars.RULES]]\npath = "/${"p".repeat(200)}${i}"\npartition = ["header:x-user"]\npolicies = [{ algorithm = "fixed-window", name = "p${i}", limit = 20, window = "1m" }]\n`;
  const file = join(cwd, "wrangler.toml");
  const check = async (rules: number) => {
    writeFileSync(file, Array.from({ length: rules }, (_, i) => rule(i)).join(""));
    return tidegate(["rules", "check", "wrangler.toml"], { cwd });
  };
  expect(await check(14)).toMatchObject({ err: "No faults in 1 file.\n", exit: 0 });
  const { err, exit } = await check(17);
  expect(exit).toBe(0);
  expect(err).toMatch(
    /^warning: wrangler\.toml: vars\.RULES has 5\d\d\d bytes, and a variable of a Worker takes 5120: publish live rules/,
  );
});
