import type { CDPSession, Page } from "playwright-core";

/** The cost of an interaction for the page. */
export interface Cost {
  readonly what: string;
  /** How long the page was busy with it, scripts, layout and painting together, in milliseconds. */
  readonly busyMs: number;
  /** The longest that the page did not react to anything else, in milliseconds; 0 for less than 50. */
  readonly longestMs: number;
}

/** Measures interactions with a page. */
export interface Stopwatch {
  /** @param act does it, and resolves when its effect is shown */
  measure(what: string, act: () => Promise<unknown>): Promise<void>;
  readonly costs: readonly Cost[];
}

export async function stopwatchOf(page: Page): Promise<Stopwatch> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.evaluate(`
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: "longtask" });
  `);
  const costs: Cost[] = [];

  // Chromium's time of scripts leaves out microtasks, where most of this page's work is done.
  async function busyMs(): Promise<number> {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration")!.value;
  }

  return {
    costs,
    async measure(what, act) {
      await page.evaluate("window.longTasks.length = 0");
      const before = await busyMs();
      await act();
      // The change has been painted.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      const spent = (await busyMs()) - before;
      const longestMs = (await page.evaluate("Math.max(0, ...window.longTasks)")) as number;
      costs.push({ what, busyMs: spent, longestMs });
    },
  };
}

/** One line for each interaction. */
export function costTable(costs: readonly Cost[]): string {
  return costs
    .map(
      ({ what, busyMs, longestMs }) =>
        `${what}: busy for ${busyMs.toFixed(0)} ms, longest task ${longestMs === 0 ? "< 50" : longestMs.toFixed(0)} ms`,
    )
    .join("\n");
}
