import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { benchmarkProgram } from "../../bench/benchmark/program.ts";
import { surgeProgram } from "../../bench/surge/program.ts";
import { exitCodeOf } from "../../scripts/support/program.ts";
import { runHere } from "../support/run-here.ts";
import { run } from "../support/stack/command.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "programs-"))));
afterAll(() => rm(folder, { recursive: true }));

const PROGRAMS = {
  bench: {
    file: "bench/benchmark/main.ts",
    create: benchmarkProgram,
    options: ["--short", "--only", "--out", "--redraw", "--json"],
    // The figures of a short run mean nothing, but this one is short as it is.
    example: ["--short", "--only", "bundle"],
    long: "workerd",
  },
  surge: {
    file: "bench/surge/main.ts",
    create: surgeProgram,
    options: ["--short", "--only", "--out", "--redraw", "--json", "--seed", "--share"],
    example: ["--short", "--only", "boundaryBurst"],
    long: "bucket",
  },
} as const;
type Name = keyof typeof PROGRAMS;
const names = Object.keys(PROGRAMS) as Name[];

async function called(name: Name, ...flags: readonly string[]) {
  const command = run([process.execPath, PROGRAMS[name].file, ...flags], { COLUMNS: "80" });
  const code = await command.ended();
  return { code, out: command.out(), err: command.err() };
}

/** In this process: for the text that a program prints before it does anything. */
async function asked(name: Name, ...flags: readonly string[]) {
  const { exit, out, err } = await runHere(async () => {
    process.exitCode = await exitCodeOf(PROGRAMS[name].create(), flags);
  });
  return { code: exit, out, err };
}

const tooWide = (text: string) => text.split("\n").filter((line) => line.length > 80);

/** The start of a code that only a terminal understands. */
const ESCAPE = "\u001B";

describe.each(names)("%s", (name) => {
  const { options, example, long } = PROGRAMS[name];

  test("--help shows its purpose, each option, examples and exit codes, in 80 columns", async () => {
    const { code, out, err } = await asked(name, "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(new RegExp(`^Usage: npm run ${name} -- \\[options\\]\n\n[A-Z]`));
    const described = out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: <\w+>)?\s+\S/gm);
    expect([...described].map(([, option]) => option)).toEqual([...options, "--help"]);
    expect(out).toMatch(/^Examples:\n {2}\$ npm run /m);
    expect(out).toContain("Exit codes: 0 done, 1 failed, 2 wrong usage");
    expect(tooWide(out)).toEqual([]);
  });

  test("an example of its help is understood", async () => {
    const { out } = await called(name, "--help");
    expect(out).toBe((await asked(name, "--help")).out);
    const examples = [...out.matchAll(/^ {2}\$ npm run \w+(?: -- )?(.*)$/gm)];
    expect(examples.length).toBeGreaterThan(2);
    for (const [, flags = ""] of examples) {
      const { code, err } = await asked(name, ...flags.split(" ").filter(Boolean), "--help");
      expect({ code, err }).toEqual({ code: 0, err: "" });
    }
  });

  test.each([
    [["--shrt"], /^error: unknown option '--shrt'\n\(Did you mean --short\?\)/],
    [["redis"], /^error: too many arguments/],
    [["--only", "nothing"], /^error: [^]*'nothing'\sis\snone\sof/],
    [["--only"], /^error: option '--only <\w+>' argument missing/],
    [["--redraw", "--short"], /^error: option '--redraw' cannot be used with option '--short'/],
  ])("%s is refused, and nothing is run", async (flags, message) => {
    const { code, out, err } = await asked(name, ...flags);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(message);
    expect(err).toContain(`npm run ${name} -- --help`);
    expect(tooWide(err)).toEqual([]);
  });

  test("results that are not there can't be drawn, and no stack is shown", async () => {
    const missing = join(folder, "missing.json");
    const { code, out, err } = await called(name, "--redraw", "--out", missing);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(`error: ${missing} can't be read: there is no such file\n`);
  });

  test("prints its results in 80 columns, without colours, and how far it is beside them", async () => {
    const { code, out, err } = await called(name, ...example);
    expect({ code, err: err.split(",")[0] }).toEqual({ code: 0, err: example.at(-1) });
    expect(err).toMatch(/, 1 of 1, about \d+ (?:s|min) left\n/);
    expect(out + err).not.toContain(ESCAPE);
    expect(tooWide(out + err)).toEqual([]);
    expect(out).not.toBe("");
  });

  test("an interrupted run ends as such, and prints no results", async () => {
    const flags = ["--short", "--only", long];
    const command = run([process.execPath, PROGRAMS[name].file, ...flags]);
    await expect.poll(() => command.err()).toContain("1 of 1");
    command.child.kill("SIGINT");
    expect([await command.ended(), command.out()]).toEqual([130, ""]);
  });

  test("--json prints its results for programs, and no other text", async () => {
    const out = join(folder, `${name}.json`);
    const printed = await called(name, ...example, "--json", "--out", out);
    expect(printed.code).toBe(0);
    expect(JSON.parse(printed.out)).toEqual(JSON.parse(await readFile(out, "utf8")));
  });
});

test.each([
  [["--seed", "x"], /--seed[^]*'x'[^]*a\swhole\snumber/],
  [["--share", "2"], /--share[^]*'2'[^]*above\s0\sand\sat\smost\s1/],
])("surge refuses %s", async (flags, message) => {
  const { code, err } = await asked("surge", ...flags);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});
