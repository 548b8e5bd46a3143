import { describe, expect, test } from "vitest";

import { AT, BY, ok, problem } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

const POLICY = {
  name: "rides",
  algorithm: "fixed-window",
  mode: "enforce",
  partition: "x-user-id:42",
  limit: 20,
  remaining: 0,
  retryAfterMs: 1_500,
  resetAfterMs: 60_000,
  allowed: false,
};
const ROOM = { retryAfterMs: 0, allowed: true };
const EXPLANATION = {
  verdict: "denied",
  status: 429,
  reason: "rides",
  retryAfter: 2,
  version: 7,
  plan: "gold",
  rules: [
    {
      index: 3,
      method: ["POST"],
      path: "/rides",
      policies: [
        POLICY,
        { ...POLICY, name: "rides-new", mode: "shadow", limit: 1_000, remaining: 999, ...ROOM },
        { ...POLICY, name: "small", limit: 1, retryAfterMs: null },
      ],
    },
  ],
};

/** An explanation that one rule has these policies. */
const explaining = (...policies: readonly object[]) =>
  ok({ ...EXPLANATION, rules: [{ ...EXPLANATION.rules[0], policies }] });
const lineOf = (out: string, n: number) => out.trimEnd().split("\n").at(n);

describe("explain", () => {
  test("shows each policy, and the verdict in a sentence", async () => {
    on.gateway.script(ok(EXPLANATION));
    const headers = ["-H", "x-user-id: 42", "-H", "cookie: a=b:c"];
    const facts = ["--ip", "203.0.113.7", "--country", "CH", "--asn", "64496"];
    const args = ["explain", "post", "/rides?x=1", ...headers, ...facts];
    const { out, err, exit } = await on.run(args);
    expect(out).toBe(
      [
        "rule      policy     mode     partition     limit  left  retry after  room",
        "rules[3]  rides      enforce  x-user-id:42     20     0  1.5 s        no",
        "rules[3]  rides-new  shadow   x-user-id:42   1000   999  -            yes",
        "rules[3]  small      enforce  x-user-id:42      1     0  never        no",
        "",
        "The request is denied. (status 429; reason: rides; retry after 2 s; plan gold; rules of version 7)",
        "",
      ].join("\n"),
    );
    expect([err, exit]).toEqual(["", 0]);
    const body = {
      method: "POST",
      path: "/rides?x=1",
      headers: { "x-user-id": "42", cookie: "a=b:c" },
      ip: "203.0.113.7",
      country: "CH",
      asn: 64_496,
    };
    expect(on.gateway.seen).toEqual([seen("POST", "/explain", { body })]);
  });

  test("says a wait of days as people read it", async () => {
    const { json } = explaining({ ...POLICY, retryAfterMs: 347_652_100 });
    on.gateway.script(ok({ ...(json as object), retryAfter: 347_653 }));
    const { out } = await on.run(["explain", "post", "/rides"]);
    expect(out).toMatch(/ 0 {2}97 hours +no\n/);
    expect(out).toContain("; retry after 97 hours; ");
  });

  test("says how often each policy denied the client lately, where it is counted", async () => {
    on.gateway.script(explaining({ ...POLICY, deniedLastHour: 17 }, { ...POLICY, name: "all" }));
    const { out } = await on.run(["explain", "POST", "/rides"]);
    expect(out.split("\n").slice(0, 3)).toEqual([
      "rule      policy  mode     partition     limit  left  retry after  room  denied (1 h)",
      "rules[3]  rides   enforce  x-user-id:42     20     0  1.5 s        no              17",
      "rules[3]  all     enforce  x-user-id:42     20     0  1.5 s        no               -",
    ]);
  });

  test("says once what digest an address has", async () => {
    const address = { ...POLICY, partition: "ip:203.0.113.7", digest: "ip:Zq1h" };
    on.gateway.script(explaining(address, { ...address, name: "all" }, POLICY));
    const { out } = await on.run(["explain", "GET", "/rides", "--ip", "203.0.113.7"]);
    expect(lineOf(out, -1)).toBe("The digest of ip:203.0.113.7 is ip:Zq1h.");
    expect(out.match(/digest/g)).toHaveLength(1);
  });

  test("says when the window of a calendar ends, by the clocks of its zone", async () => {
    const renews = { ...POLICY, renewsAt: "2026-11-30T23:00:00.000Z" };
    const odd = { ...renews, name: "odd", timeZone: "No/\u001bWhere" };
    on.gateway.script(explaining({ ...renews, timeZone: "Europe/Berlin" }, odd, POLICY));
    const { out } = await on.run(["explain", "POST", "/rides"]);
    const cells = [0, 1, 2, 3].map((n) =>
      lineOf(out, n)!
        .split(/\s{2,}/)
        .at(-2),
    );
    const [berlin, utc] = ["1 Dec 2026, 00:00, Europe/Berlin", "2026-11-30T23:00:00.000Z"];
    expect(cells).toEqual(["renews", berlin, utc, "-"]);
    expect(out).not.toContain("\u001b");
  });

  test.for([
    ["allowed", "The request passes: every policy has room."],
    ["exempt", "The request passes without being counted: a list exempts the client."],
    ["blocked", "The request is refused: a list blocks the client."],
    ["refused", "The request is refused before any policy is asked."],
    ["passed", "The request passes: no rule covers it."],
    ["postponed", "The verdict is postponed."],
  ] as const)("says what %s means", async ([verdict, sentence]) => {
    on.gateway.script(ok({ verdict, rules: [] }));
    expect((await on.run(["explain", "GET", "/"])).out).toBe(`${sentence}\n`);
    expect(on.gateway.seen[0]?.body).toEqual({ method: "GET", path: "/" });
  });

  test("names the entries of the list that blocks or exempts the client", async () => {
    const entries = [{ cidr: "203.0.113.0/24", until: AT }, { asn: 64_496 }];
    on.gateway.script(ok({ verdict: "blocked", status: 403, rules: [], entries }));
    expect((await on.run(["explain", "GET", "/"])).out).toBe(
      `The request is refused: a list blocks the client. (status 403; entry 203.0.113.0/24 until ${AT}; entry AS64496)\n`,
    );
  });

  test("says a reason only where it is no repetition", async () => {
    const answer = { rules: [], status: 200 };
    for (const [verdict, reason, said] of [
      ["allowed", "allowed", "The request passes: every policy has room. (status 200)\n"],
      ["denied", "cost", "The request is denied. (status 200; reason: cost)\n"],
    ] as const) {
      on.gateway.script(ok({ ...answer, verdict, reason }));
      expect((await on.run(["explain", "GET", "/"])).out).toBe(said);
    }
  });

  test("says that a table without Redis has the counts of one isolate", async () => {
    const rules = [{ index: 0, policies: [POLICY] }];
    on.gateway.script(ok({ verdict: "allowed", reason: "store-unavailable", rules }));
    expect(lineOf((await on.run(["explain", "GET", "/"])).out, -1)).toBe(
      "Redis does not answer: what is left is by the count of the isolate that answered, and each policy's onFailure decides. `tidegate doctor` finds the cause.",
    );
  });

  test("says what is missing where a policy finds no identity", async () => {
    on.gateway.script(explaining({ ...POLICY, partition: "no-identity" }));
    expect(lineOf((await on.run(["explain", "POST", "/rides"])).out, -1)).toBe(
      "no-identity: the request as described has nothing that this policy counts by. Describe what the client sends, with --ip and -H.",
    );
  });

  test.for([
    [["GET", "rides"], 'A path begins with "/", not "rides".'],
    [["GET", "/", "-H", "x-user-id"], "--header takes 'name: value'"],
    [["GET", "/", "--asn", "AS64496"], '--asn takes a number without "AS"'],
    [["GET"], "missing required argument 'path'"],
  ] as const)("asks nothing for %j", async ([args, message]) => {
    await on.refuses(["explain", ...args], message);
  });
});

