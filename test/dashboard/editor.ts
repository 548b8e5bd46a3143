import type { Locator, Page } from "playwright-core";

/** The field of the rules. It shows only a part of a long text. */
export function editorOf(page: Page): Locator {
  return page.getByLabel("The rules as JSON");
}

/** Types a text in place of the one that is there. */
export async function putText(page: Page, text: string): Promise<void> {
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Puts the caret behind a word of the text, by going there. */
export async function goBehind(page: Page, text: string, word: string): Promise<void> {
  const before = text.slice(0, text.indexOf(word) + word.length);
  const lines = before.split("\n");
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let i = 1; i < lines.length; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  await page.keyboard.press("Home");
  for (let i = 0; i < lines.at(-1)!.length; i++) await page.keyboard.press("ArrowRight");
}
