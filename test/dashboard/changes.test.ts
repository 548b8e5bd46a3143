import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { lowContrastsOf } from "./axe.ts";
import { RULES, useDashboard } from "./dashboard.ts";
import { editorOf, putText } from "./editor.ts";
import { ride, rideOften } from "./rides.ts";
import { answerWith } from "./visit.ts";

const on = useDashboard();

interface Found {
  readonly version: number;
  readonly document: { readonly rules: typeof RULES };
}

const TEXT = JSON.stringify({ rules: RULES }, undefined, 2);

/** The tick of the page comes later than the changes for which these tests wait. */
const AT_ONCE = { timeout: 4_000 };

const shown = (page: Page) => editorOf(page).innerText();

test("edits survive a change of view and a reload, until they are discarded", async () => {
  const page = await on.open("#/edit");
  await putText(page, TEXT.replace('"limit": 30', '"limit": 77'));
  await page.getByText("Sound: 1 change.").waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Denied most", exact: true }).waitFor();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByText("Sound: 1 change.").waitFor();
  expect(await shown(page)).toContain('"limit": 77');
  await page.reload();
  await page.getByText("with edits that are neither a draft nor published").waitFor();
  expect(await shown(page)).toContain('"limit": 77');
  await page.getByRole("button", { name: "Discard them" }).click();
  await page.getByText("Sound, and the same as in force.").waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByText("Sound, and the same as in force.").waitFor();
  expect(await shown(page)).not.toContain('"limit": 77');
});

test("a change that lets the counts of an unnamed policy begin anew is said before it is published", async () => {
  const page = await on.open("#/edit");
  await answerWith(page, "rules?dry-run", {
    version: 0,
    changes: [{ type: "changed", path: "rules[1].policies[0].limit", before: 30, after: 20 }],
    countsAnew: ["rules[1].policies[0]"],
    dryRun: true,
  });
  await putText(page, TEXT.replace('"limit": 30', '"limit": 20'));
  const line = page.getByText("rules[1].policies[0] is unnamed: its counts begin anew.");
  await line.waitFor(AT_ONCE);
});

test("after a publication and a roll back text, version and history are new at once", async () => {
  const page = await on.open("#/edit");
  await page.getByText("as deployed").first().waitFor();
  await putText(page, TEXT.replace('"limit": 30', '"limit": 40'));
  await page.getByText("Sound: 1 change.").waitFor();
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.getByRole("dialog").getByLabel("Note for the history").fill("forty");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByRole("cell", { name: "forty" }).waitFor(AT_ONCE);
  await page.locator(".facts").getByText("version 1").waitFor(AT_ONCE);
  await page.getByText("Sound, and the same as in force.").waitFor(AT_ONCE);
  expect(await page.getByText("was published since").count()).toBe(0);

  await page.getByRole("button", { name: "Roll back to version 0" }).click();
  const dialog = page.getByRole("dialog");
  await expect
    .poll(async () => [
      await dialog.locator("del").allInnerTexts(),
      await dialog.locator("ins").allInnerTexts(),
    ])
    .toEqual([["40"], ["30"]]);
  await dialog.getByLabel("Note for the history").fill("as before");
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await page.getByRole("cell", { name: "as before" }).waitFor(AT_ONCE);
  await page.locator(".facts").getByText("version 2").waitFor(AT_ONCE);
  await page
    .locator(".facts")
    .getByText(/^published \d+ \w+ \d{4}, [\d:]+$/)
    .waitFor();
  await expect.poll(() => shown(page), AT_ONCE).toContain('"limit": 30');
  expect(await page.getByText("was published since").count()).toBe(0);
});

