import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * The findings of axe on a page, each with its place.
 *
 * @param impacts those that count. Default: all
 */
export async function violationsOf(
  page: Page,
  impacts?: readonly string[],
): Promise<readonly string[]> {
  const violations = await run(page, {});
  return shown(violations.filter(({ impact }) => !impacts || impacts.includes(impact ?? "")));
}

/** The low contrasts of a page that `violationsOf()` has looked at in other colours: the other rules ask for no colour. */
export async function lowContrastsOf(page: Page): Promise<readonly string[]> {
  return shown(await run(page, { runOnly: ["color-contrast"] }));
}

async function run(page: Page, options: axe.RunOptions): Promise<readonly axe.Result[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
  return (results as axe.AxeResults).violations;
}

const shown = (violations: readonly axe.Result[]) =>
  violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
  );
