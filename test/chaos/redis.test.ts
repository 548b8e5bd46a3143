import { Redis } from "ioredis";
import { test } from "vitest";

import { some } from "../support/runs.ts";
import { fillUp, makeRoom } from "./memory.ts";
import { type OwnStore, startOwnStore, TOKEN } from "./own-store.ts";
import { timeoutFor, type Outage, rideOut } from "./ride-out.ts";
import { SUBJECTS } from "./subjects.ts";

type OutageOf = (store: OwnStore, admin: Redis) => Omit<Outage, "name">;

const OUTAGES: Readonly<Record<string, OutageOf>> = {
  "Redis killed, and an empty one started in its place": ({ killRedis, startRedis }) => ({
    code: "ERR_STORE_UNREACHABLE",
    begin: killRedis,
    end: startRedis,
    forgets: true,
  }),
  "Redis paused": ({ signalRedis }) => ({
    code: "ERR_STORE_TIMEOUT",
    begin: () => signalRedis("SIGSTOP"),
    end: () => signalRedis("SIGCONT"),
    hangs: true,
  }),
  "Redis out of memory": (_store, admin) => ({
    code: "ERR_STORE_REFUSED",
    begin: () => fillUp(admin),
    end: () => makeRoom(admin),
  }),
  "the REST API gone": ({ closeBridge, openBridge }) => ({
    code: "ERR_STORE_UNREACHABLE",
    begin: closeBridge,
    end: () => openBridge(),
  }),
  "the token revoked, and restored": ({ closeBridge, openBridge }) => ({
    code: "ERR_STORE_UNAUTHORIZED",
    async begin() {
      await closeBridge();
      await openBridge("another");
    },
    async end() {
      await closeBridge();
      await openBridge(TOKEN);
    },
  }),
};

test.concurrent.for(some(Object.entries(OUTAGES)))(
  "%s",
  { timeout: 60_000 },
  async ([name, outage]) => {
    await Promise.all(
      SUBJECTS.map(async ({ start }) => {
        const store = await startOwnStore();
        const { proxy } = store;
        const admin = new Redis(store.redisUrl, { disableClientInfo: true });
        admin.on("error", () => {});
        const described = { name, ...outage(store, admin) };
        const subject = await start({
          url: proxy.url,
          token: TOKEN,
          timeout: timeoutFor(described),
        });
        try {
          await rideOut(subject, proxy, described);
        } finally {
          admin.disconnect();
          await subject.stop();
          await store.stop();
        }
      }),
    );
  },
);
