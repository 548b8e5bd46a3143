import { readFileSync } from "node:fs";

import { beforeAll, describe, expect, test } from "vitest";

import { EXIT } from "../../packages/cli/src/errors.ts";
import { tidegate } from "../support/cli/run.ts";
import { codeBlocks } from "./code-blocks.ts";

const text = readFileSync("docs/cli.md", "utf8");
const described = [...text.matchAll(/^\| `tidegate ([^`]+)`/gm)].map(([, usage]) =>
  usage!.replaceAll(/ <.*/g, ""),
);

/** The commands that a help lists, without the groups and `help` itself. */
async function commandsOf(...group: readonly string[]): Promise<readonly string[]> {
  const { out } = await tidegate([...group, "--help"]);
  const [, list = ""] = /\nCommands:\n([^]*?)\n\n/.exec(out) ?? [];
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name]) => [...group, name].join(" "))
    .filter((name) => name !== "rules" && !name.endsWith("help"));
}

describe("docs/cli.md", () => {
  let help: string;
  beforeAll(async () => {
    help = (await tidegate(["--help"])).out;
  });

  test("has every command, in the order of the help", async () => {
    expect(described).toEqual([...(await commandsOf("rules")), ...(await commandsOf())]);
  });

  test("has every exit code, in the words of the help", () => {
    const rows = [...text.matchAll(/^\| (\d) +\| (.*?) +\|$/gm)].map(
      ([, code, meaning]) => `  ${code}  ${meaning!.replaceAll("`", "")}`,
    );
    expect(rows).toEqual(help.trimEnd().split("\n").slice(-6));
    expect(rows).toHaveLength(Object.keys(EXIT).length);
  });

  test("has every global option and variable", () => {
    const options = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name!);
    expect(options).toEqual(["--url", "--token-file", "--timeout", "--json"]);
    for (const name of options) expect(text).toContain(`\`${name}\``);
    for (const [, name] of help.matchAll(/^ {2}([A-Z_]+) /gm))
      expect(text).toContain(`\`${name}\``);
  });

  test("shows a fault as the program prints it, and a command that finds none", async () => {
    const shown = codeBlocks("docs/cli.md").find(({ language }) => language === "text")!.code;
    const stdin = `{\n  "rules": [\n    {\n      "path": "/rides",\n      "policies": [{ "algorithm": "fixed-window", "window": 1, "limit": 5 }]\n    }\n  ]\n}`;
    const { out } = await tidegate(["rules", "check", "-"], { stdin });
    expect(out.replace(/^-:/, "rules.json:")).toBe(shown.endsWith("\n") ? shown : `${shown}\n`);
    const command = codeBlocks("docs/cli.md").find(({ language }) => language === "sh")!.code;
    const [npx, program, ...args] = command.trim().split(" ");
    expect([npx, program]).toEqual(["npx", "tidegate"]);
    expect((await tidegate(args)).exit).toBe(0);
  });
});
