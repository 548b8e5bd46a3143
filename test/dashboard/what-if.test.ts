import { Redis } from "ioredis";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { violationsOf } from "./axe.ts";
import { READ_TOKEN, useDashboard } from "./dashboard.ts";
import { rideOften } from "./rides.ts";
import { sampledUsers, unsampledUsers } from "./sampled-users.ts";
import { answerWith, regionOf } from "./visit.ts";

const on = useDashboard();

// A stack tries each worker with a request of a client of its own, which is in the sample in one stack of 64.
beforeAll(async () => {
  const asked = { policy: "rides", numbers: { limit: 2 }, minutes: 60 };
  // It writes the worker's counts.
  expect((await on.ask("POST", "/what-if", asked)).status).toBe(200);
  const redis = new Redis(on.stack.redis!, { disableClientInfo: true });
  const traces = await redis.keys("tg:{#metrics}:trace:*");
  if (traces.length > 0) await redis.del(traces);
  redis.disconnect();
});

const cardOf = (page: Page) => regionOf(page, "What if");
const answerOf = (page: Page) => cardOf(page).getByRole("group", { name: "Answer" });

/** Asks the form for another limit. */
async function replay(page: Page, limit: string): Promise<void> {
  await cardOf(page).getByLabel("Limit").fill(limit);
  await cardOf(page).getByRole("button", { name: "Replay" }).click();
}

test("a policy that was not asked has no trace, and few partitions are too few samples", async () => {
  const { document } = await on.read("/rules");
  const quiet = {
    path: "/quiet",
    partition: ["ip"],
    policies: [
      { algorithm: "token-bucket", name: "quiet", limit: 20, refill: 10, per: "1s" },
      { algorithm: "fixed-window", name: "strikes", limit: 9, window: "1h", counts: "denials" },
    ],
  };
  await on.publish({ rules: [...document.rules, quiet] });
  const page = await on.open("#/rules/2");
  await cardOf(page).getByText("now 20").waitFor();
  expect(await cardOf(page).getByLabel("Policy").locator("option").allInnerTexts()).toEqual([
    "quiet",
  ]);
  await cardOf(page).getByRole("button", { name: "Replay" }).click();
  await cardOf(page).getByText("These are the numbers of now").waitFor();
  await cardOf(page).getByLabel("Limit, which is the burst").fill("5");
  await cardOf(page).getByRole("button", { name: "Replay" }).click();
  await answerOf(page).getByText("No trace yet").waitFor();

  const [first] = await sampledUsers(on.stack, 1);
  await rideOften(on.stack, first!.user, 4);
  await page.goto(`${on.url}#/rules/0`);
  await page.getByRole("heading", { name: "POST /rides/*" }).waitFor();
  await replay(page, "1");
  await answerOf(page).getByText("Too few samples").waitFor();
  await answerOf(page).getByText("In the sample 2 more would have been denied.").waitFor();
  await answerOf(page)
    .getByText("1 of the 1 client in the sample would have been treated differently.")
    .waitFor();
  await answerOf(page).getByText("between 2.5 % and 100 % of all clients").waitFor();
  await answerOf(page)
    .getByText("Only 1 of the clients that were here is in the sample, which has 1 in 64.")
    .waitFor();
});

