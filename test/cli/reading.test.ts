import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { AT, BY, CHANGE_LINES, CHANGES, DOCUMENT, LIVE, ok, PUBLISHED } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

describe("rules pull", () => {
  test("prints the document with the version that it is based on", async () => {
    on.gateway.script(ok(LIVE));
    const { out, err, exit } = await on.run(["rules", "pull"]);
    expect(out).toBe(
      `${JSON.stringify({ $schema: DOCUMENT.$schema, version: 7, rules: DOCUMENT.rules }, undefined, 2)}\n`,
    );
    expect([err, exit]).toEqual(["", 0]);
    expect(on.gateway.seen).toEqual([seen("GET", "/rules")]);
  });

  test("writes a file that a push then names its base by", async () => {
    on.gateway.script(ok(LIVE), ok(PUBLISHED));
    const pulled = await on.run(["rules", "pull", "-o", "pulled.json"]);
    expect(pulled).toEqual({ exit: 0, out: "", err: "Wrote version 7 to pulled.json.\n" });
    const pushed = await on.run(["rules", "push", "pulled.json"]);
    expect(pushed.exit).toBe(0);
    expect(on.gateway.seen[1]).toEqual(
      seen("PUT", "/rules", { ifMatch: '"7"', body: { ...DOCUMENT, version: 7 } }),
    );
  });

  test("says that nothing is published yet", async () => {
    on.gateway.script(
      ok({ ...LIVE, version: 0, source: "deployed", publishedAt: null, by: undefined }),
    );
    const { err } = await on.run(["rules", "pull", "-o", "pulled.json"]);
    expect(err).toBe("Wrote the deployed rules to pulled.json: nothing has been published yet.\n");
    const pulled = JSON.parse(readFileSync(join(on.cwd, "pulled.json"), "utf8")) as object;
    expect(pulled).toHaveProperty("version", 0);
  });

  test("says if it cannot write the file", async () => {
    on.gateway.script(ok(LIVE));
    const { err, exit } = await on.run(["rules", "pull", "-o", "no/such/folder.json"]);
    expect(err).toMatch(/^error: no\/such\/folder\.json cannot be written: ENOENT/);
    expect(exit).toBe(2);
  });
});

describe("rules diff", () => {
  test("shows the changes of a draft, and exits with 1 only if asked", async () => {
    const answer = ok({ from: "live", to: "draft", changes: CHANGES });
    on.gateway.script(answer, answer);
    expect(await on.run(["rules", "diff"])).toEqual({ exit: 0, out: CHANGE_LINES, err: "" });
    expect((await on.run(["rules", "diff", "--exit-code"])).exit).toBe(1);
    expect(on.gateway.seen[0]).toEqual(seen("GET", "/rules/diff"));
  });

  test("compares the given versions, and exits with 0 if there is no difference", async () => {
    on.gateway.script(ok({ from: 5, to: "live", changes: [] }));
    const result = await on.run(["rules", "diff", "--from", "5", "--to", "live", "--exit-code"]);
    expect(result).toEqual({ exit: 0, out: "", err: "No differences.\n" });
    expect(on.gateway.seen).toEqual([seen("GET", "/rules/diff?from=5&to=live")]);
  });

  test.each([
    [["live", "deployed"], "?from=live&to=deployed"],
    [["5"], "?from=5"],
    [["5", "--to", "7"], "?from=5&to=7"],
  ])("takes the documents without options, too: %j", async (documents, query) => {
    on.gateway.script(ok({ from: "a", to: "b", changes: CHANGES }));
    const result = await on.run(["rules", "diff", ...documents]);
    expect(result).toEqual({ exit: 0, out: CHANGE_LINES, err: "" });
    expect(on.gateway.seen).toEqual([seen("GET", `/rules/diff${query}`)]);
  });

  test.each([
    [["live", "--from", "5"], "Give the old document once: live, or --from 5."],
    [["live", "7", "--to", "5"], "Give the new document once: 7, or --to 5."],
    [["--from", "lives"], 'Give live, deployed, draft or the number of a version, not "lives".'],
    [["lives"], 'Give live, deployed, draft or the number of a version, not "lives".'],
  ])("asks nothing for %j", async (documents, message) => {
    const err = await on.refuses(["rules", "diff", ...documents], message);
    expect(err).toBe(`error: ${message}\n`);
  });
});

describe("rules history", () => {
  test("lines up", async () => {
    const versions = [
      { version: 10, publishedAt: AT, by: BY, note: "twice", current: true },
      { version: 9, publishedAt: AT, by: BY, current: false },
    ];
    on.gateway.script(ok({ versions }));
    expect((await on.run(["rules", "history"])).out).toBe(
      [
        "version        published                 by              note",
        "     10  live  2027-01-01T12:00:00.000Z  admin:0a1b2c3d  twice",
        "      9        2027-01-01T12:00:00.000Z  admin:0a1b2c3d",
        "",
      ].join("\n"),
    );
    expect(on.gateway.seen[0]).toEqual(seen("GET", "/rules/history"));
  });

  test("says that nothing is published yet", async () => {
    on.gateway.script(ok({ versions: [] }));
    const err = "Nothing has been published yet: the deployed rules are live.\n";
    expect(await on.run(["rules", "history"])).toEqual({ exit: 0, out: "", err });
  });
});
