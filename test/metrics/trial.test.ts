import { expect, test } from "vitest";

import { type Isolate, startFleet } from "../live/fleet.ts";
import { limited, logLines } from "../support/live/live-gateway.ts";
import { parseOpenMetrics } from "./parse-open-metrics.ts";

/*
 * What Prometheus sees of a version that is tried on a part of the clients.
 */

const USERS = Array.from({ length: 60 }, (_, i) => `user-${i}`);
const based = (version: number) => ({ "If-Match": `"${version}"` });

/** A limit of 20 for all clients, and beside it one of 1 for half of them. */
async function startTrial(query = "") {
  const { isolate } = await startFleet();
  // No isolate writes by itself during the test.
  const one = isolate({ METRICS_FLUSH: "10m" });
  await one.api("PUT", "/rules", limited(20), based(0));
  await one.api("PUT", `/rules?percent=50${query}`, limited(1), based(1));
  return { one, isolate };
}

/** The samples of a scrape that are about trials. */
async function scrape(of: Isolate): Promise<Record<string, number>> {
  const { samples } = parseOpenMetrics(await of.own("/api/v1/metrics"));
  return Object.fromEntries(
    [...samples].flatMap(([name, value]) =>
      name.startsWith("tidegate_trial") ? [[name.slice("tidegate_".length), value]] : [],
    ),
  );
}

test("a scrape of any isolate says which version is tried on whom, since when, and what both sides decided", async () => {
  const { one, isolate } = await startTrial();
  const decided = { tried: { allowed: 0, denied: 0 }, others: { allowed: 0, denied: 0 } };
  for (const of of [one, isolate({ METRICS_FLUSH: "10m" })]) {
    for (const user of USERS) {
      const [status, limit] = (await of.ask(user)).split(" ");
      decided[limit === "1" ? "tried" : "others"][status === "200" ? "allowed" : "denied"]++;
    }
    // Its own counts come with its next read, and those that it wrote with a scrape.
    await of.api("GET", "/rules");
    await scrape(of);
  }
  expect(decided.tried.denied).toBeGreaterThan(0);
  expect(decided.tried.denied).toBe(decided.tried.allowed);
  const { trial } = (await one.api("GET", "/rules")).body;
  const told = {
    'trial_decisions_total{side="tried",result="allowed"}': decided.tried.allowed,
    'trial_decisions_total{side="tried",result="denied"}': decided.tried.denied,
    'trial_decisions_total{side="others",result="allowed"}': decided.others.allowed,
    'trial_decisions_total{side="others",result="denied"}': 0,
    trials_taken_back_total: 0,
    'trial_percent{version="2"}': 50,
    'trial_start_time_seconds{version="2"}': Date.parse(trial.publishedAt) / 1000,
  };
  expect(await scrape(isolate())).toEqual(told);
  // What an isolate has written it does not write again.
  expect(await scrape(one)).toEqual(told);
  await one.api("PUT", "/rules/trial", { percent: 100 });
  expect(Object.keys(await scrape(one)).filter((name) => name.includes("version"))).toEqual([]);
});

test("a version that is taken back by itself is counted at once, and one that a person takes back is not", async () => {
  logLines();
  const { one, isolate } = await startTrial("&max-denied=0.1");
  for (const user of USERS) for (let i = 0; i < 5; i++) await one.ask(user);
  await one.api("GET", "/rules");
  const another = isolate();
  expect(await scrape(another)).toMatchObject({ trials_taken_back_total: 1 });
  await another.api("PUT", "/rules?percent=50", limited(2), based(1));
  await another.api("POST", "/rules/rollback", {});
  expect(await scrape(another)).toMatchObject({ trials_taken_back_total: 1 });
});
