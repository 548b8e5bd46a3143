import { describe, expect, test, vi } from "vitest";

import { Faults } from "../../src/options/faults.ts";
import type { ClientIp } from "../../src/partition/client-ip.ts";
import { compileSources } from "../../src/partition/compile-sources.ts";

function faultsOf(sources: unknown, clientIp: unknown = "cloudflare") {
  const faults = new Faults();
  compileSources(sources, { clientIp: clientIp as ClientIp }, "partition", faults);
  return faults.list;
}

const EVERY_KIND = /"ip", "subnet", "asn", "country", or "header:x-api-key", "cookie:session", /;
const ONLY_PLATFORMS = /^Leave it out, or trust "cloudflare" or "vercel" with the client's address/;

describe("a fault of sources", () => {
  test.each<[sources: unknown, path: string, value: string, remedy: RegExp]>([
    ["ip", "partition", '"ip"', /^Give a list of sources, .*; or "\*" to count everybody/],
    ["**", "partition", '"**"', /^Give a list of sources/],
    [undefined, "partition", "missing", /^Give a list of sources/],
    [[], "partition", "[]", /^Give a list of sources/],
    [["session:id"], "partition[0]", '"session:id"', EVERY_KIND],
    [["cookies:id"], "partition[0]", '"cookies:id"', /^Did you mean `cookie`\? /],
    [["contry"], "partition[0]", '"contry"', /^Did you mean `country`\? /],
    [["IP"], "partition[0]", '"IP"', /^Did you mean `ip`\? /],
    [["ip:1"], "partition[0]", '"ip:1"', EVERY_KIND],
    [["constructor:a"], "partition[0]", '"constructor:a"', EVERY_KIND],
    [[7], "partition[0]", "7", EVERY_KIND],
    [[null], "partition[0]", "null", EVERY_KIND],
    [[{ header: "a" }], "partition[0]", '{"header":"a"}', EVERY_KIND],
    [["header"], "partition[0]", '"header"', /^Say which one, such as "header:x-api-key"\.$/],
    [["cookie:"], "partition[0]", '"cookie:"', /^Say which one, such as "cookie:session"\.$/],
    [["header:x y"], "partition[0]", '"header:x y"', /^Use only .*, such as "header:x-api-key"\.$/],
    [["cookie:a=b"], "partition[0]", '"cookie:a=b"', /^Use only .*, such as "cookie:session"\.$/],
    [["cookie:a%20"], "partition[0]", '"cookie:a%20"', /^Use only .*, such as "cookie:session"\.$/],
    [["query:a&b"], "partition[0]", '"query:a&b"', /^Use only .*, such as "query:key"\.$/],
    [["query:a[b]"], "partition[0]", '"query:a[b]"', /^Use only .*, such as "query:key"\.$/],
    [
      ["query:a\n"],
      "partition[0]",
      String.raw`"query:a\n"`,
      /^Use only .*, such as "query:key"\.$/,
    ],
    [["path::id"], "partition[0]", '"path::id"', /^Use only .*, such as "path:id"\.$/],
    [["path:id"], "partition[0]", '"path:id"', /^Give a function .*only a rule of the gateway/],
    [["*"], "partition[0]", '"*"', /^Give "\*" alone, without a list/],
    [["ip", "*"], "partition[1]", '"*"', /^Give "\*" alone, without a list/],
    [[["ip", "*"]], "partition[0][1]", '"*"', /^Give "\*" alone, without a list/],
    [["ip", []], "partition[1]", "[]", /^Give the sources that identify a client together/],
    [[["ip", ["subnet"]]], "partition[0][1]", '["subnet"]', /^Name a source: an inner list holds/],
    [[["ip", "session"]], "partition[0][1]", '"session"', EVERY_KIND],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what it is about
    [[["ip", , "asn"]], "partition[0][1]", "missing", EVERY_KIND],
    [[["ip", "ip"]], "partition[0][1]", '"ip"', /^Leave it out: the inner list has it already/],
    [["ip", "ip"], "partition[1]", '"ip"', /^Leave it out, or put it before partition\[0\]/],
    [
      ["header:x-a", "ip", "header:X-A"],
      "partition[2]",
      '"header:X-A"',
      /^Leave it out, or put it before partition\[0\]/,
    ],
    [
      ["asn", "ip", ["ip", "country"]],
      "partition[2]",
      '["ip","country"]',
      /^Leave it out, or put it before partition\[1\]/,
    ],
    [
      [
        ["ip", "asn"],
        ["asn", "ip"],
      ],
      "partition[1]",
      '["asn","ip"]',
      /^Leave it out, or put it before partition\[0\]/,
    ],
  ])("%j is said at %s, with %s", (sources, path, value, remedy) => {
    expect(faultsOf(sources)).toEqual([
      { path, value, code: expect.any(String), remedy: expect.stringMatching(remedy) },
    ]);
  });

  test.each<[ClientIp | undefined]>([[undefined], ["socket"], [{ trustedHops: 1 }]])(
    "is a platform's word where %j is trusted with the address",
    (clientIp) => {
      const faults = new Faults();
      compileSources(["asn", ["header:x", "country"]], { clientIp }, "RULES[0].partition", faults);
      expect(faults.list).toEqual([
        {
          path: "RULES[0].partition[0]",
          value: '"asn"',
          code: expect.any(String),
          remedy: expect.stringMatching(ONLY_PLATFORMS),
        },
        {
          path: "RULES[0].partition[1][1]",
          value: '"country"',
          code: expect.any(String),
          remedy: expect.stringMatching(ONLY_PLATFORMS),
        },
      ]);
    },
  );

  test("is said with all others, that of the address once", () => {
    const sources = ["ip", ["subnet", "header:x"], "asn", ["*", []], "session", [], "path:id"];
    expect(faultsOf(sources, "nginx").map(({ path }) => path)).toEqual([
      "clientIp",
      "partition[2]",
      "partition[3][0]",
      "partition[3][1]",
      "partition[4]",
      "partition[5]",
      "partition[6]",
    ]);
  });

  test("is that of the address where an inner list alone has it", () => {
    const faults = faultsOf([["ip", "header:x"]], "nginx");
    expect(faults.map(({ path }) => path)).toEqual(["clientIp"]);
  });

  test("hides no other choice, and is hidden by none", () => {
    expect(faultsOf([["ip", "session"], "ip"])).toHaveLength(1);
    expect(faultsOf(["ip", ["ip", "session"]])).toHaveLength(1);
  });

  test("is a seventeenth source, of a list and of an inner list, and no sixteenth", () => {
    const headers = (count: number) => Array.from({ length: count }, (_, i) => `header:x-${i}`);
    expect(faultsOf(headers(16))).toEqual([]);
    expect(faultsOf([headers(16)])).toEqual([]);
    const paths = [headers(17), [headers(17)]].map((each) => faultsOf(each).length);
    expect(paths).toEqual([1, 1]);
  });

  test("of a hidden choice names the first that hides it", () => {
    const [fault] = faultsOf(["ip", "header:x", ["ip", "header:x"]]);
    expect(fault).toMatchObject({ path: "partition[2]" });
    expect(fault!.remedy).toContain("partition[0]");
  });

  test("is not that a later choice has fewer parts", () => {
    expect(faultsOf([["ip", "header:user-agent"], "ip", "subnet", "asn"])).toEqual([]);
    expect(faultsOf("*")).toEqual([]);
    expect(faultsOf([["subnet"]])).toEqual([]);
  });

  test.each([
    ["nginx", '"nginx"'],
    [{}, "{}"],
    [{ trustedHops: 0 }, '{"trustedHops":0}'],
    [{ trustedHops: 1, hops: 2 }, '{"trustedHops":1,"hops":2}'],
    [{ trustedHops: 1.5 }, '{"trustedHops":1.5}'],
    [{ trustedHops: 33 }, '{"trustedHops":33}'],
    [{ trustedHops: "1" }, '{"trustedHops":"1"}'],
    [true, "true"],
  ])("is clientIp %j", (trusted, value) => {
    const remedy =
      'Use "cloudflare", "vercel", "socket" (not on Workers) or { trustedHops: 1 }, up to 32 hops.';
    expect(faultsOf(["ip"], trusted)).toEqual([
      { path: "clientIp", value, code: expect.any(String), remedy },
    ]);
  });

  test("is no clientIp where no platform says so, and a source asks", () => {
    // As in Vercel's runtime, wherever it runs.
    vi.stubGlobal("EdgeRuntime", "edge-runtime");
    const asked = new Faults();
    compileSources(["ip"], { clientIp: undefined }, "partition", asked);
    compileSources(["header:x-api-key"], { clientIp: undefined }, "partition", asked);
    expect(asked.list).toMatchObject([
      {
        path: "clientIp",
        value: "missing",
        remedy: expect.stringMatching(/^Say who is trusted/),
      },
    ]);
    vi.unstubAllGlobals();
  });
});