test("a draft of older rules is published only once it was based on the newer ones", async () => {
  const { version, document } = (await on.read("/rules")) as Found;
  const fields = { "if-match": `"${version}"` };
  const withLimit = (limit: number) => {
    const changed = structuredClone(document);
    changed.rules[1]!.policies[0]!.limit = limit;
    return changed;
  };
  expect((await on.ask("PUT", "/rules/draft", withLimit(91), fields)).status).toBeLessThan(300);
  await on.publish(withLimit(92), "?note=somebody%20else");
  const page = await on.open("#/edit");
  await page.getByText("Sound: 1 change.").waitFor();
  await page.getByText(`based on version ${version}`).waitFor();
  const buttons = ["Save draft", "Publish…"].map((name) => page.getByRole("button", { name }));
  const areDisabled = () => Promise.all(buttons.map((button) => button.isDisabled()));
  expect(await areDisabled()).toEqual([true, true]);
  await page.getByRole("button", { name: `Base this on version ${version + 1}` }).click();
  await expect.poll(areDisabled).toEqual([false, false]);

  // A refusal is shown, and the text stays.
  await answerWith(page, "rules/draft", { title: "Forbidden", status: 403 }, 403);
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByRole("alert").getByText("Your token may not do this").first().waitFor();
  await page.unroute("**/api/v1/rules/draft");
  expect(await shown(page)).toContain('"limit": 91');
  await page.getByRole("button", { name: "Back to what is in force" }).click();
  await page.getByText("Sound, and the same as in force.").waitFor();
  expect(await shown(page)).toContain('"limit": 92');
});

test("a check that gets no answer says so", async () => {
  const page = await on.open("#/edit");
  await page.getByText(/^Sound/).waitFor();
  await page.route("**/api/v1/rules?dry-run", (route) => route.abort());
  await putText(page, TEXT.replace('"limit": 30', '"limit": 99'));
  await page.locator("#check", { hasText: "The gateway did not answer." }).waitFor();
  expect(await page.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
});

test("a limit is changed in a form, and back by Undo; the rest of the rules stays", async () => {
  await rideOften(on.stack, "form", 3);
  expect(await ride(on.stack, "form")).toBe(429);
  const before = (await on.read("/rules")) as Found;
  const page = await on.open("#/rules/0");
  await page.getByRole("button", { name: "Change the limit of rides" }).click();
  await page.getByRole("dialog").getByLabel("Limit").fill("4");
  await page.getByRole("dialog").getByLabel("Note for the history").fill("four & more");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText(/The limit of rides is 4, in version \d+\./).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await lowContrastsOf(page)).toEqual([]);
  }
  await page.getByText("4 every 1h").waitFor(AT_ONCE);
  expect((await on.read("/rules/history")).versions[0].note).toBe("four & more");
  expect([await ride(on.stack, "form"), await ride(on.stack, "form")]).toEqual([200, 429]);
  expect((await on.read("/rules")).document.rules[1]).toEqual(before.document.rules[1]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The limit of rides is 3 again.").waitFor();
  await page.getByText("3 every 1h").waitFor(AT_ONCE);
  expect((await on.read("/rules")).document).toEqual(before.document);
});

test("a publication by another user stops the form, Undo and a roll back", async () => {
  const limits = async () =>
    ((await on.read("/rules")) as Found).document.rules.map(({ policies }) => policies[0]!.limit);
  const publish = async (limit: number) => {
    const { document } = (await on.read("/rules")) as Found;
    document.rules[1]!.policies[0]!.limit = limit;
    await on.publish(document);
  };
  const page = await on.open("#/rules/0");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Change the limit of rides" }).click();
  await publish(55);
  await dialog.getByLabel("Limit").fill("9");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.getByText("Somebody else published").waitFor();
  expect(await limits()).toEqual([3, 55]);

  await page.reload();
  await page.getByRole("button", { name: "Change the limit of rides" }).click();
  await dialog.getByLabel("Limit").fill("7");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await publish(56);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The limit was not taken back: Version").waitFor();
  expect(await limits()).toEqual([7, 56]);

  await page.goto(`${on.url}#/edit`);
  await page.getByRole("button", { name: "Roll back to version 0" }).click();
  await publish(57);
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await dialog.getByText("Somebody else published").waitFor();
  expect(await limits()).toEqual([7, 57]);
});

test("a dialog keeps the rest from being used while answers come", async () => {
  const page = await on.open("#/rules/0");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/v1/stats?*", async (route) => {
    await released;
    await route.continue();
  });
  await page.reload();
  await page.getByRole("button", { name: "Change the limit of rides" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Limit").fill("8");
  release();
  await page.locator("section[aria-label='Requests by the minute']").waitFor();
  expect(await dialog.evaluate((element) => element.matches(":modal"))).toBe(true);
  expect(await dialog.getByLabel("Limit").inputValue()).toBe("8");
});
