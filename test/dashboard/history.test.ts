import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { auditEntriesAbout } from "../../packages/dashboard/src/partition/history/audit-entries.ts";
import { hash } from "../../src/partition/key-text.ts";
import { violationsOf } from "./axe.ts";
import { useDashboard } from "./dashboard.ts";
import { legendOf } from "./legend.ts";
import { rideOften } from "./rides.ts";
import { answerWith, confirm, regionOf } from "./visit.ts";

const on = useDashboard();

const under = (page: Page, policy: string) => regionOf(page, `Under ${policy}`);

/** The legend of a picture of rides. */
const shownOn = (page: Page, title: string) =>
  legendOf(under(page, "rides").getByRole("region", { name: title }));

const described = (user: string) =>
  `#/partition?method=POST&path=/rides/7&headers=${encodeURIComponent(`x-user-id: ${user}`)}`;

test("a described client has its denials, and the actions about it", async () => {
  const user = "described";
  await rideOften(on.stack, user, 8);
  const entry = { identity: `x-user-id:${user}` };
  expect((await on.ask("PUT", "/lists/deny", { ...entry, for: "1h" })).status).toBe(200);
  const [{ id }] = (await on.read("/lists/deny")).entries;
  expect((await on.ask("DELETE", `/lists/deny?id=${id}`)).status).toBe(204);
  expect((await on.ask("PUT", "/lists/deny", { identity: "x-user-id:else" })).status).toBe(200);
  const page = await on.open(described(user));
  expect(await shownOn(page, "Denied by the ten minutes, at least")).toEqual({
    denied: 5,
    "near the limit": 1,
  });
  await under(page, "rides")
    .getByText(`x-user-id:${await hash(user)}`)
    .waitFor();
  const deeds = regionOf(page, "What was done about it");
  await deeds.getByText("remove deny").waitFor();
  expect(await deeds.locator("tbody td:nth-child(3)").allInnerTexts()).toEqual([
    "remove deny",
    "put deny",
  ]);
  expect(await violationsOf(page)).toEqual([]);
  await confirm(page, "Reset");
  await deeds.getByRole("cell", { name: "reset", exact: true }).waitFor();
});

test("a name of the overview has its history without a description, and shows no other client's state", async () => {
  const identity = `x-user-id:${await hash("linked")}`;
  await rideOften(on.stack, "linked", 6);
  const page = await on.open("#/");
  const top = regionOf(page, "Denied most");
  const link = top.getByRole("row").filter({ hasText: "rides" }).getByRole("link");
  await link.filter({ hasText: identity }).click();
  expect(await shownOn(page, "Denied by the ten minutes, at least")).toMatchObject({
    denied: 3,
  });
  expect(await page.getByRole("region", { name: "Explanation" }).count()).toBe(0);
  expect(await page.getByLabel("Path and query").inputValue()).toBe("/rides/x");
  expect(await page.getByLabel("Headers, one in each line").inputValue()).toBe("");
});

test("an unknown partition is reported as such", async () => {
  const page = await on.open("#/partition?partition=ip:Zf3qk9Xr5cW1uYtB7oMh2A");
  await page.getByText("It was not among the clients that are kept, in this time.").waitFor();
  await page.goto(`${on.url}#/partition?path=/elsewhere`);
  await page.getByText("No policy counts this request.").last().waitFor();
  await answerWith(page, "partitions/history?*", { title: "Not Implemented", status: 501 }, 501);
  await page.goto(`${on.url}#/partition?path=/search`);
  await page.getByText("Metrics are off").waitFor();
});

test.each([
  [{ identity: "X-User-Id: 42" }, true],
  [{ identity: "x-user-id:4*" }, true],
  [{ identity: "x-user-id:5*" }, false],
  [{ identity: "x-user-id:421" }, false],
  [{ cidr: "203.0.113.0/24" }, true],
  [{ cidr: "203.0.114.0/24" }, false],
  [{ cidr: "2001:db8::/32" }, false],
  [{ country: "CH" }, false],
  [{ digest: "x-user-id:42" }, true],
  [{ digest: "x-user-id:43" }, false],
  ["x-user-id:42", true],
  ["x-user-id:43", false],
  [{ id: "0123456789abcdef" }, false],
])("an entry for %j is about the client: %s", (after, isAbout) => {
  const whom = { identities: ["x-user-id:42"], ip: "203.0.113.7" };
  const entry = {
    n: 1,
    at: "2031-01-01T09:00:00.000Z",
    by: "admin:01234567",
    action: "put deny",
    changes: [{ type: "added", path: "lists.deny", after }],
  } as const;
  expect(auditEntriesAbout([entry], whom)).toHaveLength(isAbout ? 1 : 0);
});
