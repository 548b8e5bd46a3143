import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { AT, CHANGE_LINES, CHANGES, DOCUMENT, LIVE, ok, problem, PUBLISHED } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

function write(document: object): void {
  writeFileSync(join(on.cwd, "rules.json"), JSON.stringify(document));
}

describe("rules push", () => {
  test("publishes, shows the changes, and names the base of the next push", async () => {
    write({ version: 7, ...DOCUMENT });
    on.gateway.script(ok(PUBLISHED));
    const err =
      'Published version 8.\nThe next push is based on it: set "version": 8, or use --update.\n';
    const pushed = await on.run(["rules", "push", "rules.json", "--note", "twice & more"]);
    expect(pushed).toEqual({ exit: 0, out: CHANGE_LINES, err });
    expect(on.gateway.seen).toEqual([
      seen("PUT", "/rules?note=twice%20%26%20more", {
        ifMatch: '"7"',
        body: { version: 7, ...DOCUMENT },
      }),
    ]);
  });

  test("publishes nothing with --dry-run", async () => {
    write({ version: 7, ...DOCUMENT });
    const answer = { version: 7, changes: CHANGES, dryRun: true };
    on.gateway.script(
      ok(answer),
      ok({ ...answer, leftOut: 2, countsAnew: ["rules[0].policies[1]"] }),
    );
    const { out, err, exit } = await on.run(["rules", "push", "rules.json", "--dry-run"]);
    expect((await on.run(["rules", "push", "rules.json", "--dry-run"])).err).toBe(
      `3 changes; nothing is published.\nwarning: rules[0].policies[1] is unnamed: its counts begin anew. Give it a \`name\`.\nwarning: these rules leave 2 entries of single clients out of force. \`tidegate overrides\` and \`tidegate lists\` show which, once the rules are in force.\n`,
    );
    expect([out, err, exit]).toEqual([CHANGE_LINES, "3 changes; nothing is published.\n", 0]);
    const dryRun = { path: "/_tidegate/api/v1/rules?dry-run", ifMatch: '"7"' };
    expect(on.gateway.seen[0]).toMatchObject(dryRun);
  });

  test("takes the version that is live with --force", async () => {
    write(DOCUMENT);
    on.gateway.script(ok(LIVE), ok(PUBLISHED));
    expect((await on.run(["rules", "push", "rules.json", "--force"])).exit).toBe(0);
    expect(on.gateway.seen).toEqual([
      seen("GET", "/rules"),
      seen("PUT", "/rules", { ifMatch: '"7"', body: DOCUMENT }),
    ]);
  });

  test("asks nothing without a version", async () => {
    write(DOCUMENT);
    const message = /^error: rules\.json has no version that it is based on: .*--force\.\n$/;
    await on.refuses(["rules", "push", "rules.json"], message);
  });

  test("writes the new version into the file, where comments stay", async () => {
    const text = (version: number) =>
      `{\n  // Based on:\n  "version": ${version},\n  "rules": [], // none\n}\n`;
    writeFileSync(join(on.cwd, "rules.jsonc"), text(7));
    on.gateway.script(ok(PUBLISHED));
    expect((await on.run(["rules", "push", "rules.jsonc", "--update"])).err).toBe(
      "Published version 8.\n",
    );
    expect(readFileSync(join(on.cwd, "rules.jsonc"), "utf8")).toBe(text(8));
  });

  test("says if the version is published, but cannot be written into the file", async () => {
    mkdirSync(join(on.cwd, "moved"));
    writeFileSync(join(on.cwd, "moved/rules.json"), JSON.stringify({ version: 7, ...DOCUMENT }));
    on.gateway.script((response) => {
      rmSync(join(on.cwd, "moved"), { recursive: true });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(PUBLISHED));
    });
    const { err, exit } = await on.run(["rules", "push", "moved/rules.json", "--update"]);
    expect(err).toMatch(
      /^Published version 8\.\nerror: moved\/rules\.json cannot be written: ENOENT.*\n$/,
    );
    expect(exit).toBe(2);
  });

  test("sends nothing that it cannot read, and says where", async () => {
    writeFileSync(join(on.cwd, "rules.json"), '{\n  "version": 7,\n  rules: []\n}');
    on.gateway.script();
    const { err, exit } = await on.run(["rules", "push", "rules.json"]);
    expect(err).toMatch(
      /^rules\.json:3:3: Write .*\(found: rules\)\nerror: rules\.json is not sent\.\n$/,
    );
    expect([exit, on.gateway.seen]).toEqual([1, []]);
  });

  test("says where the faults are that the gateway finds", async () => {
    writeFileSync(
      join(on.cwd, "rules.json"),
      '{ "version": 7,\n  "rules": [\n    {\n      "policies": [\n        { "name": 1, "limit": 20 }] }] }',
    );
    const errors = [
      { path: "rules[0].policies[0].limit", value: "20", remedy: "Give less." },
      { path: "plans", value: "missing", remedy: "Give plans." },
    ];
    on.gateway.script(problem(422, "Faulty rules", { detail: "2 faults.", errors }));
    const { out, err, exit } = await on.run(["rules", "push", "rules.json"]);
    expect(err).toBe(
      [
        "rules.json:1:1: plans: Give plans. (missing)",
        "rules.json:5:22: rules[0].policies[0].limit: Give less. (found: 20)",
        "error: Faulty rules (422)",
        "2 faults.",
        "",
      ].join("\n"),
    );
    expect([out, exit]).toEqual(["", 1]);
  });

  test("exits with 5 if another version is live", async () => {
    write({ version: 7, ...DOCUMENT });
    on.gateway.script(problem(412, "Another version is live", { version: 9 }));
    const { err, exit } = await on.run(["rules", "push", "rules.json"]);
    expect(err).toBe(
      'error: Another version is live (412)\n`tidegate rules diff --from N --to live` shows what changed since version N, which your document is based on. Once your document has that, set its "version" to the live one, or use --force.\n',
    );
    expect(exit).toBe(5);
  });
});

