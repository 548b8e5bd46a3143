import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect } from "vitest";

import { type Surroundings, tidegate, TOKEN } from "../support/cli/run.ts";
import type { Run } from "../support/run-here.ts";
import { type ScriptedGateway, type Seen, startScriptedGateway } from "./scripted-gateway.ts";

interface Surrounded {
  readonly gateway: ScriptedGateway;
  /** An empty folder, where the program runs. */
  readonly cwd: string;
  readonly run: (args: readonly string[], more?: Surroundings) => Promise<Run>;
  /** The program sends nothing, prints an error that says this, and exits with 2: wrong usage. Returns the error. */
  readonly refuses: (args: readonly string[], message: string | RegExp) => Promise<string>;
}

/** Gives a test file a scripted gateway, and the program as its user has set it up. */
export function useGateway(): Surrounded {
  let gateway: ScriptedGateway;
  let cwd: string;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
    cwd = mkdtempSync(join(tmpdir(), "tidegate-cli-"));
  });
  afterAll(() => {
    gateway.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  const run: Surrounded["run"] = (args, { env, ...more } = {}) =>
    tidegate(args, { cwd, env: { TIDEGATE_URL: gateway.url, ...env }, ...more });
  return {
    get gateway() {
      return gateway;
    },
    get cwd() {
      return cwd;
    },
    run,
    async refuses(args, message) {
      gateway.script();
      const { out, err, exit } = await run(args);
      expect(err).toMatch(message);
      expect([out, exit, gateway.seen]).toEqual(["", 2, []]);
      return err;
    },
  };
}

/** A request of the program, without a body or a version unless given. */
export function seen(
  method: string,
  path: string,
  more: Partial<Pick<Seen, "body" | "ifMatch">> = {},
): Seen {
  return {
    method,
    path: `/_tidegate/api/v1${path}`,
    authorization: `Bearer ${TOKEN}`,
    ifMatch: undefined,
    body: undefined,
    ...more,
  };
}
