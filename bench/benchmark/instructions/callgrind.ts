import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { Redis } from "ioredis";

import { startRedisServer } from "../../../scripts/support/redis-server.ts";

const run = promisify(execFile);

/** A Redis whose instructions are counted. */
export interface CountedRedis {
  readonly redis: Redis;
  /** How many instructions the server carries out while `act` runs. */
  instructionsOf(act: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

/** Starts a Redis under callgrind, which runs each instruction some fifty times slower and the same number of them. */
export async function openCountedRedis(): Promise<CountedRedis> {
  const folder = mkdtempSync(join(tmpdir(), "callgrind-"));
  const file = join(folder, "profile");
  const server = await startRedisServer({
    // Its own work beside the calls, once a second instead of ten times.
    args: ["--hz", "1", "--dynamic-hz", "no"],
    under: ["valgrind", "--quiet", "--tool=callgrind", `--callgrind-out-file=${file}`],
  });
  const redis = new Redis(server.url, { disableClientInfo: true });
  const monitor = (command: string) => run("vgdb", [`--pid=${server.pid}`, command]);

  /** The sum of the newest profile: each has what came since the one before it. */
  async function dump(): Promise<number> {
    await monitor("dump");
    const profiles = (await readdir(folder)).filter((name) => name.startsWith("profile."));
    const [newest] = profiles.sort((a, b) => Number(b.split(".")[1]) - Number(a.split(".")[1]));
    const profile = await readFile(join(folder, newest!), "utf8");
    const [, total] = /^(?:totals|summary): (\d+)/m.exec(profile)!;
    return Number(total);
  }

  return {
    redis,

    async instructionsOf(act) {
      await monitor("zero");
      await act();
      return dump();
    },

    async close() {
      redis.on("error", () => {});
      await server.stop();
      redis.disconnect();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
