// The people, in a process of their own, as `startDriver` of run/children.ts forks it.

import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../clock.ts";
import { type Intention, ROUTES } from "../people/person.ts";
import { lengthOf, type Phases } from "../people/phases.ts";
import { population } from "../people/population.ts";
import { live, type World } from "../people/pursue.ts";
import { createClient } from "./client.ts";
import { startProbe } from "./probe.ts";
import type { Asked, Progress } from "./records.ts";

export interface Drive {
  readonly url: string;
  /** Of a server that answers at once. */
  readonly bare: string;
  readonly seed: number;
  readonly phases: Phases;
  /** Of the riders. */
  readonly share: number;
}

export type FromDriver =
  | { readonly kind: "begun"; readonly beginMs: number }
  | ({ readonly kind: "progress" } & Progress)
  | {
      readonly kind: "done";
      readonly beginMs: number;
      readonly driverMs: number;
      readonly asked: readonly Asked[];
    };

const PROGRESS_EVERY_MS = 250;
/** Longer than the API and the apps wait: a request that is open then was lost. */
const DRAIN_MS = 35_000;

const tell = (message: FromDriver) => process.send!(message);

process.once("message", (drive: Drive) => void run(drive));
process.on("disconnect", () => process.exit());

async function run({ url, bare, seed, phases, share }: Drive): Promise<void> {
  const people = population(seed, phases, share);
  const client = createClient(url);
  const asked: Asked[] = [];
  const counts = { sent: 0, allowed: 0, denied: 0, failed: 0, open: 0 };
  const served = new Set<Intention>();
  const beginMs = nowMs() + 100;
  const endMs = beginMs + lengthOf(phases);
  tell({ kind: "begun", beginMs });

  function worldOf(person: number, id: string): World {
    return {
      now: () => nowMs() - beginMs,
      async until(ms) {
        const waitMs = beginMs + ms - nowMs();
        if (waitMs > 0) await sleep(waitMs);
      },
      async ask(intention, atMs) {
        // No person begins anything after the end.
        if (nowMs() > endMs) return new Promise(() => {});
        const { endpoint } = intention;
        const number = counts.sent++;
        const sentMs = nowMs();
        counts.open++;
        const answer = await client.send({
          ...ROUTES[endpoint],
          headers: {
            "x-user-id": id,
            "x-request-number": number,
            "cf-connecting-ip": ipOf(person),
          },
        });
        counts.open--;
        const { status, askedRedis, withoutRedis } = answer;
        counts[outcomeOf(status)]++;
        const wanted = status === 200 && !served.has(intention);
        if (wanted) served.add(intention);
        const times = { meantMs: beginMs + atMs, sentMs, endMs: nowMs() };
        asked[number] = {
          person,
          endpoint,
          intention,
          ...times,
          status,
          askedRedis,
          withoutRedis,
          wanted,
        };
        return answer;
      },
    };
  }

  const probe = startProbe(bare);
  const progress = setInterval(() => tell({ kind: "progress", ...counts }), PROGRESS_EVERY_MS);
  void Promise.all(people.map((person, i) => live(person, worldOf(i, person.id))));
  await sleep(endMs - nowMs());
  const driverMs = probe.stop();
  const latest = endMs + DRAIN_MS;
  while (counts.open > 0 && nowMs() < latest) await sleep(50);
  clearInterval(progress);
  client.close();
  // Open requests lose their connections now, and count as unanswered.
  while (counts.open > 0) await sleep(10);
  tell({ kind: "progress", ...counts });
  tell({ kind: "done", beginMs, driverMs, asked });
}

function outcomeOf(status: number): "allowed" | "denied" | "failed" {
  if (status === 200) return "allowed";
  return status === 429 ? "denied" : "failed";
}

/** An address for each person. */
function ipOf(person: number): string {
  return `198.18.${person >> 8}.${person & 255}`;
}
