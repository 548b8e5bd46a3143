import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readPath } from "../../../src/gateway/rules/path.ts";
import { compileSelection } from "../../../src/gateway/rules/select-rules.ts";
import { Steps } from "../../../src/gateway/rules/steps.ts";
import { gatewayTo, generous, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { words } from "../origins/spellings.ts";
import { allOf, coverageOf, readingsOf } from "./readings.ts";

/** Other ways to write /api/login, which have one meaning. */
const spellings = words(String.raw`
  /api/login/ //api/login /api//login ///api////login// /API/Login /api/logi%6E /%61%70%69/%6c%6F%67%69%6e
  /api/%6Cogin /x/../api/./login /api/%4C%6f%67in//
`);

/** Paths that one origin takes for /api/login and another does not. */
const ambiguous = words(String.raw`
  /api%2Flogin /api%2flogin%2F /api/login%2F /api/%256Cogin /api/login;jsessionid=1 /api;v=1/login;x
  /;x/api/login /api/login%3Bx /api/login%253Bx /api/login;x/y /api%2Flogin;x%2Fy /api/login%3bx/y
  /api%3bx%2Fy/login /api/login;%2fx /api/login;%ff
`);

/** Paths that no client has a reason to send. */
const hostile = words(String.raw`
  /api/login%00 /api/login%2500 /x%0a /x%7Fy /x%1fy /file%252Ehtml /api%252Flogin /api%25%32%46login
  /api%25252flogin /api/x%2F..%2Flogin /api/x/%252e%252e/login /api/x%2f%2e%2e%2flogin /api/%2e%2flogin
  /api%5Clogin /api%255clogin /api%5C..%5Capi%5Clogin /x/..;/api/login /x/..;y/api/login /x/.%3b/api/login
  /api/x%ff%2f..%2flogin /api%2f%ff%2f..%2flogin /api/%EF%BB%BF%2f..%2flogin /api/%%2f..%2flogin
  /api/x//%252e%252e/%252e%252e/login
`);

/** Paths that some origin ends at an escaped character: the rule counts them, and no client is refused. */
const endedEarly = words(String.raw`
  /api/login%3Fx=1 /api/login%23x /api/login%253fx /api/login%20 /api/login%20%20 /api/login%3f;/x
  /api;p/login;x%3fy/z
`);

/** Paths that are other ones to every origin: U+0085, too, ends no path. */
const others = words(String.raw`
  /api/login2 /api/log /api/log-in /api/login/x /api/login%2Fx /api /api/login%ff /api/login%20x
  /api/login%C2%85 /api/x;login /login /api.login
`);

const encode = (text: string) => `%${text.charCodeAt(0).toString(16)}`;

/** A letter as it is, as a capital, and escaped up to two times. */
function spelled(letter: string) {
  const once = encode(letter);
  const twice = once.replace("%", "%25");
  return fc.constantFrom(letter, letter.toUpperCase(), once, once.toUpperCase(), twice);
}

async function expectRefused(answer: Response, detail: string): Promise<void> {
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
    400,
    "application/problem+json",
  ]);
  expect(await answer.json()).toEqual({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail,
  });
}

const rulesForNothing = [{ path: "/nothing", policies: [quota("nothing", 1)] }];
const rules = [{ method: "POST", path: "/api/login", policies: [quota("login", 1)] }];

/** An origin, and a gateway in front of it that allows one login. */
async function oneLogin(variables: object = {}) {
  const origin = await startOrigin();
  const ask = gatewayTo(origin.url, rules, variables);
  return {
    post: (path: string) => ask(path, { method: "POST" }),
    targets: () => origin.seen.map(({ target }) => target),
  };
}

