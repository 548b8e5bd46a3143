import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, inject, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import alias from "../../packages/upstash-ratelimit/package.json" with { type: "json" };

/** A library that was written against @upstash/ratelimit, and knows no other. */
const THIRD_PARTY = `import { Ratelimit } from "@upstash/ratelimit";

export class Guard {
  readonly ratelimit: Ratelimit;
  constructor(ratelimit: Ratelimit) {
    this.ratelimit = ratelimit;
  }
  async check(key: string): Promise<number> {
    const { success, reset, pending } = await this.ratelimit.limit(key, { rate: 2 });
    await pending;
    if (success) return 0;
    return (await this.ratelimit.blockUntilReady(key, 1_000)).success ? 0 : reset;
  }
}
`;

const APP = `import { IpDenyList, MultiRegionRatelimit, Ratelimit } from "@upstash/ratelimit";
import { Ratelimit as Own } from "tidegate/upstash-ratelimit";
import { Redis } from "@upstash/redis";
import { Guard } from "./guarded-store.ts";

const redis = new Redis({ url: "http://127.0.0.1:9", token: "none" });
const ratelimit = new Ratelimit({ redis, limiter: Ratelimit.slidingWindow(10, "10 s") });
export const guard = new Guard(ratelimit);
const limiter = MultiRegionRatelimit.fixedWindow(10, "10 s");
export const regions = new MultiRegionRatelimit({ redis: [redis, redis], limiter });
export const update = () => IpDenyList.updateIpDenyList(redis, "prefix", 6);
export const isOurs: boolean = ratelimit instanceof Own;
console.log(isOurs);
`;

test("installed under the peer's name, it is the class that third parties' types ask for", async () => {
  const installed = inject("installed");
  const folder = join(installed, "alias");
  await mkdir(join(folder, "node_modules/@upstash"), { recursive: true });
  await cp(resolve("packages/upstash-ratelimit"), join(folder, "node_modules/@upstash/ratelimit"), {
    recursive: true,
  });
  await writeFile(join(folder, "guarded-store.ts"), THIRD_PARTY);
  await writeFile(join(folder, "app.ts"), APP);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "NodeNext",
        target: "ES2022",
        lib: ["ES2024", "DOM"],
        types: [],
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
      },
      include: ["*.ts"],
    }),
  );
  const tsc = join(installed, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", folder]);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "app.ts")]);
  expect(stdout.trim()).toBe("true");
});

test("needs the version that it is released with", () => {
  expect(alias.version).toBe(manifest.version);
  expect(alias.dependencies.tidegate).toBe(`^${manifest.version}`);
});
