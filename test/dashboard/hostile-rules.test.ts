import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { useDashboard } from "./dashboard.ts";
import { editorOf, putText } from "./editor.ts";
import { expectPlain, MARKUP } from "./hostile.ts";

const on = useDashboard();

test("rules with hostile paths are text in every view, and so are notes", async () => {
  const path = "/<svg/onload=document.title='owned'>/\u202Eevil";
  const rule = {
    path,
    partition: ["ip"],
    policies: [{ algorithm: "fixed-window", name: "evil", limit: 1, window: "1h" }],
  };
  const { version, document } = (await (await on.ask("GET", "/rules")).json()) as {
    version: number;
    document: { rules: unknown[] };
  };
  const note = encodeURIComponent("<b>note</b>\u202E");
  const put = await on.ask(
    "PUT",
    `/rules?note=${note}`,
    { rules: [...document.rules, rule] },
    { "if-match": `"${version}"` },
  );
  expect(put.status).toBe(200);
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
    const { version, document } = (await (await on.ask("GET", "/rules")).json()) as {
      version: number;
      document: { lists?: unknown };
    };
    const before = {
      ...document,
      lists: { deny: [{ identity: "x:\u202E<svg/onload=alert(1)>" }] },
    };
    const put = await on.ask("PUT", "/rules", before, { "if-match": `"${version}"` });
    expect(put.status).toBe(200);
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
