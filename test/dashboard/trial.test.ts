import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { violationsOf } from "./axe.ts";
import { RULES, useDashboard } from "./dashboard.ts";
import { putText } from "./editor.ts";
import { ride } from "./rides.ts";
import { readAgain, regionOf } from "./visit.ts";

/*
 * A version that a part of the clients has: published, watched, raised, and taken back in the browser.
 */

const on = useDashboard();

const withLimit = (limit: number) =>
  JSON.stringify({ rules: RULES }).replace('"limit":3', `"limit":${limit}`);
const dialogOf = (page: Page) => page.getByRole("dialog");

test("a version is published to a part of the clients, watched beside the other one, raised, and taken back", async () => {
  const page = await on.open("#/edit");
  await putText(page, withLimit(1));
  await page.getByText("Sound: 1 change.").waitFor();
  await page.getByRole("button", { name: "Publish…" }).click();
  await dialogOf(page).getByLabel("Percent of the clients").fill("40");
  await dialogOf(page).getByLabel("Denials at most, in percent").fill("90");
  await dialogOf(page).getByRole("button", { name: "Publish" }).click();
  const trial = regionOf(page, "Trial");
  await trial.getByText("Version 1 is tried on 40 % of the clients").waitFor();
  expect((await on.read("/rules")).trial).toMatchObject({ percent: 40, maxDenied: 0.9 });
  await trial.getByText("taken back above 90 % of denials").waitFor();
  // The text that was tried is still based on the deployed rules.
  expect(await page.getByText("was published since").count()).toBe(0);

  for (let i = 0; i < 30; i++)
    for (let times = 0; times < 2; times++) await ride(on.stack, `user-${i}`);
  await page.getByRole("link", { name: "Rules", exact: true }).click();
  await expect
    .poll(async () => {
      await readAgain(page);
      const rows = await regionOf(page, "Trial").locator("tbody tr").allInnerTexts();
      return rows.reduce((sum, row) => sum + Number(row.split("\t")[2]), 0);
    })
    .toBe(60);
  const [tried, others] = await regionOf(page, "Trial").locator("tbody tr").allInnerTexts();
  const decided = Number(tried!.split("\t")[2]);
  expect(tried!.split("\t")).toEqual(["40 %", "1", String(decided), `${decided / 2} (50 %)`]);
  expect(others!.split("\t")).toEqual(["60 %", "as deployed", String(60 - decided), "0 (0 %)"]);
  expect(await violationsOf(page)).toEqual([]);

  await trial.getByRole("button", { name: "Another percentage…" }).click();
  await dialogOf(page).getByLabel("Percent of the clients").fill("75");
  await dialogOf(page).getByRole("button", { name: "Give" }).click();
  await trial.getByText("is tried on 75 % of the clients").waitFor();
  await trial.getByRole("button", { name: "Take back…" }).click();
  await dialogOf(page).getByRole("button", { name: "Take back" }).click();
  await trial.waitFor({ state: "detached" });
  expect(await on.read("/rules")).toMatchObject({ version: 0, source: "deployed" });
  await page.goto(`${on.url}#/edit`);
  await regionOf(page, "History").getByText("taken back").waitFor();
});

test("whoever edits the published rules is told of a version that is tried", async () => {
  const page = await on.open("#/edit");
  await putText(page, withLimit(5));
  await page.getByText("Sound: 1 change.").waitFor();
  await on.publish(JSON.parse(withLimit(4)), "?percent=10");
  await page.getByRole("button", { name: "Publish…" }).click();
  await dialogOf(page).getByRole("button", { name: "Publish" }).click();
  await dialogOf(page).getByText("is tried on 10 percent of the clients").waitFor();
  await dialogOf(page).getByRole("button", { name: "Cancel" }).click();
  const trial = regionOf(page, "Trial");
  await trial.getByRole("button", { name: "Another percentage…" }).click();
  await dialogOf(page).getByLabel("Percent of the clients").fill("100");
  await dialogOf(page).getByRole("button", { name: "Give" }).click();
  await trial.waitFor({ state: "detached" });
  await page.getByText("was published since").waitFor();
});
