import type { Locator, Page } from "playwright-core";

/** The editor of the rules as a person uses it. */
export interface RulesEditor {
  /** Its text, once there is one. */
  text(): Promise<string>;
  /** Puts another text in place of all of it. */
  fill(text: string): Promise<void>;
  /** Its text from the caret on. */
  fromCaret(): Promise<string>;
  /** JavaScript that selects the first of these characters in the page and types others in their place. */
  typing(selected: string, typed: string): string;
}

export function editorOn(page: Page): RulesEditor {
  const field: Locator = page.getByLabel("The rules as JSON");
  return {
    text: () => field.inputValue(),
    fill: (text) => field.fill(text),
    fromCaret: () =>
      field.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart)),
    typing: (selected, typed) => `
      const area = document.querySelector(".editor textarea");
      area.focus();
      const at = area.value.indexOf(${JSON.stringify(selected)});
      area.setSelectionRange(at, at + ${selected.length});
      document.execCommand("insertText", false, ${JSON.stringify(typed)})`,
  };
}