describe("rules draft", () => {
  test("saves the draft, and warns if the file is based on another version", async () => {
    write({ version: 6, ...DOCUMENT });
    on.gateway.script(ok({ basedOn: 7, savedAt: AT, changes: CHANGES }));
    const { out, err, exit } = await on.run(["rules", "draft", "rules.json"]);
    expect([out, exit]).toEqual([CHANGE_LINES, 0]);
    expect(err).toBe(
      "Saved as the draft, based on version 7.\nWarning: the file is based on version 6, so that publishing the draft undoes what changed since.\n",
    );
    expect(on.gateway.seen).toEqual([
      seen("PUT", "/rules/draft", { body: { version: 6, ...DOCUMENT } }),
    ]);
  });

  test("reads the standard input, where the file has no version to compare", async () => {
    on.gateway.script(ok({ basedOn: 7, savedAt: AT, changes: [] }));
    const { err } = await on.run(["rules", "draft", "-"], { stdin: JSON.stringify(DOCUMENT) });
    expect(err).toBe("Saved as the draft, based on version 7.\n");
    expect(on.gateway.seen[0]?.body).toEqual(DOCUMENT);
  });
});

describe("a version for a part of the clients", () => {
  const TRIAL = {
    version: 8,
    publishedAt: AT,
    percent: 10,
    maxDenied: 0.05,
    counts: { tried: { decided: 1_200, denied: 12 }, others: { decided: 0, denied: 0 } },
  };

  test("is published from the draft or from a file", async () => {
    write({ version: 7, ...DOCUMENT });
    on.gateway.script(ok(PUBLISHED), ok(PUBLISHED));
    const terms = ["--percent", "10", "--max-denied", "0.05"];
    const published = await on.run(["rules", "publish", "--note", "try", ...terms]);
    const err = "Published version 8 to 10 percent of the clients.\n";
    expect(published).toEqual({ exit: 0, out: CHANGE_LINES, err });
    expect((await on.run(["rules", "push", "rules.json", ...terms])).err).toContain(err);
    expect(on.gateway.seen.map(({ path, body }) => [path, body])).toMatchObject([
      ["/_tidegate/api/v1/rules/publish", { note: "try", percent: 10, maxDenied: 0.05 }],
      ["/_tidegate/api/v1/rules?percent=10&max-denied=0.05", DOCUMENT],
    ]);
    await on.refuses(["rules", "publish", "--percent", "ten"], /--percent takes a number/);
  });

  test("is shown with the decisions of both sides", async () => {
    on.gateway.script(ok({ ...LIVE, trial: TRIAL }), ok({ ...LIVE, trial: TRIAL }));
    const { out, err } = await on.run(["rules", "trial"]);
    expect(out.split("\n")).toEqual([
      "clients  version  decisions  denied  share",
      "10 %           8       1200      12  1.0 %",
      "90 %           7          0       0  -",
      "",
    ]);
    expect(err).toBe("Version 8 is taken back above a share of 5 %.\n");
    const json = await on.run(["rules", "trial", "--json"]);
    expect(JSON.parse(json.out)).toEqual(TRIAL);
  });

  const entry = (action: string, by: string, changes: readonly object[] = []) => ({
    n: 9,
    at: AT,
    by,
    action,
    version: 7,
    changes,
  });
  const itself = entry("take back 8", "gateway", [
    { type: "removed", path: "trial", before: { decided: 120, denied: 14 } },
  ]);

  test.for([
    ["nothing", []],
    [
      `Version 8 took itself back at ${AT}: of 120 decisions 14 were denials, more than its --max-denied allows.\n`,
      [entry("put deny", "ada"), itself, entry("publish", "ada")],
    ],
    [`Version 8 was taken back at ${AT} by ada.\n`, [entry("take back 8", "ada"), itself]],
    ["nothing", [entry("publish", "ada"), itself]],
  ] as const)("that is over: %s is told of its end", async ([told, entries]) => {
    on.gateway.script(ok(LIVE), ok({ entries }));
    const none = "No version is tried: all clients have the same rules.\n";
    const { err } = await on.run(["rules", "trial"]);
    expect(err).toBe(told === "nothing" ? none : none + told);
  });

  test("whose bound is near the share of the others is told so", async () => {
    const counts = (denied: number) => ({ ...TRIAL.counts, others: { decided: 200, denied } });
    const answer = (denied: number) => ok({ ...LIVE, trial: { ...TRIAL, counts: counts(denied) } });
    on.gateway.script(answer(5), answer(6));
    const bound = "Version 8 is taken back above a share of 5 %.\n";
    expect((await on.run(["rules", "trial"])).err).toBe(bound);
    expect((await on.run(["rules", "trial"])).err).toBe(
      `${bound}Version 7 alone denies 3 %: push version 8 again with --max-denied above that, such as 0.06.\n`,
    );
  });

  test("is given to more of them, to all, or taken back", async () => {
    on.gateway.script(ok(PUBLISHED), ok({ ...PUBLISHED, changes: [] }));
    const raised = await on.run(["rules", "raise", "50"]);
    expect([raised.out, raised.err]).toEqual([
      CHANGE_LINES,
      "Version 8 is tried on 50 percent of the clients.\n",
    ]);
    expect((await on.run(["rules", "raise", "100"])).err).toBe("All clients have version 8.\n");
    expect(on.gateway.seen).toEqual(
      [50, 100].map((percent) => seen("PUT", "/rules/trial", { body: { percent } })),
    );
    on.gateway.script(
      ok({ ...LIVE, trial: TRIAL }),
      ok({ ...PUBLISHED, version: 7, takenBack: 8 }),
    );
    expect((await on.run(["rules", "rollback"])).err).toBe(
      "Took version 8 back: all clients have version 7.\n",
    );
  });

  test("is replaced with --force, named beside what is pulled, and listed in the history", async () => {
    write(DOCUMENT);
    const tried = ok({ ...LIVE, trial: TRIAL });
    on.gateway.script(tried, ok(PUBLISHED), tried);
    await on.run(["rules", "push", "rules.json", "--force"]);
    expect(on.gateway.seen[1]?.ifMatch).toBe('"8"');
    expect((await on.run(["rules", "pull", "-o", "pulled.json"])).err).toContain(
      "Version 8 is tried over it on 10 percent of the clients",
    );
    const head = { publishedAt: AT, by: "ada", current: false };
    const versions = [
      { ...head, version: 3, tried: true },
      { ...head, version: 2, takenBack: true },
      { ...head, version: 1, current: true },
    ];
    on.gateway.script(ok({ versions }));
    const lines = (await on.run(["rules", "history"])).out.split("\n");
    expect(lines.slice(1, 4).map((line) => line.trim().split(/ {2,}/)[1])).toEqual([
      "tried",
      "taken back",
      "live",
    ]);
  });
});

