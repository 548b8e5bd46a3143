import { expect, test } from "vitest";

import { EXAMPLE_TOKEN, SAME_TOKEN, TOKEN } from "../../../src/gateway/rules/variable-messages.ts";
import { faultsOf } from "../faults.ts";

const sound = {
  ORIGIN: "https://origin.example",
  CLIENT_IP: "cloudflare",
  STORE: "memory",
  RULES: [
    { path: "/*", policies: [{ algorithm: "fixed-window", name: "p", limit: 10, window: "1m" }] },
  ],
};

/** 20 characters, of which exactly 10 differ: the fewest of a token that is taken for random. */
const FEWEST = "fBv4mJ8xQ2fBv4mJ8xQ2";
const OTHER = "rHs6wD3yN9kG5uXbV0qM";
const LONGEST = `${"fBv4mJ8xQ2".repeat(25)}rHs6wD`;

test.each([
  [{ ADMIN_TOKEN: "" }],
  [{ ADMIN_TOKEN: FEWEST }],
  [{ READ_TOKEN: LONGEST }],
  [{ ADMIN_TOKEN: FEWEST, READ_TOKEN: OTHER }],
  [{ ADMIN_TOKEN: `${FEWEST} ${OTHER}` }],
])("%j: a gateway", (tokens) => {
  expect(faultsOf({ ...sound, ...tokens })).toEqual([]);
});

test.each([
  ["a number, such as a binding by mistake", 1, TOKEN],
  ["an object, such as a KV namespace", { get: () => "" }, TOKEN],
  ["null", null, TOKEN],
  ["19 characters", FEWEST.slice(1), TOKEN],
  ["257 characters", `${LONGEST}x`, TOKEN],
  ["a letter outside ASCII", `${FEWEST}é`, TOKEN],
  ["a tab", `${FEWEST}\t`, TOKEN],
  ["a blank behind it", `${FEWEST} `, TOKEN],
  ["three tokens", `${FEWEST} ${OTHER} ${LONGEST}`, TOKEN],
  ["a short one of two", `${FEWEST} short`, TOKEN],
  ["9 different characters", `${FEWEST.slice(0, 9)}${FEWEST.slice(0, 9)}fB`, EXAMPLE_TOKEN],
  ["a word of an example", `${FEWEST}-change-me`, EXAMPLE_TOKEN],
  ["a word of an example in one of two", `${FEWEST} my-PASSWORD-x8fBv4mJ8xQ2`, EXAMPLE_TOKEN],
])("%s is a fault that hides the token, in either variable", (_what, token, { code, say }) => {
  for (const path of ["ADMIN_TOKEN", "READ_TOKEN"]) {
    const fault = { path, value: '"(hidden)"', code, remedy: say };
    expect(faultsOf({ ...sound, [path]: token })).toEqual([fault]);
  }
});

test("a token that may write and one that only reads are two tokens", () => {
  const { code, say } = SAME_TOKEN;
  const fault = { path: "READ_TOKEN", value: '"(hidden)"', code, remedy: say };
  const tokens = { ADMIN_TOKEN: `${FEWEST} ${OTHER}`, READ_TOKEN: OTHER };
  expect(faultsOf({ ...sound, ...tokens })).toEqual([fault]);
});

const HEX = "0123456789abcdef".repeat(4);
const named = (ADMIN_TOKENS: unknown) => faultsOf({ ...sound, ADMIN_TOKENS });

test.each([
  [""],
  [{ ada: `sha256:${HEX}`, "job@example.com": `sha256:${HEX}` }],
  [`{"ada":"sha256:${HEX}"}`],
])("ADMIN_TOKENS %j: a gateway", (tokens) => {
  expect(named(tokens)).toEqual([]);
});

test.each([
  [{}, "ADMIN_TOKENS"],
  ["{", "ADMIN_TOKENS"],
  [{ ada: HEX }, "ADMIN_TOKENS.ada"],
  [{ ada: `sha256:${HEX}0` }, "ADMIN_TOKENS.ada"],
  [{ gateway: `sha256:${HEX}` }, "ADMIN_TOKENS.gateway"],
  [{ "a b": `sha256:${HEX}` }, "ADMIN_TOKENS.a b"],
])("ADMIN_TOKENS %j has a fault at %s, and shows no value", (tokens, path) => {
  const found = JSON.stringify(named(tokens));
  expect(found).toContain(path);
  expect(found).not.toContain(HEX);
});
