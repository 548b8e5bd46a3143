import { expect, test } from "vitest";

import { RULES, useDashboard } from "./dashboard.ts";
import { putText } from "./editor.ts";

const on = useDashboard();

const CHANGED = JSON.stringify({ rules: RULES }, undefined, 2).replace(
  '"limit": 30',
  '"limit": 31',
);

test("the difference is side by side, without the equal parts", async () => {
  const page = await on.open("#/edit");
  await page.getByText("There is no difference.").waitFor();
  await putText(page, CHANGED);
  const difference = page.getByRole("region", { name: "Difference to version 0" });
  const linesOf = (side: string) =>
    difference.locator(`.cm-merge-${side} .cm-changedLine`).allInnerTexts();
  await expect.poll(() => linesOf("a")).toEqual(['          "limit": 30,']);
  expect(await linesOf("b")).toEqual(['          "limit": 31,']);
  await difference.scrollIntoViewIfNeeded();
  const collapsed = ["24 unchanged lines", "4 unchanged lines"];
  await expect
    .poll(() => difference.locator(".cm-collapsedLines").allInnerTexts())
    .toEqual([...collapsed, ...collapsed]);
  const [left, right] = await Promise.all(
    ["a", "b"].map((side) => difference.locator(`.cm-merge-${side}`).boundingBox()),
  );
  expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x);
});

test("the difference shows the equal parts by the keyboard, too, on both sides", async () => {
  const page = await on.open("#/edit");
  await putText(page, CHANGED);
  const difference = page.getByRole("region", { name: "Difference to version 0" });
  const hidden = difference.locator(".cm-merge-b").getByRole("button");
  expect(await hidden.first().innerText()).toBe("24 unchanged lines");
  await hidden.first().focus();
  await page.keyboard.press("Enter");
  await expect
    .poll(() => difference.locator(".cm-collapsedLines").allInnerTexts())
    .toEqual(["4 unchanged lines", "4 unchanged lines"]);
});

test("the difference is one column on a phone, and follows the width", async () => {
  const page = await on.open("#/edit", { context: { viewport: { width: 390, height: 844 } } });
  await putText(page, CHANGED);
  const difference = page.getByRole("region", { name: "Difference to version 0" });
  await expect
    .poll(() => difference.locator(".cm-deletedLine, .cm-changedLine").allInnerTexts())
    .toEqual(['          "limit": 30,', '          "limit": 31,']);
  expect(await difference.locator(".cm-mergeView").count()).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await difference.locator(".cm-mergeView").waitFor();
  expect(await difference.locator(".cm-deletedChunk").count()).toBe(0);
});
