import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { unstable_getVarsForDev as varsForDev } from "wrangler";

import { create, NotCreated } from "../../packages/create-tidegate/src/create.ts";
import type { PlatformName } from "../../packages/create-tidegate/src/platforms.ts";
import { mistakeInOrigin } from "../../packages/create-tidegate/src/settings.ts";

/* The files of secrets, read by the programs that read them. */

const scratch = mkdtempSync(join(tmpdir(), "create-tidegate-"));
const templates = join(scratch, "templates");
beforeAll(() => {
  for (const name of readdirSync("templates")) {
    cpSync(join("templates", name), join(templates, name), { recursive: true });
    // As the package has it.
    renameSync(join(templates, name, ".gitignore"), join(templates, name, "gitignore"));
  }
});
afterAll(() => rmSync(scratch, { recursive: true }));

type Variables = Readonly<Record<string, string | undefined>>;

/** `npm start` of the gateway on Node reads it so. */
function readByNode(folder: string): Variables {
  const print = "console.log(JSON.stringify(process.env))";
  const out = execFileSync(process.execPath, ["--env-file=.env", "-e", print], {
    cwd: folder,
    env: {},
  });
  return JSON.parse(String(out)) as Variables;
}

/** wrangler reads `.dev.vars` with dotenv, and `vercel dev` reads `.env` with it. */
function readByDotenv(folder: string, file: string): Variables {
  if (file !== ".dev.vars") cpSync(join(folder, file), join(folder, ".dev.vars"));
  const vars = varsForDev(join(folder, "wrangler.toml"), undefined, {}, undefined, true);
  return Object.fromEntries(
    Object.entries(vars).map(([name, binding]) => [name, String(binding.value)]),
  );
}

const READERS: readonly (readonly [PlatformName, string, (folder: string) => Variables])[] = [
  ["node", ".env", readByNode],
  ["vercel", ".env", (folder) => readByDotenv(folder, ".env")],
  ["cloudflare", ".dev.vars", (folder) => readByDotenv(folder, ".dev.vars")],
];

function createWith(platform: PlatformName, token: string, origin = "https://api.example.com") {
  const folder = mkdtempSync(join(scratch, "gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = { folder, platform, origin, store: "redis" as const };
  const environment = {
    UPSTASH_REDIS_REST_URL: "https://redis.example.com",
    UPSTASH_REDIS_REST_TOKEN: token,
  };
  create(settings, templates, environment);
  return folder;
}

const AWKWARD = [
  "plain-Token_42==",
  "half#the-rest",
  "#all",
  "ends#",
  " begins and ends with blanks ",
  "\ttab",
  "it's",
  "'quoted'",
  '"quoted"',
  "`quoted`",
  '"',
  "'#'",
  '"#`',
  "$HOME",
  "${HOME}#",
  "\\$HOME",
  "back\\nslash",
  "back\\nslash#",
  "C:\\#\\",
  "a=b=c",
  "export A=1",
  "é漢😀#",
];

describe.each(READERS)("the secrets of %s in %s", (platform, file, read) => {
  test.each(AWKWARD)("the token %j is read as it was given, or refused", (token) => {
    let folder: string;
    try {
      folder = createWith(platform, token);
    } catch (error) {
      expect(error).toBeInstanceOf(NotCreated);
      expect((error as Error).message).toContain("UPSTASH_REDIS_REST_TOKEN");
      expect((error as Error).message).not.toContain(token);
      // Only what no quotes can take.
      expect(token).toMatch(/\\$/);
      return;
    }
    const variables = read(folder);
    expect(variables["UPSTASH_REDIS_REST_TOKEN"]).toBe(token);
    expect(variables["ADMIN_TOKEN"]).toMatch(/^[\w-]{43}$/);
    expect(variables["UPSTASH_REDIS_REST_URL"]).toBe("https://redis.example.com");
  });

  test.each(["x\nADMIN_TOKEN=mine", "x\r\ny", "x\n", "\u0000x", "x\u2028"])(
    "the token %j is refused, and nothing is created",
    (token) => {
      const before = readdirSync(scratch).length;
      expect(() => createWith(platform, token)).toThrow(
        /^UPSTASH_REDIS_REST_TOKEN has a line break or another control character/,
      );
      expect(readdirSync(scratch)).toHaveLength(before + 1);
      expect(existsSync(join(scratch, readdirSync(scratch).at(-1)!, file))).toBe(false);
    },
  );
});

test("any token is read as it was given by every reader, or refused by create", () => {
  const token = fc.string({
    unit: fc.constantFrom(..."ab#'\"`\\$n =x".split("")),
    minLength: 1,
    maxLength: 8,
  });
  const folder = createWith("cloudflare", "x");
  fc.assert(
    fc.property(token, (given) => {
      const again = join(folder, "again");
      rmSync(again, { recursive: true, force: true });
      try {
        create(
          { folder: again, platform: "cloudflare", origin: "https://a.example", store: "redis" },
          templates,
          { UPSTASH_REDIS_REST_URL: "https://redis.example.com", UPSTASH_REDIS_REST_TOKEN: given },
        );
      } catch (error) {
        if (error instanceof NotCreated) return;
        throw error;
      }
      const byNode = parseEnv(readFileSync(join(again, ".dev.vars"), "utf8"));
      for (const variables of [byNode, readByDotenv(again, ".dev.vars")]) {
        expect(variables["UPSTASH_REDIS_REST_TOKEN"]).toBe(given);
        expect(variables["ADMIN_TOKEN"]).toMatch(/^[\w-]{43}$/);
      }
    }),
    { numRuns: 200 },
  );
});

test.each(["https://a.example/\nADMIN_TOKEN=mine", "https://a.example/ b", "https://a.example\t"])(
  "the origin %j is refused",
  (origin) => {
    expect(mistakeInOrigin(origin)).toBe(
      "The origin is the address of your API, such as https://api.example.com.",
    );
  },
);

test.each(["https://a.example/it's", 'https://a.example/"x"', "https://a.example/$HOME/`x`"])(
  "the origin %j reaches the gateway on Node as it is",
  (origin) => {
    expect(mistakeInOrigin(origin)).toBeUndefined();
    expect(readByNode(createWith("node", "x", origin))["ORIGIN"]).toBe(origin);
  },
);
