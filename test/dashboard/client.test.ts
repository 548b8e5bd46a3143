import { expect, test } from "vitest";

import { useDashboard } from "../support/dashboard/dashboard.ts";
import { ride } from "../support/dashboard/rides.ts";

const on = useDashboard();

test("a client is blocked, which its list shows, and let in again", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:spammer");
  await page.getByRole("button", { name: "Block for 24h: x-user-id:spammer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Block for 24h" }).click();
  await page.getByRole("heading", { name: "Refused: a list blocks the client" }).waitFor();
  expect(await ride(on.stack, "spammer")).toBe(403);
  await page.getByRole("link", { name: "Lists" }).click();
  await page.getByRole("button", { name: "Remove x-user-id:spammer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("The entry is removed.").waitFor();
  expect(await ride(on.stack, "spammer")).toBe(200);
});

test("an override gives one client another limit, and a reset gives back what was used", async () => {
  for (let i = 0; i < 3; i++) await ride(on.stack, "vip");
  expect(await ride(on.stack, "vip")).toBe(429);
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:vip");
  await page.getByRole("button", { name: "Override: x-user-id:vip" }).click();
  await page.getByRole("dialog").getByLabel("Limit").fill("4");
  await page.getByRole("button", { name: "Put the override" }).click();
  await page.getByText("override x-user-id:vip").waitFor();
  expect([await ride(on.stack, "vip"), await ride(on.stack, "vip")]).toEqual([200, 429]);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await page.getByText("What was counted of this client is forgotten.").waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  expect(await ride(on.stack, "vip")).toBe(200);
});

test("a description with faults is answered with all of them", async () => {
  const page = await on.open("#/partition");
  await page.getByLabel("Path and query").fill("/rides/7");
  await page.getByLabel("Address").fill("999.1.1.1");
  await page.getByLabel("Headers, one in each line").fill("x-user-id: caf\u00E9\u2603");
  await page.getByRole("button", { name: "Explain" }).click();
  const faults = page.getByRole("alert").first().getByRole("listitem");
  await expect
    .poll(() => faults.allInnerTexts())
    .toEqual([expect.stringContaining("headers"), expect.stringContaining("Give an address.")]);
});