describe("history", () => {
  const FROM = "2027-01-01T11:00:00.000Z";
  const times = [FROM, "2027-01-01T11:10:00.000Z", "2027-01-01T11:20:00.000Z"];
  const row = { policy: "rides", partition: "x-user-id:hash", denied: [0, 3, 1], near: [2, 0, 0] };
  const ALLOWED = { verdict: "allowed", rules: [] };
  const answer = (...partitions: readonly object[]) => ({
    from: FROM,
    to: AT,
    times,
    minutes: [],
    partitions,
  });

  test("shows the ten minutes in which a client was denied or near a limit", async () => {
    const other = { policy: "all", partition: "*", denied: [0, 5, 0], near: [0, 0, 0] };
    on.gateway.script(ok(answer(row, other)), ok(ALLOWED));
    const args = ["history", "POST", "/rides", "-H", "x-user-id: 42"];
    const { out, err, exit } = await on.run(args);
    expect(out).toBe(
      [
        "from                      policy  partition       denied at least  near at least",
        "2027-01-01T11:00:00.000Z  rides   x-user-id:hash                0              2",
        "2027-01-01T11:10:00.000Z  rides   x-user-id:hash                3              0",
        "2027-01-01T11:10:00.000Z  all     *                             5              0",
        "2027-01-01T11:20:00.000Z  rides   x-user-id:hash                1              0",
        "",
      ].join("\n"),
    );
    expect([err, exit]).toEqual([`Denied at least 9 times since ${FROM}.\n`, 0]);
    const request = { method: "POST", path: "/rides", headers: { "x-user-id": "42" } };
    expect(on.gateway.seen).toEqual([
      seen("POST", "/partitions/history", { body: { request } }),
      seen("POST", "/explain", { body: request }),
    ]);
  });

  test("says if a client was not denied, or if no policy counts it", async () => {
    const quiet = { ...row, denied: [0, 0, 0], near: [0, 0, 0] };
    on.gateway.script(ok(answer(quiet)), ok(ALLOWED));
    const err = `Not denied often enough to be listed since ${FROM}.\n`;
    expect(await on.run(["history", "GET", "/"])).toEqual({ exit: 0, out: "", err });
  });

  test.each([
    ["blocked", "The request is refused: a list blocks the client."],
    ["exempt", "The request passes without being counted: a list exempts the client."],
    ["passed", "The request passes: no rule covers it."],
    ["refused", "The request is refused before any policy is asked."],
    ["allowed", "No policy counts the client of this request."],
  ])("says why nothing is counted of a client that is %s", async (verdict, sentence) => {
    on.gateway.script(ok(answer()), ok({ verdict, rules: [] }));
    const { out, err, exit } = await on.run(["history", "GET", "/", "--ip", "203.0.113.7"]);
    expect([out, err, exit]).toEqual(["", `${sentence}\n`, 0]);
    const request = { method: "GET", path: "/", ip: "203.0.113.7" };
    expect(on.gateway.seen).toEqual([
      seen("POST", "/partitions/history", { body: { request } }),
      seen("POST", "/explain", { body: request }),
    ]);
  });

  test("of a client that was blocked since, shows the earlier counts, and says that it is blocked", async () => {
    const entries = [{ identity: "x-user-id:42", until: AT }];
    on.gateway.script(ok(answer(row)), ok({ verdict: "blocked", rules: [], entries }));
    const { out, err } = await on.run(["history", "POST", "/rides", "-H", "x-user-id: 42"]);
    expect(out.split("\n")).toHaveLength(5);
    expect(err).toBe(
      `Denied at least 4 times since ${FROM}.\nThe request is refused: a list blocks the client. (x-user-id:42 until ${AT})\n`,
    );
  });

  test("takes a client by the name that top prints, and says if that name is blocked", async () => {
    const digest = "x-user-id:hash";
    const other = { digest: "x-user-id:other", source: "call" };
    const entries = [other, { digest, until: AT, source: "call" }];
    on.gateway.script(ok(answer(row)), ok({ entries }), ok(answer()), ok({ entries: [other] }));
    const blocked = await on.run(["history", digest, "--digest", "--last", "6h"]);
    expect(blocked.err).toContain(`a list blocks the client. (${digest} until ${AT})`);
    const quiet = await on.run(["history", digest, "--digest"]);
    expect(quiet.err).toBe(`Nothing is listed of this client since ${FROM}.\n`);
    expect(on.gateway.seen).toEqual([
      seen("POST", "/partitions/history?last=6h", { body: { name: digest } }),
      seen("GET", "/lists/deny"),
      seen("POST", "/partitions/history", { body: { name: digest } }),
      seen("GET", "/lists/deny"),
    ]);
  });

  test.for([
    [["GET"], "Give a method and a path, or a client's name"],
    [["x-user-id:hash", "/", "--digest"], "nothing of a request"],
    [["x-user-id:hash", "--digest", "--ip", "203.0.113.7"], "nothing of a request"],
    [["GET", "/", "--last", "25h"], "--last takes a time from 1m to 24h"],
    [["GET", "/", "--last", "59s"], "--last takes a time from 1m to 24h"],
  ] as const)("asks nothing for %j", async ([args, message]) => {
    await on.refuses(["history", ...args], message);
  });
});