describe("rules publish and rollback", () => {
  test("publish sends its note; only a 404 for the path says that there may be no admin API", async () => {
    on.gateway.script(
      ok(PUBLISHED),
      problem(404, "Not Found", { detail: "There is no draft." }),
      problem(404, "Not Found", { detail: "The gateway has nothing at this path." }),
    );
    const done = await on.run(["rules", "publish", "--note", "gold"]);
    expect(done).toEqual({ exit: 0, out: CHANGE_LINES, err: "Published version 8.\n" });
    expect(on.gateway.seen).toEqual([seen("POST", "/rules/publish", { body: { note: "gold" } })]);
    const { err, exit } = await on.run(["rules", "publish"]);
    expect(err).toBe("error: Not Found (404)\nThere is no draft.\n");
    expect((await on.run(["rules", "publish"])).err).toBe(
      "error: Not Found (404)\nThe gateway has nothing at this path.\nA gateway without ADMIN_TOKEN answers 404 to everything here.\n",
    );
    expect([exit, on.gateway.seen[1]?.body]).toEqual([1, {}]);
  });

  test("rollback says if it changes nothing, as after the same rules twice", async () => {
    on.gateway.script(ok(LIVE), ok({ ...PUBLISHED, changes: [] }));
    const { out, err, exit } = await on.run(["rules", "rollback"]);
    expect([out, err, exit]).toEqual(["", "Published version 8, which changes nothing.\n", 0]);
  });

  test("rollback names the version, or none", async () => {
    on.gateway.script(ok(LIVE), ok(PUBLISHED), ok(LIVE), ok(PUBLISHED));
    await on.run(["rules", "rollback"]);
    const back = await on.run(["rules", "rollback", "--to", "5", "--note", "too strict"]);
    expect(back).toEqual({ exit: 0, out: CHANGE_LINES, err: "Published version 8.\n" });
    expect(on.gateway.seen).toEqual([
      seen("GET", "/rules"),
      seen("POST", "/rules/rollback", { body: {} }),
      seen("GET", "/rules"),
      seen("POST", "/rules/rollback", { body: { to: 5, note: "too strict" } }),
    ]);
    await on.refuses(["rules", "rollback", "--to", "five"], /./);
  });

  test.for([
    ["an isolate holds what Redis has lost", 0, 7, "0", "Redis has lost version 7"],
    ["Redis has an older copy", 5, 7, "4", "Redis has lost version 7"],
    ["nothing is published, as the isolate knows", 0, 0, "0", "Redis has no published rules"],
  ] as const)(
    "where %s, rollback is sent with --discard-held only",
    async ([, version, held, to, why]) => {
      const script = () => {
        on.gateway.script(ok({ ...LIVE, version }), ok(PUBLISHED));
        on.gateway.health = ok({ status: "degraded", live: { version: held, error: "lost" } });
      };
      script();
      const refused = await on.run(["rules", "rollback", "--to", to]);
      expect([refused.out, refused.exit]).toEqual(["", 2]);
      expect(refused.err).toContain(why);
      expect(refused.err).toContain("rules pull --held");
      expect(on.gateway.seen.map(({ method }) => method)).toEqual(["GET"]);
      on.gateway.script(ok(PUBLISHED));
      const sent = await on.run(["rules", "rollback", "--to", to, "--discard-held"]);
      expect(sent.exit).toBe(0);
      expect(on.gateway.seen).toEqual([
        seen("POST", "/rules/rollback", { body: { to: Number(to) } }),
      ]);
    },
  );

  test("a published document that has faults is rolled back without a flag", async () => {
    on.gateway.script(ok({ ...LIVE, version: 8, document: null }), ok(PUBLISHED));
    on.gateway.health = ok({ status: "degraded", live: { version: 7, error: "faults" } });
    expect((await on.run(["rules", "rollback", "--to", "7"])).exit).toBe(0);
  });
});

test("withdraw takes back the version that is live, and says which", async () => {
  on.gateway.script(ok(LIVE), { status: 204 });
  const { out, err, exit } = await on.run(["rules", "withdraw"]);
  const told = "Withdrew version 7: the deployed rules are in force. The history keeps it.\n";
  expect([out, err, exit]).toEqual(["", told, 0]);
  expect(on.gateway.seen[1]).toEqual(seen("DELETE", "/rules", { ifMatch: '"7"' }));
});
