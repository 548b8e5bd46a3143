import { Redis } from "ioredis";

import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Scale } from "../figure.ts";
import type { ScriptCall } from "./capture.ts";
import type { BenchRedis } from "./server.ts";
import { decisionCall } from "./tidegate.ts";

const POLICIES = ["token-bucket", "sliding-window-counter", "fixed-window"] as const;
const QUOTA = { limit: 1_000_000, window: 3_600_000 };
const CONNECTIONS = 8;

interface Sample {
  readonly cpu: number;
  readonly trips: number;
}

/** Three policies in one call against one call for each, every call alone on its connection, as over HTTP. */
export async function measureTogether(server: BenchRedis, { short }: Scale): Promise<Figure[]> {
  const decisions = short ? 20 : 400;
  const connections = Array.from(
    { length: CONNECTIONS },
    () => new Redis(server.url, { disableClientInfo: true }),
  );
  const together = [await decisionCall("together", 1, POLICIES, QUOTA)];
  const separate = await Promise.all(
    POLICIES.map((policy) => decisionCall("separate", 1, [policy], QUOTA)),
  );
  const one = [await decisionCall("one", 1, [POLICIES[0]], QUOTA)];

  async function drive(calls: readonly ScriptCall[]): Promise<Sample> {
    // The script is loaded, and the keys are there.
    await server.send(calls);
    const shas = await Promise.all(
      calls.map(({ script }) => server.redis.script("LOAD", script) as Promise<string>),
    );
    let trips = 0;
    const before = await server.usedCpu();
    await Promise.all(
      connections.map(async (connection) => {
        for (let decision = 0; decision < decisions; decision++) {
          for (const [i, { keys, args }] of calls.entries()) {
            trips++;
            await connection.evalsha(shas[i]!, keys.length, ...keys, ...args);
          }
        }
      }),
    );
    const total = decisions * CONNECTIONS;
    return { cpu: ((await server.usedCpu()) - before) / total, trips: trips / total };
  }

  /** The commands of these calls, with the calls themselves. */
  async function billed(calls: readonly ScriptCall[]): Promise<number> {
    const { commands } = await server.measure(calls);
    return calls.length * (1 + commands);
  }

  try {
    const samples = await interleave(
      [together, separate, one].map((calls) => () => drive(calls)),
      short ? 2 : 11,
    );
    const [ours, theirs, single] = samples as [Sample[], Sample[], Sample[]];
    const cpu = (list: Sample[]) => list.map((sample) => sample.cpu);
    const trips = (list: Sample[]) => list.map((sample) => sample.trips);
    return [
      {
        name: "three policies together: commands billed, those inside the script included",
        unit: "",
        ...compare([await billed(together)], "three calls", [await billed(separate)]),
        target: atMost(POLICIES.length + 3, "tidegate"),
      },
      {
        name: "three policies together: CPU of Redis per decision",
        unit: "us",
        ...compare(cpu(ours), "three calls", cpu(theirs)),
        target: atMost(0.65),
      },
      {
        name: "three policies together: round trips",
        unit: "",
        ...compare(trips(ours), "three calls", trips(theirs)),
        target: atMost(1, "tidegate"),
      },
      {
        name: "three policies together: CPU of Redis per decision",
        unit: "us",
        ...compare(cpu(ours), "one policy", cpu(single)),
      },
    ];
  } finally {
    for (const connection of connections) connection.disconnect();
  }
}