describe("reset", () => {
  test("takes a client by the name and the policy that top prints", async () => {
    const digest = "x-user-id:hash";
    on.gateway.script(ok({ reset: [{ policy: "rides", partition: digest }] }));
    const { out, exit } = await on.run(["reset", digest, "--digest", "--policy", "rides"]);
    expect([out, exit]).toEqual(["policy  partition\nrides   x-user-id:hash\n", 0]);
    expect(on.gateway.seen).toEqual([
      seen("POST", "/identities/reset", { body: { digest, policy: "rides" } }),
    ]);
    await on.refuses(["reset", digest, "--digest"], "belong together");
    await on.refuses(["reset", "GET", "/", "--policy", "rides"], "belong together");
  });

  test("shows whose counts are forgotten", async () => {
    on.gateway.script(ok({ reset: [{ policy: "rides", partition: "x-user-id:42" }] }));
    const { out, err, exit } = await on.run(["reset", "POST", "/rides", "-H", "x-user-id:42"]);
    expect(out).toBe("policy  partition\nrides   x-user-id:42\n");
    expect([err, exit]).toEqual(["Forgot the counts of 1 policy.\n", 0]);
    const body = { method: "POST", path: "/rides", headers: { "x-user-id": "42" } };
    expect(on.gateway.seen).toEqual([seen("POST", "/identities/reset", { body })]);
  });

  test("says if there was nothing to forget", async () => {
    on.gateway.script(ok({ reset: [] }));
    const { out, err } = await on.run(["reset", "GET", "/"]);
    expect([out, err]).toEqual(["", "Forgot the counts of 0 policies.\n"]);
  });
});

