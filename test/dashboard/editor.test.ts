import { describe, expect, test } from "vitest";

import { violationsOf } from "./axe.ts";
import { READ_TOKEN, RULES, useDashboard } from "./dashboard.ts";
import { editorOf, goBehind, putText } from "./editor.ts";
import { regionOf } from "./visit.ts";

const on = useDashboard();

const TEXT = JSON.stringify({ rules: RULES }, undefined, 2);

test("the first view does not load the editor", async () => {
  const page = await on.open("#/");
  const scripts = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => /([a-z-]+)-\w+\.js$/.exec(name)?.[1])
        .filter((name) => name !== undefined),
    );
  await page.getByText("Redis answers").waitFor();
  expect(new Set(await scripts())).toEqual(new Set(["dashboard", "chunk"]));
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await editorOf(page).waitFor();
  expect(await scripts()).toContain("edit-view");
});

test("an editor that cannot be loaded says so, and the rest works", async () => {
  const page = await on.open("#/");
  await page.route("**/assets/edit-view-*.js", (route) => route.abort());
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByText("The editor did not load").waitFor();
  await page.getByRole("link", { name: "Rules", exact: true }).click();
  await regionOf(page, "Rules in force").waitFor();
});

test("names and values of the schema are proposed, with their meanings", async () => {
  const page = await on.open("#/edit");
  await putText(page, TEXT);
  await goBehind(page, TEXT, '"name": "rides",');
  await page.keyboard.type('\n"m');
  const list = page.getByRole("listbox", { name: "Completions" });
  await expect.poll(() => list.getByRole("option").allInnerTexts()).toContain("mode");
  await page.keyboard.type("ode");
  await page.getByText("decides and counts, but never denies").waitFor();
  await list.getByRole("option", { name: "mode" }).click();
  const line = editorOf(page).locator(".cm-activeLine");
  await expect.poll(() => line.innerText()).toMatch(/^ *"mode": ,$/);
  await expect
    .poll(() => list.getByRole("option").allInnerTexts())
    .toEqual(['"enforce"', '"shadow"', '"soft"']);
  await page.keyboard.type('"sh');
  await expect.poll(() => list.getByRole("option").allInnerTexts()).toEqual(['"shadow"']);
  await list.getByRole("option").click();
  await expect.poll(() => line.innerText()).toMatch(/^ *"mode": "shadow",$/);
  await page.getByText("Sound: 1 change.").waitFor();
});

test("a name that has a sign of templates in it is put as it is", async () => {
  const page = await on.open("#/edit");
  await putText(page, TEXT);
  await goBehind(page, TEXT, "{");
  await page.keyboard.type('\n"sch');
  await page.getByRole("option", { name: "$schema" }).click();
  const line = editorOf(page).locator(".cm-activeLine");
  await expect.poll(() => line.innerText()).toBe('  "$schema": "",');
});

test("a pointer on a name shows its description in the schema", async () => {
  const page = await on.open("#/edit");
  await page.getByText("Sound, and the same as in force.").waitFor();
  await editorOf(page).getByText('"refill"').hover();
  await page.locator(".cm-described", { hasText: "Units that come back every" }).waitFor();
});

test("lines with a fault are marked, until it is gone", async () => {
  const page = await on.open("#/edit");
  const field = editorOf(page);
  await putText(page, TEXT.replace('"limit": 30', '"limit": 0'));
  await expect
    .poll(() => page.locator(".cm-faulty").allInnerTexts())
    .toEqual(['          "limit": 0,']);
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator(".cm-faults").innerText()).toContain("●");
  await page.getByRole("button", { name: /^Line \d+$/ }).click();
  const line = field.locator(".cm-activeLine");
  await expect.poll(() => line.innerText()).toBe('          "limit": 0,');
  await putText(page, TEXT);
  await expect.poll(() => page.locator(".cm-faulty").count()).toBe(0);
  expect(await field.getAttribute("aria-invalid")).toBe("false");
});

test("Tab leaves the text as it is, and goes on", async () => {
  const page = await on.open("#/edit");
  await page.getByText("Sound, and the same as in force.").waitFor();
  await editorOf(page).focus();
  await page.keyboard.press("Tab");
  await expect
    .poll(() => page.evaluate("document.activeElement.textContent"))
    .toBe("Back to what is in force");
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("editor");
  await page.getByText("Sound, and the same as in force.").waitFor();
});

test("Ctrl-F finds text that is not drawn", async () => {
  const page = await on.open("#/edit");
  const lines = Array.from({ length: 500 }, (_, i) => `"rule ${i}"`);
  await putText(page, `[\n${lines.join(",\n")}\n]`);
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("ControlOrMeta+f");
  await page.getByRole("textbox", { name: "Find" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("rule 444");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => editorOf(page).locator(".cm-searchMatch-selected").allInnerTexts())
    .toEqual(["rule 444"]);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Find" }).waitFor({ state: "detached" });
});

test("a screen reader hears its kind and its use", async () => {
  const page = await on.open("#/edit", { token: READ_TOKEN });
  const field = editorOf(page);
  await page.getByText("Sound, and the same as in force.").waitFor();
  const described = await field.evaluate((element: HTMLElement) => {
    const id = element.getAttribute("aria-describedby")!;
    return (element.getRootNode() as ShadowRoot).getElementById(id)!.textContent;
  });
  expect(described).toBe(
    "Ctrl-Space proposes names and values. Tab leaves the text; its check follows.",
  );
  expect(await field.getAttribute("aria-readonly")).toBe("true");
  await field.focus();
  await page.keyboard.type("x");
  await page.getByText("Sound, and the same as in force.").waitFor();
  expect(await field.locator(".cm-line").first().innerText()).toBe("{");
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([1280, 390])(
    "axe finds nothing in faults, proposals and a difference on %i pixels",
    async (width) => {
      const page = await on.open("#/edit", {
        context: { colorScheme, viewport: { width, height: 800 } },
      });
      const text = TEXT.replace('"limit": 30', '"limit": 0');
      await putText(page, text);
      await page.locator(".cm-faulty").waitFor();
      await page.locator(".difference .cm-changedLine").first().waitFor();
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Control+Space");
      await page.getByRole("listbox", { name: "Completions" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    },
  );
});

test("its styles are none that the page's policy forbids", async () => {
  const page = await on.open("#/edit");
  await putText(page, TEXT.replace('"limit": 30', '"limit": 31'));
  await page.locator(".difference .cm-changedLine").first().waitFor();
  const styles = await page.evaluate(() => ({
    elements: document.querySelectorAll("style, [style*=';']").length,
    adopted: document.querySelector(".editor")!.shadowRoot!.adoptedStyleSheets.length,
    gutter: getComputedStyle(
      document.querySelector(".editor")!.shadowRoot!.querySelector(".cm-gutters")!,
    ).backgroundColor,
  }));
  expect(styles).toEqual({ elements: 0, adopted: 1, gutter: "rgb(238, 243, 244)" });
});
