import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { expectPlain, HOSTILE, MARKUP } from "./hostile.ts";

const on = useDashboard();

test.each([1280, 390])("partitions at the top are text, on %i pixels", async (width) => {
  const page = await on.open("#/", {
    top: HOSTILE,
    context: { viewport: { width, height: 800 } },
  });
  const table = page.getByRole("region", { name: "Denied most", exact: true });
  await table.getByText("<img src=x onerror").waitFor();
  await table.getByText("line\\u{000d}\\u{000a}break\\u{0000}\\u{001b}[31mred").waitFor();
  await table.getByText("\\u{202e}gnp.exe\\u{2066}\\u{200b}").waitFor();
  await table.getByText("(8202 characters)").waitFor();
  const links = await table
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")!.slice(0, 12)));
  expect(new Set(links)).toEqual(new Set(["#/partition?"]));
  await expectPlain(page);
});

test.each(HOSTILE)("a deep link to partition %# shows text", async (partition) => {
  const page = await on.open(`#/partition?partition=${encodeURIComponent(partition)}`);
  await page.getByText("From the overview").waitFor();
  await expectPlain(page);
});

test("the name that a client gives itself is explained, listed and audited as text", async () => {
  const name = MARKUP.slice("x-user-id:".length);
  const entry = { identity: MARKUP, for: "1h" };
  expect((await on.ask("PUT", "/lists/deny", entry)).status).toBe(200);
  const page = await on.open("#/lists");
  await page.getByRole("region", { name: "Blocked", exact: true }).getByText("<img").waitFor();
  await expectPlain(page);
  await page.getByRole("link", { name: "Audit" }).click();
  await page.locator("td summary").first().click();
  await page.getByText("<img").first().waitFor();
  await expectPlain(page);
  await page.getByRole("link", { name: "Client" }).click();
  await page.getByLabel("Method").selectOption("POST");
  await page.getByLabel("Path and query").fill("/rides/1");
  await page.getByLabel("Headers, one in each line").fill(`x-user-id: ${name}`);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("region", { name: "Explanation" }).waitFor();
  const deeds = page.getByRole("region", { name: "What was done about it", exact: true });
  await deeds.getByText("<img").first().waitFor();
  await expectPlain(page);
});

test.each([1280, 390])(
  "names in a what-if and in a history are text, on %i pixels",
  async (width) => {
    const unknown = { sampled: 1, estimate: null, low: null, high: null };
    const page = await on.open("#/rules", { context: { viewport: { width, height: 800 } } });
    await page.route("**/api/v1/what-if", (route) =>
      route.fulfill({
        json: {
          policy: "rides",
          from: "2031-01-01T09:00:00.000Z",
          to: "2031-01-01T10:00:00.000Z",
          oneIn: 64,
          partitions: 12,
          otherNumbers: 0,
          tooFew: false,
          agreement: 1,
          requests: 12,
          deniedBefore: 1,
          deniedAfter: unknown,
          partitionsAffected: unknown,
          affected: HOSTILE.map((partition) => ({
            partition,
            number: "<b>9</b>",
            requests: 1,
            deniedBefore: 0,
            deniedAfter: 1,
          })),
        },
      }),
    );
    await page.route("**/api/v1/partitions/history?*", (route) =>
      route.fulfill({
        json: {
          times: ["2031-01-01T09:00:00.000Z"],
          minutes: ["2031-01-01T09:00:00.000Z"],
          partitions: HOSTILE.map((partition) => ({
            policy: partition,
            partition,
            number: null,
            isSampled: true,
            denied: [1],
            near: [0],
            requests: { allowed: [1], denied: [0], deniedByOthers: [0] },
          })),
        },
      }),
    );
    await page.goto(`${on.url}#/rules/0?policy=rides&limit=1`);
    const answer = page.getByRole("group", { name: "Answer" });
    await answer.getByText("<img src=x onerror").waitFor();
    const links = await answer
      .getByRole("row")
      .getByRole("link")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")!.slice(0, 12)));
    expect(new Set(links)).toEqual(new Set(["#/partition?"]));
    await expectPlain(page);
    await answer.getByRole("row").getByRole("link").nth(3).click();
    const history = page.getByRole("region", { name: "History", exact: true });
    await history.getByText("(8202 characters)").first().waitFor();
    await expectPlain(page);
  },
);

test.each([
  `#/rules/0?policy=rides&limit=${encodeURIComponent(MARKUP)}`,
  `#/rules?rule=${encodeURIComponent(MARKUP)}`,
  `#/partition?number=${encodeURIComponent(MARKUP)}`,
])("a deep link %# shows its values as text", async (hash) => {
  const page = await on.open(hash);
  await page
    .getByText(/That did not work|There is no such rule/)
    .first()
    .waitFor();
  await expectPlain(page);
});
