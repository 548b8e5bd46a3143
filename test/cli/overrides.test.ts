import { describe, expect, test } from "vitest";

import { AT, BY, CHANGES, ok } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

describe("override", () => {
  test("gives a client a plan for a while", async () => {
    on.gateway.script(ok({ id: "1", identity: "x-user-id:42", plan: "gold", until: AT }));
    const args = ["override", "x-user-id:42", "--plan", "gold", "--for", "7d"];
    const { out, err, exit } = await on.run(args);
    expect([out, err, exit]).toEqual(["", `Other limits hold for x-user-id:42 until ${AT}.\n`, 0]);
    const body = { identity: "x-user-id:42", plan: "gold", for: "7d" };
    expect(on.gateway.seen).toEqual([seen("PUT", "/overrides", { body })]);
  });

  test("warns of one that changes nothing, and does not say that other limits hold", async () => {
    const warning = "No rule counts by the header x-usr-id.\u001b[2J";
    const body = { id: "1", identity: "x-usr-id:42", plan: "gold", until: AT, appliesTo: [] };
    on.gateway.script(ok({ ...body, warning }));
    const { err, exit } = await on.run(["override", "x-usr-id:42", "--plan", "gold"]);
    expect(err).toBe(
      `Kept the override of x-usr-id:42 until ${AT}.\nwarning: No rule counts by the header x-usr-id.\\u001b[2J\n`,
    );
    expect(exit).toBe(0);
  });

  test.each([
    ["", {}],
    ["warning: The rules of pay do not.\n", { warning: "The rules of pay do not." }],
  ])("says for which rules it holds, beside what is said of others: %j", async (others, more) => {
    const appliesTo = [
      { index: 0, method: "*", path: "/rides" },
      { index: 3, method: "POST, PUT", path: "/pay/*" },
    ];
    on.gateway.script(ok({ id: "1", identity: "x-user-id:42", plan: "gold", appliesTo, ...more }));
    const { err } = await on.run(["override", "x-user-id:42", "--plan", "gold"]);
    expect(err).toBe(
      `Other limits hold for x-user-id:42. They hold for requests that these rules cover, which count by this header: rules[0] (* /rides), rules[3] (POST, PUT /pay/*).\n${others}`,
    );
  });

  test("sets numbers of several policies, of which a name may contain dots", async () => {
    const policies = { rides: { limit: 200, per: "1s" }, "eu.fares": { limit: 5 } };
    on.gateway.script(ok({ identity: "x-user-id:vip_*", policies }));
    const sets = ["rides.limit=200", "rides.per=1s", "eu.fares.limit=5"];
    const options = sets.flatMap((set) => ["--set", set]);
    const { err } = await on.run(["override", "x-user-id:vip_*", ...options]);
    expect(err).toBe("Other limits hold for x-user-id:vip_*.\n");
    expect(on.gateway.seen[0]?.body).toEqual({ identity: "x-user-id:vip_*", policies });
  });

  test("--remove takes it back", async () => {
    on.gateway.script({ status: 204 });
    const { err, exit } = await on.run(["override", "x-user-id:42", "--remove"]);
    expect([err, exit]).toEqual(["Removed the override of x-user-id:42.\n", 0]);
    expect(on.gateway.seen).toEqual([
      seen("DELETE", "/overrides", { body: { identity: "x-user-id:42" } }),
    ]);
  });

  test.for([
    [["42", "--plan", "gold"], "An identity is a header's name and value"],
    [["ip:127.0.0.1", "--plan", "gold"], "For an address, give its name from `tidegate top`"],
    [["x-user-id:42"], "Give either --plan or --set"],
    [["x-user-id:42", "--plan", "a", "--set", "b.limit=1"], "Give either --plan or --set"],
    [["x-user-id:42", "--set", "limit=1"], "--set takes policy.option=value"],
  ] as const)("asks nothing for %j", async ([args, message]) => {
    await on.refuses(["override", ...args], message);
  });
});

test("overrides shows the clients with other limits", async () => {
  const entries = [
    { id: "1", identity: "x-user-id:42", plan: "gold", until: AT, by: BY, source: "call" },
    { identity: "x-user-id:vip_*", policies: { rides: { limit: 200 } }, source: "document" },
  ];
  on.gateway.script(ok({ entries }), ok({ entries: [] }));
  expect((await on.run(["overrides"])).out).toBe(
    [
      "identity         limits                   ends                      from      by",
      "x-user-id:42     plan gold                2027-01-01T12:00:00.000Z  call      admin:0a1b2c3d",
      'x-user-id:vip_*  {"rides":{"limit":200}}  never                     document',
      "",
    ].join("\n"),
  );
  const none = { exit: 0, out: "", err: "There are no overrides.\n" };
  expect(await on.run(["overrides"])).toEqual(none);
  expect(on.gateway.seen[0]).toEqual(seen("GET", "/overrides"));
});

test("audit shows the authors of changes", async () => {
  const entries = [
    { n: 1, at: AT, by: BY, action: "publish", version: 8, changes: CHANGES, omitted: 2 },
    { n: 1, at: AT, by: BY, action: "put deny", changes: CHANGES.slice(1, 2) },
    { n: 1, at: AT, by: BY, action: "draft", changes: [] },
    { n: 1, at: AT, by: BY, action: "publish" },
  ];
  on.gateway.script(ok({ entries }), ok({ entries: [] }));
  expect((await on.run(["audit"])).out).toBe(
    [
      "at                        by              action    version  changes",
      "2027-01-01T12:00:00.000Z  admin:0a1b2c3d  publish         8  ~ rules[0].policies[0].limit: 20 -> 40, and 4 more",
      '2027-01-01T12:00:00.000Z  admin:0a1b2c3d  put deny           + plans.gold: {"rides":{"limit":200}}',
      "2027-01-01T12:00:00.000Z  admin:0a1b2c3d  draft",
      "2027-01-01T12:00:00.000Z  admin:0a1b2c3d  publish",
      "",
    ].join("\n"),
  );
  expect(on.gateway.seen[0]).toEqual(seen("GET", "/audit"));
  const nothing = { exit: 0, out: "", err: "Nobody has changed anything yet.\n" };
  expect(await on.run(["audit"])).toEqual(nothing);
});

test("audit --since prints every change since a moment from all pages as JSON, the oldest first", async () => {
  const entry = (n: number) => ({
    n,
    at: `2027-01-0${n}T12:00:00.000Z`,
    by: "ada",
    action: "draft",
  });
  on.gateway.script(ok({ entries: [entry(5), entry(4)] }), ok({ entries: [entry(3), entry(2)] }));
  const { out, err, exit } = await on.run(["audit", "--since", "2027-01-03T00:00:00Z"]);
  const lines = [3, 4, 5].map((n) => `${JSON.stringify(entry(n))}\n`).join("");
  expect([out, err, exit]).toEqual([lines, "", 0]);
  expect(on.gateway.seen).toEqual([seen("GET", "/audit"), seen("GET", "/audit?before=4")]);
  on.gateway.script(ok({ entries: [entry(1)] }), ok({ entries: [] }));
  expect((await on.run(["audit", "--since", "2026-01-01T00:00:00Z"])).out).toContain('"n":1');
  const faulty = await on.run(["audit", "--since", "yesterday"]);
  expect([faulty.exit, faulty.err]).toEqual([2, expect.stringContaining("--since takes a moment")]);
});
