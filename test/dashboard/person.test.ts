import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

import { hash } from "../../src/partition/key-text.ts";
import { RULES, useDashboard } from "./dashboard.ts";
import { putText } from "./editor.ts";
import { legendOf } from "./legend.ts";
import { startLoad } from "./load.ts";
import { ride } from "./rides.ts";
import { readAgain, regionOf } from "./visit.ts";

const on = useDashboard();

async function limitNow(): Promise<readonly [version: number, limit: number]> {
  const { version, document } = await on.read("/rules");
  return [version, document.rules[0].policies[0].limit];
}

/** The address to which the alert on denials leads: the test of the alerts expands its annotation as Prometheus does. */
function alertLink(): string {
  const text = readFileSync("test/metrics/alerts/texts.yml", "utf8");
  return /dashboard: "\/_tidegate\/(#.*rides.*)"/.exec(text)![1]!;
}

/** The number of rides that the origin got. */
async function ridesAtOrigin(): Promise<number> {
  const response = await fetch(`${on.stack.origin}/__counts`);
  return ((await response.json()) as Readonly<Record<string, number>>)["POST /rides/7"] ?? 0;
}

/** The earlier counts of rides; the check that the stack works sent requests, too. */
async function ridesCounted(): Promise<Readonly<Record<string, number>>> {
  const { requests } = (await on.read("/stats")) as {
    readonly requests: readonly {
      readonly rule: string;
      readonly outcome: string;
      readonly counts: readonly number[];
    }[];
  };
  const of = (outcome: string) =>
    requests
      .filter((each) => each.rule === "POST /rides/*" && each.outcome === outcome)
      .flatMap(({ counts }) => counts)
      .reduce((total, each) => total + each, 0);
  return { allowed: of("allowed"), denied: of("denied") };
}

test(
  "the way of the person on call under load: an alert, the denied clients, the reason, a draft, publish, roll back",
  { timeout: 60_000 },
  async () => {
    const before = await ridesCounted();
    const reachedBefore = await ridesAtOrigin();
    const load = startLoad(on.stack.workers[0]!);
    const own = { allowed: 0, denied: 0 };
    const ownRide = async () => {
      const status = await ride(on.stack, "42");
      own[status === 200 ? "allowed" : "denied"]++;
      return status;
    };

    /** Expects the view of the rule to show the given answers, and the requests that reached the origin. */
    async function expectTrueNumbers(page: Page): Promise<void> {
      const statuses = () => [...(load.answers.get("POST /rides/7")?.keys() ?? [])].toSorted();
      await expect.poll(statuses).toEqual([200, 429]);
      await load.pause();
      const answered = load.answers.get("POST /rides/7")!;
      const allowed = own.allowed + (answered.get(200) ?? 0);
      const denied = own.denied + (answered.get(429) ?? 0);
      expect((await ridesAtOrigin()) - reachedBefore).toBe(allowed);
      await readAgain(page);
      const picture = regionOf(page, "Requests by the minute");
      await expect
        .poll(() => legendOf(picture))
        .toEqual({ allowed: before["allowed"]! + allowed, denied: before["denied"]! + denied });
      load.go();
    }

    load.go();
    onTestFinished(() => load.pause());
    const statuses = [];
    for (let i = 0; i < 9; i++) statuses.push(await ownRide());
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429]);

    const page = await on.open(alertLink());
    await page.getByRole("heading", { name: "POST /rides/*" }).waitFor();
    await expectTrueNumbers(page);

    await page.getByRole("link", { name: "Overview" }).click();
    const name = `x-user-id:${await hash("42")}`;
    const top = regionOf(page, "Denied most");
    await top.getByRole("link", { name }).click();
    const denials = regionOf(page, "Under rides").getByRole("region", {
      name: "Denied by the ten minutes, at least",
    });
    await expect.poll(() => legendOf(denials)).toMatchObject({ denied: 6 });

    // A hash does not show the client: the person has it from the client's complaint.
    await page.getByLabel("Path and query").fill("/rides/7");
    await page.getByLabel("Headers, one in each line").fill("x-user-id: 42");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: "Denied", exact: true }).waitFor();
    await regionOf(page, "Under rides").getByText(name).waitFor();
    const row = page.getByRole("row").filter({ hasText: "x-user-id:42" });
    await expect
      .poll(() => row.getByRole("cell").allInnerTexts())
      .toEqual([
        "rides",
        "no",
        "0",
        "3",
        "",
        expect.stringMatching(/min|s$/),
        expect.stringMatching(/^in .*(?:min|s)$/),
        "denies",
        "x-user-id:42",
        "POST /rides/*",
      ]);

    await row.getByRole("link").click();
    await page.getByRole("link", { name: "Edit", exact: true }).last().click();
    const text = JSON.stringify({ rules: RULES }, undefined, 2);
    await putText(page, text.replace('"limit": 3', '"limit": 0'));
    await page.getByRole("button", { name: "Line 14" }).waitFor();
    expect(await page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
    await putText(page, text.replace('"limit": 3,', '"limit": 3'));
    await page.getByText("Comma expected.").waitFor();
    await putText(page, text.replace('"limit": 3', '"limit": 5'));
    await page.getByText("Sound: 1 change.").waitFor();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft is kept.").waitFor();
    expect(await limitNow()).toEqual([0, 3]);

    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const changed = dialog.locator(".cm-merge-b .cm-changedLine");
    await expect.poll(() => changed.allInnerTexts()).toEqual(['          "limit": 5,']);
    await dialog.getByLabel("Note for the history").fill("more rides <b>for all</b>");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Version 1 is in force here").waitFor();
    expect(await limitNow()).toEqual([1, 5]);
    expect([await ownRide(), await ownRide(), await ownRide()]).toEqual([200, 200, 429]);
    await page.getByRole("cell", { name: "more rides <b>for all</b>" }).waitFor();

    await page.getByRole("button", { name: "Roll back to version 0" }).click();
    await dialog.getByText("rules[0].policies[0].limit").waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByText("Version 0 is in force again, as version 2.").waitFor();
    expect(await limitNow()).toEqual([2, 3]);

    await page.getByRole("link", { name: "Audit" }).click();
    const deeds = page.locator("tbody td:nth-child(3)");
    await expect
      .poll(async () => (await deeds.allInnerTexts()).slice(0, 3))
      .toEqual(["rollback to 0", "publish", "draft"]);

    await page.goto(on.url + alertLink());
    await page.getByRole("heading", { name: "POST /rides/*" }).waitFor();
    await expectTrueNumbers(page);
    await load.pause();
  },
);

test("a publication by another user is reported, not overwritten", async () => {
  const page = await on.open("#/edit");
  const text = JSON.stringify({ rules: RULES }, undefined, 2);
  await putText(page, text.replace('"limit": 30', '"limit": 31'));
  await page.getByText("Sound: 1 change.").waitFor();
  const [version] = await limitNow();
  const other = JSON.parse(text) as { rules: typeof RULES };
  other.rules[1]!.policies[0]!.limit = 60;
  await on.publish(other);
  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("Somebody else published").waitFor();
  expect((await limitNow())[0]).toBe(version + 1);
});
