import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { editorOf, putText } from "./editor.ts";
import { answerWith, regionOf } from "./visit.ts";

const on = useDashboard();

/** Markup that would run if it were not text. */
const MARKUP = `x-user-id:<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

/** Names that a client may give itself. */
const HOSTILE = [
  MARKUP,
  "x-user-id:line\r\nbreak\u0000\u001B[31mred",
  "x-user-id:\u202Egnp.exe\u2066\u200B",
  `x-user-id:${"long".repeat(2_048)}`,
  "javascript:document.title='owned'",
];

/** Expects no invisible character on the page, and no element that came out of a text. */
async function expectPlain(page: Page): Promise<void> {
  const text = (await page.locator("main").innerText()).replaceAll(/[\n\t]/g, "");
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(await page.title()).toBe("Tidegate");
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}

test.each([1280, 390])("partitions at the top are text, on %i pixels", async (width) => {
  const page = await on.open("#/", {
    top: HOSTILE,
    context: { viewport: { width, height: 800 } },
  });
  const table = regionOf(page, "Denied most");
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
  await regionOf(page, "Blocked").getByText("<img").waitFor();
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
  const deeds = regionOf(page, "What was done about it");
  await deeds.getByText("<img").first().waitFor();
  await expectPlain(page);
});

test.each([1280, 390])("names in a history are text, on %i pixels", async (width) => {
  const page = await on.open("#/rules", { context: { viewport: { width, height: 800 } } });
  await answerWith(page, "partitions/history?*", {
    times: ["2031-01-01T09:00:00.000Z"],
    partitions: HOSTILE.map((name) => ({ policy: name, partition: name, denied: [1], near: [0] })),
  });
  await page.goto(`${on.url}#/partition?partition=x-user-id:42`);
  const history = regionOf(page, "History");
  await history.getByText("(8202 characters)").first().waitFor();
  await expectPlain(page);
});

test.each([
  `#/rules?rule=${encodeURIComponent(MARKUP)}`,
  `#/partition?partition=${encodeURIComponent(MARKUP)}`,
])("a deep link %# shows its values as text", async (hash) => {
  const page = await on.open(hash);
  await page
    .getByText(/That did not work|There is no such rule/)
    .first()
    .waitFor();
  await expectPlain(page);
});

test("rules with hostile paths are text in every view, and so are notes", async () => {
  const path = "/<svg/onload=document.title='owned'>/\u202Eevil";
  const rule = {
    path,
    partition: ["ip"],
    policies: [{ algorithm: "fixed-window", name: "evil", limit: 1, window: "1h" }],
  };
  const { document } = await on.read("/rules");
  const note = encodeURIComponent("<b>note</b>\u202E");
  await on.publish({ rules: [...document.rules, rule] }, `?note=${note}`);
  const page = await on.open("#/rules");
  await page.getByRole("link", { name: "* /<svg" }).click();
  await page.getByRole("heading", { name: "* /<svg" }).waitFor();
  await expectPlain(page);
  await page.getByRole("link", { name: "Edit", exact: true }).first().click();
  await page.getByText("<b>note</b>\\u{202e}").waitFor();
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.locator(".editor .cm-line", { hasText: "\\u{202e}evil" }).waitFor();
  await expectPlainTexts(page);
});

/** The same of the texts of the editor and of the difference. */
async function expectPlainTexts(page: Page): Promise<void> {
  const texts = await page.locator(".cm-content").allInnerTexts();
  expect(texts.join("").replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(
    await page.locator(".cm-content :is(img:not(.cm-widgetBuffer), script, svg)").count(),
  ).toBe(0);
  expect(await page.title()).toBe("Tidegate");
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}

test.each([1280, 390])(
  "a hostile text is edited and compared as text, on %i pixels",
  async (width) => {
    const { document } = await on.read("/rules");
    const before = { deny: [{ identity: "x:\u202E<svg/onload=alert(1)>" }] };
    await on.publish({ ...document, lists: before });
    const page = await on.open("#/edit", { context: { viewport: { width, height: 800 } } });
    await page.getByText("Sound, and the same as in force.").waitFor();
    const deny = ["long".repeat(2_048), MARKUP, "\u001B[31mred\u2066\u200B"].map((identity) => ({
      identity: `x:${identity}`,
    }));
    // As a person types it, and not as JSON would write it.
    const text = JSON.stringify({ ...document, lists: { deny } }, undefined, 2);
    await putText(page, text.replaceAll("\\u001b", "\u001B"));
    await page.locator(".editor .cm-line", { hasText: "\\u{001b}[31mred" }).waitFor();
    const difference = page.getByRole("region", { name: /^Difference/ });
    await difference.scrollIntoViewIfNeeded();
    await difference.getByText("x:\\u{202e}<svg/onload=alert(1)>").first().waitFor();
    // Only the visible part of a long text is drawn.
    await expect
      .poll(async () => {
        await difference.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return difference.getByText("x:\\u{001b}[31mred\\u{2066}\\u{200b}").count();
      })
      .toBe(1);
    await page.getByText(/^\d+ faults?$/).waitFor();
    await expectPlainTexts(page);
  },
);