describe("a limited path", () => {
  test.each([...spellings, ...endedEarly])(
    "is limited as %s, which the origin gets as URL writes it",
    async (spelling) => {
      const { post, targets } = await oneLogin();
      expect((await post(`${spelling}?a=%2F&b`)).status).toBe(200);
      const { pathname } = new URL(`http://gateway.example${spelling}`);
      expect(targets()).toEqual([`${pathname}?a=%2F&b`]);
      expect((await post("/api/login")).status).toBe(429);
    },
  );

  test.each(ambiguous)("is refused as %s, and takes no unit", async (spelling) => {
    const { post, targets } = await oneLogin();
    await expectRefused(
      await post(spelling),
      "The path can be read in several ways, under different limits. Send it without parameters and escapes that it does not need.",
    );
    expect(targets()).toEqual([]);
    expect((await post("/api/login")).status).toBe(200);
  });

  test.each(ambiguous)("with AMBIGUOUS_PATHS = pass is limited as %s", async (spelling) => {
    const { post, targets } = await oneLogin({ AMBIGUOUS_PATHS: "pass" });
    expect((await post(spelling)).status).toBe(200);
    expect(targets()).toEqual([spelling]);
    expect((await post("/api/login")).status).toBe(429);
  });

  test.each(others)("is not limited as %s", async (other) => {
    const { post, targets } = await oneLogin();
    const { status, headers } = await post(other);
    expect([status, headers.has("RateLimit")]).toEqual([200, false]);
    expect(targets()).toEqual([other]);
  });

  test("does not escape by any mixture of these", () => {
    const covers = coverageOf("/api/login");
    const slash = fc.constantFrom(...words("/ // /./ %2f %5C %252F /x/..%2f ;a=b/ /%2e/ ;%2f/"));
    const path = fc.tuple(
      slash,
      ...[..."api"].map(spelled),
      slash,
      ...[..."login"].map(spelled),
      fc.constantFrom("", "/", "//", ";x", "%2F", "%3bx%2fy", "%3f"),
    );
    fc.assert(
      fc.property(path, (pieces) => {
        const path = `/${pieces.join("")}`;
        const readings = readingsOf(path);
        expect(readings === undefined || allOf(readings).some(covers), path).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a path that no client has a reason to send", () => {
  test.each(hostile)("is refused, also where no rule is near: %s", async (path) => {
    const origin = await startOrigin();
    for (const variables of [{}, { AMBIGUOUS_PATHS: "pass" }]) {
      const ask = gatewayTo(origin.url, rulesForNothing, variables);
      await expectRefused(
        await ask(path),
        "The path has escaped dot segments, backslashes, control characters, or slashes or dots escaped twice.",
      );
    }
    expect(origin.seen).toEqual([]);
  });
});

describe("a path under several rules", () => {
  const segments = [
    { path: "/files/:id", policies: [quota("file", 10)] },
    { path: "/files/:id/parts", policies: [quota("parts", 10)] },
  ];

  test.each([
    ["/files/a%2Fb", 200],
    ["/files/a%2Fb/parts", 200],
    ["/files/a%2Fparts", 400],
    ["/files/a;v=1", 200],
    ["/files/a;v=1/parts", 400],
    ["/files/a%3Bv=1/b", 400],
    ["/other/a;v=1/b", 200],
  ])(
    "is refused where its readings name another rule than the plain one: %s",
    async (path, status) => {
      const origin = await startOrigin();
      expect((await gatewayTo(origin.url, segments)(path)).status).toBe(status);
    },
  );

  test("passes with all their limits where that is asked for", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(
      origin.url,
      [...segments, { path: "/files/a/:part", policies: [quota("part", 10)] }],
      { AMBIGUOUS_PATHS: "pass" },
    );
    const { headers } = await ask("/files/a%2Fparts");
    expect(headers.get("RateLimit-Policy")).toBe(
      '"file";q=10;w=2592000, "parts";q=10;w=2592000, "part";q=10;w=2592000',
    );
  });
});

describe("a limited path with a name in it", () => {
  test("is limited for every value of the name, also one that looks like more segments or fewer", () => {
    const covers = coverageOf("/files/:id");
    const id = fc.string({
      unit: fc.constantFrom("%2f", "%2F", "%5c", "%2e", "a", ";", "%252f", "%ff", "%3b", "é"),
    });
    fc.assert(
      fc.property(id, (id) => {
        const readings = readingsOf(`/files/x${id}`);
        expect(readings === undefined || covers(readings.plain), id).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("an escape that is not UTF-8", () => {
  test.each(["/%ff/%6f%39%6A", "/%C3/%4F%39%4a", "/%zz%ff/o%39j", "/%e4%b8/%6F9%6a"])(
    "hides none beside it: %s",
    async (path) => {
      const origin = await startOrigin();
      const ask = gatewayTo(origin.url, [{ path: "/:id/o9j", policies: [quota("s", 10)] }]);
      expect((await ask(path)).headers.get("X-RateLimit-Remaining")).toBe("9");
      expect(origin.seen.map(({ target }) => target)).toEqual([path]);
    },
  );
});

describe("case", () => {
  test("is folded as any origin may fold it: small letters of capitals, too", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, [{ path: "/Straße/search", policies: [quota("s", 10)] }]);
    for (const path of ["/stra%C3%9Fe/SEARCH", "/STRASSE/%C5%BFearch"]) {
      expect((await ask(path)).headers.get("X-RateLimit-Limit")).toBe("10");
    }
  });
});

describe("any path", () => {
  test("has a bounded number of readings, however long it is, and never fails", () => {
    const piece = fc.constantFrom(...words("/ % %2 %2f %25 ; %3b %253b .. . a %ff %3f"), "\ud800");
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 300 }), (path) => {
        const readings = readPath(path, new Steps());
        // Three texts without parameters; of each two decodings, and of these one more; of each of all three that end early.
        const texts = 3 * (1 + 6 + 18);
        if (typeof readings === "string") return;
        expect(allOf(readings).length).toBeLessThanOrEqual(1 + texts + 3 * texts);
      }),
      { numRuns: 2_000 },
    );
  });

  test("without anything to decode has one", () => {
    expect(readPath("/Api/rides/./42", new Steps())).toEqual({
      plain: ["api", "rides", ".", "42"],
      others: [],
      wider: [],
    });
  });
});

describe("an empty segment", () => {
  test.each([
    ["/rides/", "/rides/:id", true],
    ["/rides//", "/rides/:id", false],
    ["/rides", "/rides/:id", false],
    ["/rides/;v=1", "/rides/:id", true],
    ["/rides/%20", "/rides/:id", true],
    ["/rides%2F", "/rides/:id", true],
    ["/rides//stops", "/rides/:id/stops", true],
    ["/rides/stops", "/rides/:id/stops", false],
    // Every page of a site may stand under this rule: its home page does not.
    ["/", "/:slug", false],
    ["//", "/:slug", false],
  ])("of %s: is under the rule for %s: %s", (path, pattern, covered) => {
    const isUnder = coverageOf(pattern);
    const readings = readingsOf(path)!;
    expect(readings.others.some(isUnder) && !covered).toBe(false);
    expect(allOf(readings).some(isUnder)).toBe(covered);
  });

  test("counts as no value of its name", async () => {
    const origin = await startOrigin();
    const policy = { ...quota("s", 10), partition: ["path:id"], onMissing: "reject" };
    const ask = gatewayTo(origin.url, [{ path: "/rides/:id", policies: [policy] }]);
    expect((await ask("/rides/7")).status).toBe(200);
    expect((await ask("/rides/")).status).toBe(400);
  });
});

describe("a long path", () => {
  const filled = (piece: string, length = 12_000) => piece.repeat(length / piece.length);

  test.each([
    ["words", filled("/products"), 200],
    ["segments", filled("/a"), 200],
    ["a word", `/${filled("abc")}`, 200],
    ["words with blanks", filled("/hello%20world"), 200],
    ["words that are not ASCII", `/${filled("%E6%9D%B1%E4%BA%AC")}`, 200],
    ["these and a parameter", `/map;z=3/${filled("%E6%9D%B1%E4%BA%AC")}`, 200],
    ["parameters", filled("/map;z=3;x=4"), 200],
    ["a scope", `/@scope%2f${filled("products/")}`, 200],
    ["base64", `/${filled("aGVsbG8vd29y%2FbG8%2B")};v=1`, 200],
    [
      "an address",
      `/proxy/https%3A%2F%2Fa.example%2Fb%3Bv%3D1%3Fc%3D1${filled("%26abc%3Ddef")}`,
      200,
    ],
    ["many readings", `/${filled("x;a/b%3bc/d%253be/f%2fg/h/")}`, 400],
    ["segments and many readings", `${filled("/p")}/x;a/b%3bc/d%253be/f%2fg/h`, 400],
  ])("of %s is read, unless it has too many readings", async (_, path, status) => {
    const origin = await startOrigin();
    for (const variables of [{}, { AMBIGUOUS_PATHS: "pass" }]) {
      const answer = await gatewayTo(
        origin.url,
        [generous, rulesForNothing].flat(),
        variables,
      )(path);
      expect(answer.status).toBe(status);
      if (status === 200) continue;
      expect(await answer.json()).toMatchObject({
        detail:
          "The path can be read in too many ways for its length. Send it without parameters and escapes that it does not need.",
      });
    }
    expect(origin.seen).toHaveLength(status === 200 ? 2 : 0);
  });

  test("is tried under as many rules as there are steps for", () => {
    const selectAmong = (count: number) => {
      const rules = Array.from({ length: count }, (_, i) => ({
        route: { methods: ["*"], path: `/a*${i}` },
      }));
      const select = compileSelection(rules, "refuse");
      return (path: string) => {
        const request = new Request(`http://gateway.example${path}`);
        return select(readingsOf(path)!, { request, steps: new Steps() });
      };
    };
    const manifold = "/x;a/b%3bc/d%253be/f%2fg/h";
    expect(selectAmong(1_000)(manifold)).toEqual([]);
    const select = selectAmong(20_000);
    expect(select(manifold)).toBe("manifold");
    expect(select("/@scope%2fname;v=1")).toEqual([]);
    expect(select(`/a${"b".repeat(12_000)}`)).toEqual([]);
  });
});

describe("a path that names a host", () => {
  test.each(
    words(String.raw`
      //evil.example/x ///evil.example /\evil.example/x /@evil.example/ /:80@evil.example /.evil.example/
      /%2f%2fevil.example /http://evil.example
    `),
  )("stays with the origin: %s", async (path) => {
    const origin = await startOrigin();
    const ask = gatewayTo(`${origin.url}/base/`, rulesForNothing);
    expect((await ask(path)).status).toBe(200);
    const { pathname } = new URL(`http://gateway.example${path}`);
    expect(origin.seen.map(({ target }) => target)).toEqual([`/base${pathname}`]);
  });
});

describe("the gateway's own paths", () => {
  test.each(
    words(String.raw`
      /_tidegate /_tidegate/ /_tidegate/x //_tidegate/x /_TIDEGATE/health/x /%5Ftidegate/x /;/_tidegate /_tidegate;x/y
      /_tidegate%2Fhealth /%255Ftidegate /_tidegate%3Fx /_tidegate%20%20
    `),
  )("never reach the origin: %s", async (path) => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rulesForNothing);
    for (const method of ["GET", "POST"]) {
      const answer = await ask(path, { method });
      expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
      expect(await answer.json()).toMatchObject({ title: "Not Found", status: 404 });
      expect(answer.status).toBe(404);
    }
    expect(origin.seen).toEqual([]);
  });

  test("are answered with a slash at the end, too", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rulesForNothing);
    expect(await (await ask("/_tidegate/live/")).json()).toEqual({ status: "ok" });
    expect(origin.seen).toEqual([]);
  });
});
