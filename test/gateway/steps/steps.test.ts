import { describe, expect, test } from "vitest";

import { quota } from "../../support/gateway/gateway.ts";
import { random } from "../../support/random.ts";
import { FACTOR, runs, some } from "../../support/runs.ts";
import { type Counted, countedGateway, type CountedRequest } from "./counted.ts";
import { MOST, PARTS, requestOf, type Text, tokensOf } from "./requests.ts";

/** All but the first request is denied, so that no origin is asked; every source is read before. */
const everybody = { ...quota("everybody", 1), partition: "*" };

/** Rules as people write them, with each kind of path and source. */
const RULES = [
  {
    path: "/*",
    partition: ["header:authorization", "header:x-api-key", "ip"],
    policies: [quota("all", 1), everybody],
  },
  { path: "/**/api/login*/*", partition: ["ip"], policies: [quota("login", 1)] },
  {
    method: ["POST", "DELETE"],
    path: "/api/*",
    partition: ["cookie:session", "query:api_key", "ip"],
    policies: [quota("write", 1)],
  },
  { path: "/files/:id/*", partition: ["path:id"], policies: [quota("file", 1)] },
  {
    path: "/**/*.zip",
    partition: [["subnet", "header:user-agent"]],
    policies: [quota("zip", 1)],
  },
  { path: "/api/**/x*/:id/*", partition: ["path:id", "cookie:session"], policies: [quota("x", 1)] },
  ...Array.from({ length: 30 }, (_, i) => ({
    path: `/api/things${i}*/:id`,
    policies: [quota(`thing${i}`, 1)],
  })),
];

/** The rules that are most to look for within the bound on segments between a `**` and a last `*`. */
const MOST_SOUGHT = [
  {
    path: `/**/${Array.from({ length: 50 }, (_, i) => `:a${i}`).join("/")}/*`,
    policies: [quota("names", 1), everybody],
  },
  {
    path: `/**/${Array.from({ length: 50 }, (_, i) => `*${i % 7}`).join("/")}/*`,
    policies: [quota("endings", 1)],
  },
  { path: "/*", partition: ["ip"], policies: [quota("all", 1)] },
];

const variables = (rules: readonly object[]) => ({
  ORIGIN: "http://127.0.0.1:1",
  STORE: "memory",
  ADMIN_TOKEN: "4b1c9e7f2a6d8053wqzXPKmn",
  CLIENT_IP: JSON.stringify({ trustedHops: 1 }),
  RULES: JSON.stringify(rules),
  LISTS: JSON.stringify({
    allow: [{ identity: "authorization:Bearer partner" }],
    deny: [{ cidr: "192.0.2.66" }, { identity: "x-user-id:42" }],
  }),
});

const words = (part: Text["part"], repeat: string): Text => ({
  part,
  begin: [],
  repeat: repeat.split(" "),
  end: [],
  share: 1,
});

/** An ordinary request with a path of so many characters. */
const plain = (size: number) => requestOf([words("path", "products /")], size);

/** Texts of which each costs much more than others in a gateway that does not take care. */
const EXPENSIVE: readonly Text[] = [
  { ...words("path", "p /"), end: "x ; a / b %3b c / d %253b e / f %2f g / h".split(" ") },
  words("path", "x ; a / b %3b c / d %253b e / f %2f g / h /"),
  { ...words("path", "%20"), end: ["a"] },
  { ...words("path", "%2520"), end: ";x %3f".split(" ") },
  words("path", "%ff /"),
  words("path", "/ ;"),
  words("path", "OTHER ;a/"),
  words("path", "/ %"),
  words("path", "/ x1"),
  words("path", "OTHER %2f"),
  words("path", "%C5%BF"),
  { ...words("path", "%ff a"), begin: ["_tidegate/assets/"] },
  { ...words("path", "%ff /"), begin: ["_tidegate/api/v1/"] },
  { ...words("path", "%ff /"), begin: ["_tidegate/"] },
  words("query", "%ff &"),
  words("query", "a ;"),
  words("query", "api_key = % &"),
  words("query", "_method = OTHER &"),
  words("query", "[ _method ] = % &"),
  words("cookie", "% = a ;"),
  words("cookie", "session = % ;"),
  words("cookie", "% = a ,"),
  words("authorization", "a ,"),
  words("x-api-key", '" ;'),
  words("x-http-method-override", "OTHER ,"),
  words("x-forwarded-for", "a ,"),
];