describe("block and allow", () => {
  test.for([
    ["203.0.113.0/24", { cidr: "203.0.113.0/24" }],
    ["2001:db8::1", { cidr: "2001:db8::1" }],
    // As `explain` prints them.
    ["ip:203.0.113.7", { cidr: "203.0.113.7" }],
    ["ip:2001:db8::/64", { cidr: "2001:db8::/64" }],
    ["x-user-id:42", { identity: "x-user-id:42" }],
    ["AS64496", { asn: 64_496 }],
    ["CH", { country: "CH" }],
  ] as const)("block sends %s as what it is", async ([entry, sent]) => {
    on.gateway.script(ok({ id: "1", ...sent, until: AT, source: "call" }));
    const { out, err, exit } = await on.run(["block", entry, "--for", "1h"]);
    expect([out, err, exit]).toEqual(["", `Blocked ${entry} until ${AT}.\n`, 0]);
    expect(on.gateway.seen).toEqual([seen("PUT", "/lists/deny", { body: { ...sent, for: "1h" } })]);
  });

  test("allow takes a moment, and prints the entry as JSON if asked", async () => {
    const entry = { id: "1", cidr: "203.0.113.7", source: "call" };
    on.gateway.script(ok(entry));
    const args = ["allow", "203.0.113.7", "--until", AT, "--json"];
    const { out, err } = await on.run(args);
    expect([JSON.parse(out), err]).toEqual([entry, "Allowed 203.0.113.7.\n"]);
    expect(on.gateway.seen).toEqual([
      seen("PUT", "/lists/allow", { body: { cidr: "203.0.113.7", until: AT } }),
    ]);
  });

  test("a client is blocked by the name that top prints, and taken off the list by it", async () => {
    const digest = "x-api-key:q1ZUZ3D0hHfTt0kPdkwUQn1gHZpS2T2y0tKq2m1sJ0M";
    on.gateway.script(ok({ id: "1", digest, source: "call" }), { status: 204 });
    await on.run(["block", digest, "--digest", "--for", "1h"]);
    await on.run(["block", digest, "--digest", "--remove"]);
    expect(on.gateway.seen).toEqual([
      seen("PUT", "/lists/deny", { body: { digest, for: "1h" } }),
      seen("DELETE", "/lists/deny", { body: { digest } }),
    ]);
  });

  test("text that may be such a name or the value itself brings a question, and is taken as the value if said", async () => {
    const value = "x-api-key:0123456789abcdefghijkl";
    await on.refuses(["block", value], "add --digest or --value");
    await on.refuses(["block", value, "--digest", "--value"], "not both");
    on.gateway.script(ok({ id: "1", identity: value, source: "call" }));
    await on.run(["block", value, "--value"]);
    expect(on.gateway.seen).toEqual([seen("PUT", "/lists/deny", { body: { identity: value } })]);
  });

  test.for([
    ["block", "0.0.0.0/0", "PUT", "/lists/deny"],
    ["block", "::/0", "PUT", "/lists/deny"],
    ["allow", "0.0.0.0/0", "PUT", "/lists/allow"],
  ] as const)("%s of %s, every address, is sent with --every-address only", async (each) => {
    const [command, cidr, method, path] = each;
    await on.refuses([command, cidr, "--for", "1h"], "add --every-address");
    on.gateway.script(ok({ id: "1", cidr, source: "call" }), { status: 204 });
    expect((await on.run([command, cidr, "--for", "1h", "--every-address"])).exit).toBe(0);
    expect((await on.run([command, cidr, "--remove"])).exit).toBe(0);
    expect(on.gateway.seen).toEqual([
      seen(method, path, { body: { cidr, for: "1h" } }),
      seen("DELETE", path, { body: { cidr } }),
    ]);
  });

  test("--remove takes an entry off, or exits with 1 if it is not there", async () => {
    on.gateway.script({ status: 204 }, problem(409, "The document has it"));
    const { err, exit } = await on.run(["block", "CH", "--remove"]);
    expect([err, exit]).toEqual(["Removed CH.\n", 0]);
    expect(on.gateway.seen).toEqual([seen("DELETE", "/lists/deny", { body: { country: "CH" } })]);
    const kept = await on.run(["allow", "CH", "--remove"]);
    expect([kept.err, kept.exit]).toEqual(["error: The document has it (409)\n", 1]);
  });

  test.for([
    [["block", "user 42"], "Give an address or range"],
    [["block", "ch"], "Give an address or range"],
    [["block", "CH", "--for", "1 hour"], "--for takes a time such as 30s"],
    [["block", "CH", "--for", "1h", "--until", AT], "Give --for or --until, not both."],
  ] as const)("asks nothing for %j", async ([args, message]) => {
    await on.refuses(args, message);
  });
});

