import type { Written } from "../written.ts";

const GATEWAY = ["test/gateway/jwt.test.ts"];

/** Verified tokens. */
export const JWT: readonly Written[] = [
  {
    name: "a token may do without an exp",
    file: "src/features/jwt/verify-token.ts",
    find: 'requiredClaims: ["exp"],',
    replace: "requiredClaims: [],",
    tests: GATEWAY,
  },
  {
    name: "any algorithm may sign",
    file: "src/features/jwt/verify-token.ts",
    find: "    algorithms: [...algorithms],\n",
    replace: "",
    tests: ["test/hono/jwt.test.ts"],
  },
  {
    name: "the audience is not compared",
    file: "src/features/jwt/verify-token.ts",
    find: "...(audience && { audience: [...audience] }),",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "the issuer is not compared",
    file: "src/features/jwt/verify-token.ts",
    find: "...(issuer && { issuer: [...issuer] }),",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "a token that is known outlives its keys",
    file: "src/features/jwt/verify-token.ts",
    find: "found && found.keys === current && found",
    replace: "found && found",
    tests: GATEWAY,
  },
  {
    name: "a token that is known outlives its exp",
    file: "src/features/jwt/verify-token.ts",
    find: " && found.untilMs > Date.now()",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "a long token is verified",
    file: "src/features/jwt/verify-token.ts",
    find: "token.length > MAX_LENGTH",
    replace: "token.length > 4 * MAX_LENGTH",
    tests: GATEWAY,
  },
  {
    name: "clients have keys read as often as they like",
    file: "src/features/jwt/key-set.ts",
    find: "if (nowMs - askedAtMs < PAUSE_MS) return undefined;",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "keys that cannot be read are used for ever",
    file: "src/features/jwt/key-set.ts",
    find: "now() - known.readAtMs < USABLE_MS",
    replace: "known",
    tests: GATEWAY,
  },
  {
    name: "keys are read once",
    file: "src/features/jwt/key-set.ts",
    find: "      if (now() - known!.readAtMs >= FRESH_MS) void begin();\n",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "a redirect leads to the keys of somebody else",
    file: "src/features/jwt/key-set.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: GATEWAY,
  },
  {
    name: "an answer without keys takes all identities away",
    file: "src/features/jwt/key-set.ts",
    find: "!Array.isArray(keys) || keys.length === 0",
    replace: "!Array.isArray(keys)",
    tests: GATEWAY,
  },
  {
    name: "the signature is verified for each rule",
    file: "src/features/jwt/read-token.ts",
    find: "      known.set(data.request, found);\n",
    replace: "",
    tests: GATEWAY,
  },
  {
    name: "a list is an identity",
    file: "src/partition/claims.ts",
    find: "return Number.isSafeInteger(value) ? String(value) : undefined;",
    replace: "return value == null ? undefined : String(value);",
    tests: GATEWAY,
  },
  {
    name: "a client on a list costs a signature",
    file: "src/adapter/request-reader.ts",
    find: 'return decision ? { kind: "listed", decision } : readVerified',
    replace: "return readVerified",
    tests: ["test/hono/jwt.test.ts"],
  },
];
