import { expect, test } from "vitest";

import { DEPLOYED, startLiveGateway } from "../support/live/live-gateway.ts";

const rules = (policy: object) => ({
  rules: [
    {
      ...DEPLOYED[0],
      policies: [{ algorithm: "fixed-window", name: "plan", limit: 5, ...policy }],
    },
  ],
});

test("a live document that changes a zone, an anchor or a window counts anew, and one that goes back goes on", async () => {
  const { rules: RULES } = rules({ window: "month", timeZone: "Europe/Berlin" });
  const gateway = await startLiveGateway({ RULES });
  const ada = { "x-user-id": "ada" };
  const explained = async () => {
    const { rules } = await gateway.administered.explain({ path: "/api/x", headers: ada });
    return rules[0]!.policies[0]!;
  };
  for (let i = 0; i < 2; i++) expect((await gateway.ask("/api/x", ada)).status).toBe(200);
  const explanation = await explained();
  const counted = { algorithm: "fixed-window", remaining: 3, timeZone: "Europe/Berlin" };
  expect(explanation).toMatchObject(counted);
  // The first moment of a month by the clocks of Berlin, which is in winter or in summer.
  const renewsAt = new Date(explanation.renewsAt!);
  const berlin = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone: "Europe/Berlin",
  });
  expect(berlin.format(renewsAt)).toMatch(/^\d{4}-\d\d-01 00:00:00$/);
  expect(Math.abs(Number(renewsAt) - Date.now() - explanation.resetAfterMs)).toBeLessThan(60_000);

  const changes = [
    { window: "month", timeZone: "Pacific/Apia" },
    { window: "month", timeZone: "Pacific/Apia", anchor: 15 },
    { window: "week", anchor: "2026-03-15T10:30:00Z" },
    { window: "30d" },
    { window: "month" },
  ];
  for (const [i, change] of changes.entries()) {
    await gateway.publish(rules(change), i + 2);
    expect(gateway.administered.enforced().version).toBe(i + 2);
    const { remaining, timeZone } = await explained();
    const zone = change.window === "30d" ? undefined : (change.timeZone ?? "UTC");
    expect([change, remaining, timeZone]).toEqual([change, 5, zone]);
  }
  // Back to the first one, with another limit.
  const first = { window: "month", timeZone: "Europe/Berlin", limit: 7 };
  await gateway.publish(rules(first), 7);
  expect(await explained()).toMatchObject({ remaining: 5, timeZone: "Europe/Berlin" });
  await gateway.publish(rules({ window: "month" }), 8);
  const statuses = [];
  for (let i = 0; i < 6; i++) statuses.push((await gateway.ask("/api/x", ada)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const denied = await gateway.ask("/api/x", ada);
  const now = new Date();
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const told = Number(denied.headers.get("retry-after"));
  expect(Math.abs(told - (end - Date.now()) / 1000)).toBeLessThan(60);

  // A fault leaves the earlier document in force, with its count.
  for (const [i, faulty] of [
    { window: "month", timeZone: "Europe/Atlantis" },
    { window: "month", anchor: 32 },
    { window: "week", anchor: 8 },
    { window: "day", anchor: 15 },
    { window: "30d", timeZone: "UTC" },
    { window: "fortnight" },
  ].entries()) {
    await gateway.publish(rules(faulty), 9 + i);
    expect([faulty, gateway.administered.enforced().version]).toEqual([faulty, 8]);
  }
  expect(await explained()).toMatchObject({ remaining: 0, timeZone: "UTC" });
});

test("plans and overrides change the numbers of a calendar's window: limits count together, calendars apart", async () => {
  const gateway = await startLiveGateway();
  const [own] = rules({ window: "month", timeZone: "Europe/Berlin" }).rules;
  const document = {
    rules: [{ ...own, plan: "header:x-plan" }],
    plans: {
      larger: { plan: { limit: 20 } },
      pro: { plan: { limit: 20, anchor: 15 } },
      tokyo: { plan: { timeZone: "Asia/Tokyo" } },
    },
    overrides: [{ identity: "x-user-id:ada", policies: { plan: { limit: 7 } } }],
  };
  await gateway.publish(document);
  expect(gateway.administered.enforced().version).toBe(1);
  const left = async (user: string, plan?: string) => {
    const headers = { "x-user-id": user, ...(plan !== undefined && { "x-plan": plan }) };
    return (await gateway.ask("/api/x", headers)).headers.get("x-ratelimit-remaining");
  };
  expect([await left("ada"), await left("bob")]).toEqual(["6", "4"]);
  expect([await left("bob", "pro"), await left("bob", "tokyo")]).toEqual(["19", "4"]);
  expect([await left("bob", "larger"), await left("bob")]).toEqual(["18", "2"]);
});
