import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What axe finds on a page, each with where it is.
 *
 * @param impacts those that count. Default: all
 */
export async function violationsOf(
  page: Page,
  impacts?: readonly string[],
): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return violations
    .filter(({ impact }) => !impacts || impacts.includes(impact ?? ""))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
