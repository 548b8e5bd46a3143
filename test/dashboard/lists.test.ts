import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { answerWith, confirm, regionOf } from "./visit.ts";

const on = useDashboard();

interface Kept extends Readonly<Record<string, unknown>> {
  readonly at: string;
  readonly until?: string;
}

const HOUR_MS = 3_600_000;

/** The entries of a list without what the gateway adds, each with the hours that it lasts. */
async function kept(path: string): Promise<readonly object[]> {
  const { entries } = (await on.read(path)) as { readonly entries: readonly Kept[] };
  return entries.map(({ id: _id, by: _by, source: _source, at, until, ...entry }) => {
    const hours = until && Math.round((Date.parse(until) - Date.parse(at)) / HOUR_MS);
    return hours === undefined ? entry : Object.assign(entry, { hours });
  });
}

/** The cells of a row, of which the action is none. */
const cellsOf = (list: Locator, name: string) =>
  list
    .getByRole("row")
    .filter({ hasText: name })
    .getByRole("cell")
    .allInnerTexts()
    .then((texts) => texts.slice(0, -1));

test.each([
  ["Blocked", "/lists/deny"],
  ["Exempt", "/lists/allow"],
])("%s: an entry is put as the form has it, shown at once, and removed", async (title, path) => {
  const page = await on.open("#/lists");
  const list = regionOf(page, title);
  await list.locator("summary").click();
  for (const [kind, client, lasts, name] of [
    ["cidr", "198.51.100.9", "24h", "198.51.100.9"],
    ["identity", "x-user-id:form", "7d", "x-user-id:form"],
    ["asn", "64496", "", "AS64496"],
    ["country", "CH", "1h", "CH"],
  ] as const) {
    await list.getByLabel("Kind").selectOption(kind);
    await list.getByLabel("Client").fill(client);
    await list.locator("select[name=lasts]").selectOption(lasts);
    await list.getByRole("button", { name: "Add", exact: true }).click();
    await list.getByRole("button", { name: `Remove ${name}` }).waitFor({ timeout: 4_000 });
    await expect.poll(() => list.getByLabel("Client").inputValue()).toBe("");
  }
  const entries = [
    { cidr: "198.51.100.9", hours: 24 },
    { identity: "x-user-id:form", hours: 168 },
    { asn: 64_496 },
    { country: "CH", hours: 1 },
  ];
  const sorted = async () => (await kept(path)).map((entry) => JSON.stringify(entry)).toSorted();
  expect(await sorted()).toEqual(entries.map((entry) => JSON.stringify(entry)).toSorted());
  expect(await cellsOf(list, "AS64496")).toEqual([
    "AS64496",
    "no end",
    expect.stringMatching(/^admin:\w+, \d+ \w+ \d{4}, [\d:]+$/),
  ]);
  expect((await cellsOf(list, "x-user-id:form"))[1]).toMatch(/^\d+ \w+ \d{4}, [\d:]+$/);

  await confirm(list, "Remove AS64496", "Remove");
  await list.getByRole("button", { name: "Remove AS64496" }).waitFor({ state: "detached" });
  expect(await kept(path)).toHaveLength(3);
  await page.getByRole("button", { name: "Undo" }).click();
  await list.getByRole("button", { name: "Remove AS64496" }).waitFor();
  expect(await kept(path)).toContainEqual({ asn: 64_496 });
});

test("an override is put as the form has it, and a refused one is said in its place", async () => {
  const page = await on.open("#/lists");
  const list = regionOf(page, "Overrides");
  await list.locator("summary").click();
  await list.getByLabel("Identity").fill("x-user-id:form");
  await list.getByLabel("Policy").fill("no-such");
  await list.getByLabel("Limit").fill("7");
  await list.locator("select[name=lasts]").selectOption("30d");
  await list.getByRole("button", { name: "Add", exact: true }).click();
  await list.getByRole("alert").getByText("no-such").first().waitFor();
  // What was typed is still there.
  await list.getByLabel("Policy").fill("rides");
  await list.getByRole("button", { name: "Add", exact: true }).click();
  await list.getByRole("button", { name: "Remove x-user-id:form" }).waitFor({ timeout: 4_000 });
  expect(await list.getByRole("alert").count()).toBe(0);
  expect(await kept("/overrides")).toEqual([
    { identity: "x-user-id:form", policies: { rides: { limit: 7 } }, hours: 720 },
  ]);
  expect((await cellsOf(list, "x-user-id:form"))[1]).toBe("rides: limit 7");
});

test("an override that the rules in force leave out is marked", async () => {
  const page = await on.open("#/");
  const kept = { source: "call", by: "admin:00000000", at: new Date().toISOString() };
  const entries = [
    { id: "0123456789abcdef", identity: "x-user-id:left", plan: "gone", inForce: false, ...kept },
    { id: "fedcba9876543210", identity: "x-user-id:kept", plan: "gold", ...kept },
  ];
  await answerWith(page, "overrides", { entries });
  await page.getByRole("link", { name: "Lists" }).click();
  const list = regionOf(page, "Overrides");
  await list.getByRole("button", { name: "Remove x-user-id:left" }).waitFor();
  expect((await cellsOf(list, "x-user-id:left")).at(-1)).toMatch(
    /; not in force under these rules$/,
  );
  expect((await cellsOf(list, "x-user-id:kept")).at(-1)).toMatch(/^admin:00000000, [^;]+$/);
});

test("an override that changes nothing is said to, until another one is added", async () => {
  const page = await on.open("#/lists");
  const list = regionOf(page, "Overrides");
  await list.locator("summary").click();
  async function add(identity: string): Promise<void> {
    await list.getByLabel("Identity").fill(identity);
    await list.getByLabel("Policy").fill("rides");
    await list.getByLabel("Limit").fill("7");
    await list.getByRole("button", { name: "Add", exact: true }).click();
    await list.getByRole("button", { name: `Remove ${identity}` }).waitFor({ timeout: 4_000 });
  }
  await add("x-usr-id:warned");
  const warning = list.getByRole("status");
  await warning.getByText("No rule counts by the header x-usr-id").waitFor();
  await page.getByText("Overrides: kept.").waitFor();
  await add("x-user-id:sound");
  await expect.poll(() => warning.count()).toBe(0);
});
