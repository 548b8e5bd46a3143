import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { ride, rideOften } from "./rides.ts";
import { confirm } from "./visit.ts";

const on = useDashboard();

/** How long an entry lasts. */
async function hoursOf(path: string, identity: string): Promise<number> {
  const { entries } = (await on.read(path)) as {
    readonly entries: readonly Record<"identity" | "at" | "until", string>[];
  };
  const { at, until } = entries.find((entry) => entry.identity === identity)!;
  return Math.round((Date.parse(until) - Date.parse(at)) / 3_600_000);
}

test("a client is blocked, which its list shows, and let in again", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:spammer");
  await confirm(page, "Block for 24h: x-user-id:spammer", "Block for 24h");
  await page.getByRole("heading", { name: "Refused: a list blocks the client" }).waitFor();
  expect(await ride(on.stack, "spammer")).toBe(403);
  expect(await hoursOf("/lists/deny", "x-user-id:spammer")).toBe(24);
  await page.getByRole("link", { name: "Lists" }).click();
  await confirm(page, "Remove x-user-id:spammer", "Remove");
  await page.getByRole("status").getByText("Removed: x-user-id:spammer").waitFor();
  expect(await ride(on.stack, "spammer")).toBe(200);
});

test("the entry that blocks a client is shown with its end, taken away, and put back as it was", async () => {
  const until = new Date(Date.now() + 7_200_000).toISOString();
  await on.ask("PUT", "/lists/deny", { cidr: "198.51.100.0/24", until });
  const page = await on.open("#/partition?method=POST&path=/rides/7&ip=198.51.100.77");
  const naming = page.getByRole("group", { name: "Entries that block it" });
  await expect.poll(() => naming.locator("code").allInnerTexts()).toEqual(["198.51.100.0/24"]);
  await naming.getByText(/^until /).waitFor();
  // No policy explains it, but its earlier counts can be reset all the same.
  const about = page.getByRole("group", { name: "About this client" });
  expect(await about.getByRole("button", { name: "Reset" }).isEnabled()).toBe(true);
  await naming.getByRole("button", { name: "Remove 198.51.100.0/24" }).click();
  await page.getByRole("dialog").getByText("Every client that it names").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Not blocked any more: 198.51.100.0/24").waitFor();
  await naming.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Blocked again: 198.51.100.0/24").waitFor();
  await naming.waitFor();
  expect((await on.read("/lists/deny")).entries).toContainEqual(
    expect.objectContaining({ cidr: "198.51.100.0/24", until }),
  );
});

test("the entry that exempts a client is shown, and taken off its own list", async () => {
  await on.ask("PUT", "/lists/allow", { identity: "x-user-id:friend" });
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:friend");
  const naming = page.getByRole("group", { name: "Entries that exempt it" });
  await naming.getByText("without an end").waitFor();
  await confirm(naming, "Remove x-user-id:friend", "Remove");
  await page.getByText("Not exempt any more: x-user-id:friend").waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  expect(await on.read("/lists/allow")).toMatchObject({ entries: [] });
});