test("the denials under another limit are shown with their interval, and with the clients that would notice", async () => {
  const users = await sampledUsers(on.stack, 14);
  for (const { user } of users) await rideOften(on.stack, user, 5);
  // Users outside the sample: an estimate is never above the count.
  const others = await unsampledUsers(on.stack, 800);
  for (let at = 0; at < others.length; at += 25) {
    await Promise.all(others.slice(at, at + 25).map(({ user }) => rideOften(on.stack, user, 1)));
  }
  const page = await on.open("#/rules/0");
  await replay(page, "2");
  const answer = answerOf(page);
  await answer.locator(".then").waitFor();
  const asked = { policy: "rides", numbers: { limit: 2 }, minutes: 60 };
  const told = (await (await on.ask("POST", "/what-if", asked)).json()) as {
    requests: number;
    deniedBefore: number;
    deniedAfter: { estimate: number; low: number; high: number };
    affected: Record<"requests" | "deniedBefore" | "deniedAfter", number>[];
  };
  const { estimate, low, high } = told.deniedAfter;
  expect(low).toBeLessThan(high);
  await answer
    .getByText(`asked about ${told.requests} requests, and ${told.deniedBefore} of them`)
    .waitFor();
  await answer.getByText(`With these numbers about ${estimate} would have been denied`).waitFor();
  await answer.getByText(`the true number lies between ${low} and ${high}.`).waitFor();
  await answer.getByText("This is an estimate from 14 clients, 1 in 64 of all.").waitFor();

  expect(await violationsOf(page)).toEqual([]);
  const rows = answer.locator("tbody tr").filter({ has: page.getByRole("link") });
  expect(await rows.count()).toBe(14);
  const cells = await rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll(".number")].map(({ textContent }) => textContent)),
  );
  expect(cells).toEqual(
    told.affected.map(({ requests, deniedBefore, deniedAfter }) =>
      [requests, deniedBefore, deniedAfter].map(String),
    ),
  );
  const most = Math.max(high, told.deniedBefore);
  const widths = await answer
    .locator(".compared .bar, .compared .interval")
    .evaluateAll((all) =>
      all.map(({ style }) => [style.left || "0%", style.width].map(Number.parseFloat)),
    );
  const shares = [
    [0, told.deniedBefore],
    [0, estimate],
    [low, high - low],
  ].map((values) => values.map((value) => expect.closeTo((100 * value) / most, 1)));
  expect(widths).toEqual(shares);
  const names = await rows.getByRole("link").allInnerTexts();
  expect(names.toSorted()).toEqual(users.map(({ identity }) => identity).toSorted());
  await rows.getByRole("link").first().click();
  await page.getByRole("heading", { name: "Client", exact: true, level: 1 }).waitFor();
  expect(page.url()).toContain(`partition=${encodeURIComponent(names[0]!)}`);

  await page.goBack();
  await answer.locator(".then").waitFor();
  await answer.getByRole("link", { name: "Edit this rule" }).click();
  await page.getByRole("heading", { name: "Edit the rules" }).waitFor();
  expect(page.url()).toContain(encodeURIComponent("rules[0].policies[0].limit"));
});

test("a link has the form's values, and a token that reads may replay", async () => {
  const page = await on.open("#/rules/0?policy=rides&limit=1&window=2h&minutes=30", {
    token: READ_TOKEN,
  });
  await answerOf(page).getByText("In the last 30 minutes this policy was asked").waitFor();
  expect(await cardOf(page).getByLabel("Limit").inputValue()).toBe("1");
  expect(await cardOf(page).getByLabel("Window").inputValue()).toBe("2h");
  const sent = page.waitForRequest("**/api/v1/what-if");
  await replay(page, "4");
  expect((await sent).postDataJSON()).toEqual({
    policy: "rides",
    numbers: { limit: 4, window: "2h" },
    minutes: 30,
  });
  await page.waitForURL("**/#/rules/0?policy=rides&limit=4&window=2h&minutes=30");
});

test("faults in the numbers are said, and so are no metrics, no permission and no answer", async () => {
  const page = await on.open("#/rules/0");
  await replay(page, "none");
  await cardOf(page).getByText("numbers.limit").waitFor();
  await replay(page, "0");
  await cardOf(page).getByText("found: 0").waitFor();
  for (const [status, text] of [
    [501, "There is no trace"],
    [403, "Your token may not do this"],
    [503, "Redis does not answer"],
  ] as const) {
    await answerWith(page, "what-if", { title: "refused", status }, status);
    await replay(page, `1${status}`);
    await cardOf(page).getByText(text).waitFor();
    await page.unroute("**/api/v1/what-if");
  }
  await cardOf(page).getByRole("button", { name: "Try again" }).click();
  await answerOf(page).waitFor();
});

test("an alert's link finds the rule by its label, and by a policy", async () => {
  const page = await on.open(`#/rules?rule=${encodeURIComponent("POST /rides/*")}`);
  await page.getByRole("heading", { name: "POST /rides/*" }).waitFor();
  await page.goto(`${on.url}#/rules?policy=search`);
  await page.getByRole("heading", { name: "* /search" }).waitFor();
  await page.goto(`${on.url}#/rules?rule=gone`);
  await page.getByText("There is no such rule").waitFor();
});