test("lists shows both lists in one table", async () => {
  const deny = { entries: [{ id: "1", cidr: "203.0.113.7", until: AT, by: BY, source: "call" }] };
  const allow = { entries: [{ asn: 64_496, source: "document" }] };
  on.gateway.script(ok(deny), ok(allow), ok(deny), ok(allow));
  expect((await on.run(["lists"])).out).toBe(
    [
      "list   entry        ends                      from      by",
      "deny   203.0.113.7  2027-01-01T12:00:00.000Z  call      admin:0a1b2c3d",
      "allow  AS64496      never                     document",
      "",
    ].join("\n"),
  );
  expect(on.gateway.seen).toEqual([seen("GET", "/lists/deny"), seen("GET", "/lists/allow")]);
  expect(JSON.parse((await on.run(["lists", "--json"])).out)).toEqual({ deny, allow });
});

test("lists and overrides mark entries that the rules in force leave out, and say so", async () => {
  const left = { by: BY, source: "call", inForce: false };
  const deny = { entries: [{ cidr: "203.0.113.7", ...left }] };
  on.gateway.script(ok(deny), ok({ entries: [] }));
  const lists = await on.run(["lists"]);
  expect(lists.out).toContain("deny  203.0.113.7  never  call, not in force  admin:0a1b2c3d\n");
  expect(lists.err).toBe("warning: without effect under the rules in force: 1 entry.\n");
  const entries = [
    { identity: "x-user-id:1", plan: "x", ...left },
    { identity: "x-user-id:2", plan: "x", ...left },
  ];
  on.gateway.script(ok({ entries }));
  const overrides = await on.run(["overrides"]);
  expect(overrides.out.match(/call, not in force/g)).toHaveLength(2);
  expect(overrides.err).toMatch(/: 2 entries/);
});

test("lists shows a client that is known by its digest only", async () => {
  const digest = "x-user-id:q1ZUZ3D0hHfTt0kPdkwUQn1gHZpS2T2y0tKq2m1sJ0M";
  on.gateway.script(ok({ entries: [{ digest, source: "call" }] }), ok({ entries: [] }));
  expect((await on.run(["lists"])).out).toContain(`deny  ${digest}  never`);
});