test("what could not be taken back is said, and a button that is busy is pressed once", async () => {
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:stuck");
  let puts = 0;
  await page.route("**/api/v1/lists/deny", async (route) => {
    if (route.request().method() === "PUT") puts++;
    await route.continue();
  });
  await page.getByRole("button", { name: "Block for 1h: x-user-id:stuck" }).click();
  const press = page.getByRole("dialog").getByRole("button", { name: "Block for 1h" });
  await press.evaluate((button: HTMLButtonElement) => {
    button.click();
    return new Promise((resolve) => setTimeout(resolve)).then(() => button.click());
  });
  await page.getByRole("button", { name: "Undo" }).waitFor();
  expect(puts).toBe(1);

  await page.route("**/api/v1/lists/deny?id=*", (route) => route.abort());
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Still blocked: The gateway did not answer.").waitFor();
  await page.unroute("**/api/v1/lists/deny?id=*");
  await page.getByRole("button", { name: "Unblock: x-user-id:stuck" }).click();
  await page.route("**/api/v1/lists/deny", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("It was not put back: The gateway did not answer.").waitFor();
  expect(await ride(on.stack, "stuck")).toBe(200);
});

test("a credential of a described request stays out of the address", async () => {
  const page = await on.open("#/partition");
  await page.getByLabel("Path and query").fill("/search");
  await page.getByLabel("Headers, one in each line").fill("x-user-id: 1\nAuthorization: s3cret");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.waitForURL("**/#/partition?*x-user-id*");
  expect(page.url()).not.toContain("s3cret");
});

test("an explanation has the digest of an address beside it", async () => {
  const page = await on.open("#/partition?method=GET&path=/search&ip=203.0.113.7");
  const row = page.getByRole("row").filter({ hasText: "search" });
  const said = "ip:203.0.113.7 digest ip:_sUlZaoM8Y9X189bOscoUD";
  await row.getByRole("cell", { name: said }).waitFor();
});

test("an override gives one client another limit, and a reset gives back its used units", async () => {
  await rideOften(on.stack, "vip", 3);
  expect(await ride(on.stack, "vip")).toBe(429);
  const page = await on.open("#/partition?method=POST&path=/rides/7&headers=x-user-id:vip");
  await page.getByRole("button", { name: "Override: x-user-id:vip" }).click();
  await page.getByRole("dialog").getByLabel("Limit").fill("4");
  await page.getByRole("button", { name: "Put the override" }).click();
  await page.getByText("override x-user-id:vip").waitFor();
  expect(await hoursOf("/overrides", "x-user-id:vip")).toBe(24);
  expect([await ride(on.stack, "vip"), await ride(on.stack, "vip")]).toEqual([200, 429]);
  await confirm(page, "Reset");
  await page.getByText("What was counted of this client is forgotten.").waitFor();
  await page.getByRole("heading", { name: "Passes: every policy has room" }).waitFor();
  expect(await ride(on.stack, "vip")).toBe(200);
});

test("a budget of a month shows its remaining units, and its end by the clocks of its zone", async () => {
  const { document } = await on.read("/rules");
  const budget = { name: "budget", limit: 5_000, window: "month", timeZone: "Pacific/Kiritimati" };
  const rule = {
    path: "/paid",
    partition: ["header:x-user-id"],
    cost: 1_200,
    policies: [
      { algorithm: "fixed-window", ...budget, anchor: 15 },
      { algorithm: "fixed-window", name: "tight", limit: 9, window: "1h", mode: "shadow" },
    ],
  };
  await on.publish({ ...document, rules: [...document.rules, rule] });
  const headers = { "x-user-id": "buyer" };
  await expect
    .poll(async () =>
      (await fetch(`${on.stack.workers[0]}/paid`, { headers })).headers.get("ratelimit"),
    )
    .toMatch(/"budget";r=3800;/);

  const page = await on.open("#/partition?method=GET&path=/paid&headers=x-user-id:buyer");
  const row = page.getByRole("row").filter({ hasText: "budget" });
  // A cost above the limit fits at no time.
  await page.getByRole("row").filter({ hasText: "tight" }).getByText("never").waitFor();
  const cells = () => row.getByRole("cell").allInnerTexts();
  await expect.poll(async () => (await cells()).slice(2, 4)).toEqual(["3,800", "5,000"]);
  expect(
    await row.getByRole("meter").evaluate((meter: HTMLMeterElement) => [meter.value, meter.max]),
  ).toEqual([1_200, 5_000]);
  expect((await cells())[6]).toMatch(/^15 \w+ \d{4}, 00:00, Pacific\/Kiritimati$/);
  await page.goto(`${on.url}#/rules/${document.rules.length}`);
  await page.getByText("5,000 every month, from day 15, Pacific/Kiritimati").waitFor();
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

test("a late answer about one client does not show as that of another", async () => {
  const page = await on.open("#/");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/v1/explain", async (route) => {
    if (route.request().postData()!.includes("slow")) await released;
    await route.continue();
  });
  await page.goto(`${on.url}#/partition?method=POST&path=/rides/7&headers=x-user-id:slow`);
  await page.getByLabel("Headers, one in each line").fill("x-user-id: quick");
  await page.getByRole("button", { name: "Explain" }).click();
  const explained = page.getByRole("region", { name: "Explanation" });
  await explained.getByRole("button", { name: "Block for 1h: x-user-id:quick" }).waitFor();
  const late = page.waitForResponse(
    (response) => response.request().postData()?.includes("slow") === true,
  );
  release();
  await (await late).finished();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(await explained.innerText()).not.toContain("slow");
});