describe("the steps before a decision", () => {
  test.each([
    ["rules as people write them", RULES],
    ["as many sought segments as there may be", MOST_SOUGHT],
  ])(
    "are at most 20 times those of a plain request, under %s",
    { timeout: 120_000 * Math.max(1, FACTOR) },
    async (_, rules) => {
      const ask = countedGateway(variables(rules));
      await ask(plain(100));
      const { steps: usual, status } = await ask(plain(MOST));
      expect(status).toBe(429);
      const draw = random(40);
      let worst: { readonly texts: readonly Text[] } & Counted = { texts: [], status: 0, steps: 0 };
      for (const text of EXPENSIVE) {
        const counted = await ask(requestOf([text], MOST));
        if (counted.steps > worst.steps) worst = { texts: [text], ...counted };
      }
      for (let run = 0; run < runs(800); run++) {
        const from = draw() < 0.7 ? worst.texts : [pick(EXPENSIVE, draw)];
        const texts = changed(from, draw);
        const counted = await ask(requestOf(texts, MOST));
        if (counted.steps > worst.steps) worst = { texts, ...counted };
      }
      expect(worst.steps / usual, JSON.stringify(worst.texts)).toBeLessThanOrEqual(20);
      // Else the counter sees nothing of what a request costs.
      expect(worst.steps).toBeGreaterThan(MOST);
    },
  );

  test("grow with a request's characters, and no faster", async () => {
    const ask = countedGateway(variables(RULES));
    await ask(plain(100));
    for (const text of some(EXPENSIVE)) {
      const [half, whole] = [
        await ask(requestOf([text], MOST / 2)),
        await ask(requestOf([text], MOST)),
      ];
      expect([text, whole.steps / half.steps < 2.2]).toEqual([text, true]);
    }
  });

  test("are those of a short request for a denied address, whatever it sends", async () => {
    const ask = countedGateway(variables(RULES));
    const denied = async ({ path, headers }: CountedRequest) => {
      const { status, steps } = await ask({
        path,
        headers: { ...headers, "x-forwarded-for": "192.0.2.66" },
      });
      expect(status).toBe(403);
      return steps;
    };
    await denied(plain(100));
    const usual = await denied(plain(100));
    const isOwn = ({ begin: [first = ""] }: Text) => first.startsWith("_tidegate");
    for (const text of EXPENSIVE.filter((each) => !isOwn(each))) {
      if (text.part !== "path" && text.part !== "query") continue;
      expect([text, await denied(requestOf([text], MOST))]).toEqual([text, usual]);
    }
  });
});

const pick = <T>(list: readonly T[], draw: () => number) => list[Math.floor(draw() * list.length)]!;

/** Other texts, which differ a little. */
function changed(texts: readonly Text[], draw: () => number): readonly Text[] {
  const chance = draw();
  if (chance < 0.1 && texts.length > 1) return texts.slice(1);
  if (chance < 0.25 && texts.length < 4) {
    const part = pick(
      PARTS.filter((one) => texts.every((text) => text.part !== one)),
      draw,
    );
    const repeat = Array.from({ length: 1 + Math.floor(draw() * 4) }, () =>
      pick(tokensOf(part), draw),
    );
    return [...texts, { part, begin: [], repeat, end: [], share: draw() }];
  }
  const at = Math.floor(draw() * texts.length);
  return texts.map((text, i) => (i === at ? changedText(text, draw) : text));
}

function changedText(text: Text, draw: () => number): Text {
  const where = pick(["begin", "repeat", "repeat", "repeat", "end"] as const, draw);
  if (draw() < 0.1) return { ...text, share: draw() };
  const tokens = [...text[where]];
  const at = Math.floor(draw() * (tokens.length + 1));
  const isIn = at < tokens.length;
  if (isIn && draw() < 0.3) tokens.splice(at, 1);
  else tokens.splice(at, isIn && draw() < 0.5 ? 1 : 0, pick(tokensOf(text.part), draw));
  return { ...text, [where]: tokens };
}
