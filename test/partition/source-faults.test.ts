import { describe, expect, test, vi } from "vitest";

import { everySource } from "../../src/features/sources-feature.ts";
import type { FaultCode } from "../../src/options/errors.ts";
import { Faults } from "../../src/options/faults.ts";
import type { ClientIp } from "../../src/partition/client-ip.ts";
import { compileSources } from "../../src/partition/compile-sources.ts";

function faultsOf(sources: unknown, clientIp: unknown = "cloudflare") {
  const faults = new Faults();
  compileSources(
    sources,
    { kinds: everySource, clientIp: clientIp as ClientIp },
    "partition",
    faults,
  );
  return faults.list;
}

describe("a fault of sources", () => {
  test.each<[fault: string, sources: unknown, code: FaultCode, says?: string]>([
    ['partition: "ip"', "ip", "shape"],
    ['partition: "**"', "**", "shape"],
    ["partition: missing", undefined, "shape"],
    ["partition: []", [], "shape"],
    ['partition[0]: "session:id"', ["session:id"], "shape"],
    ['partition[0]: "cookies:id"', ["cookies:id"], "shape", "`cookie`"],
    ['partition[0]: "contry"', ["contry"], "shape", "`country`"],
    ['partition[0]: "IP"', ["IP"], "shape", "`ip`"],
    ['partition[0]: "ip:1"', ["ip:1"], "shape"],
    ['partition[0]: "constructor:a"', ["constructor:a"], "shape"],
    ["partition[0]: 7", [7], "shape"],
    ["partition[0]: null", [null], "shape"],
    ['partition[0]: {"header":"a"}', [{ header: "a" }], "shape"],
    ['partition[0]: "header"', ["header"], "missing", '"header:x-api-key"'],
    ['partition[0]: "cookie:"', ["cookie:"], "missing", '"cookie:session"'],
    ['partition[0]: "header:x y"', ["header:x y"], "shape", '"header:x-api-key"'],
    ['partition[0]: "cookie:a=b"', ["cookie:a=b"], "shape", '"cookie:session"'],
    ['partition[0]: "cookie:a%20"', ["cookie:a%20"], "shape", '"cookie:session"'],
    ['partition[0]: "query:a&b"', ["query:a&b"], "shape", '"query:key"'],
    ['partition[0]: "query:a[b]"', ["query:a[b]"], "shape", '"query:key"'],
    ['partition[0]: "query:a\\n"', ["query:a\n"], "shape", '"query:key"'],
    ['partition[0]: "path::id"', ["path::id"], "shape", '"path:id"'],
    ['partition[0]: "path:id"', ["path:id"], "unsupported"],
    ['partition[0]: "*"', ["*"], "shape"],
    ['partition[1]: "*"', ["ip", "*"], "shape"],
    ['partition[0][1]: "*"', [["ip", "*"]], "shape"],
    ["partition[1]: []", ["ip", []], "shape"],
    ['partition[0][1]: ["subnet"]', [["ip", ["subnet"]]], "shape"],
    ['partition[0][1]: "session"', [["ip", "session"]], "shape"],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what it is about
    ["partition[0][1]: missing", [["ip", , "asn"]], "shape"],
    ['partition[0][1]: "ip"', [["ip", "ip"]], "duplicate"],
    ['partition[1]: "ip"', ["ip", "ip"], "without-effect", "partition[0]"],
    [
      'partition[2]: "header:X-A"',
      ["header:x-a", "ip", "header:X-A"],
      "without-effect",
      "partition[0]",
    ],
    [
      'partition[2]: ["ip","country"]',
      ["asn", "ip", ["ip", "country"]],
      "without-effect",
      "partition[1]",
    ],
    [
      'partition[1]: ["asn","ip"]',
      [
        ["ip", "asn"],
        ["asn", "ip"],
      ],
      "without-effect",
      "partition[0]",
    ],
  ])("%s, of %j", (fault, sources, code, says = "") => {
    const faults = faultsOf(sources);
    expect(faults.map(({ path, value }) => `${path}: ${value}`)).toEqual([fault]);
    expect(faults[0]!.code).toBe(code);
    expect(faults[0]!.remedy).toContain(says);
  });

  test.each<[ClientIp | undefined]>([[undefined], ["socket"], [{ trustedHops: 1 }]])(
    "is a platform's word where %j is trusted with the address",
    (clientIp) => {
      const faults = new Faults();
      compileSources(
        ["asn", ["header:x", "country"]],
        { kinds: everySource, clientIp },
        "RULES[0].partition",
        faults,
      );
      expect(faults.list).toMatchObject([
        { path: "RULES[0].partition[0]", value: '"asn"', code: "unsupported" },
        { path: "RULES[0].partition[1][1]", value: '"country"', code: "unsupported" },
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
    expect(faultsOf(["ip"], trusted)).toMatchObject([{ path: "clientIp", value, code: "choice" }]);
  });

  test("is no clientIp where no platform says so, and a source asks", () => {
    // As in Vercel's runtime, wherever it runs.
    vi.stubGlobal("EdgeRuntime", "edge-runtime");
    const asked = new Faults();
    compileSources(["ip"], { kinds: everySource, clientIp: undefined }, "partition", asked);
    compileSources(
      ["header:x-api-key"],
      { kinds: everySource, clientIp: undefined },
      "partition",
      asked,
    );
    expect(asked.list).toMatchObject([
      {
        path: "clientIp",
        value: "missing",
        code: "missing",
      },
    ]);
    vi.unstubAllGlobals();
  });
});
