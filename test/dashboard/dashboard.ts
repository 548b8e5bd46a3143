import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

import { randomToken } from "../../packages/redis-rest/src/random-token.ts";
import { type LocalStack, startLocalStack } from "../../scripts/local-stack/local-stack.ts";
import { openBrowser } from "./browser.ts";
import { fakeStats, fakeTop, signIn } from "./visit.ts";

export const READ_TOKEN = randomToken();

/** Three rides in an hour, so that no test depends on how fast it is. */
export const RULES = [
  {
    method: "POST",
    path: "/rides/*",
    partition: ["header:x-user-id", "ip"],
    policies: [{ algorithm: "fixed-window", name: "rides", limit: 3, window: "1h" }],
  },
  {
    path: "/search",
    partition: ["ip"],
    policies: [{ algorithm: "token-bucket", name: "search", limit: 30, refill: 30, per: "1s" }],
  },
];

export interface OpenOptions {
  /** Default: the token that may write. */
  readonly token?: string;
  readonly context?: BrowserContextOptions;
  /** The counts: the gateway's own, or made-up ones with an incident. Default: the gateway's. */
  readonly counts?: "own" | "incident";
  /** Made-up partitions at the top. */
  readonly top?: readonly string[];
}

export interface Dashboard {
  readonly stack: LocalStack;
  readonly url: string;
  /** A page that is signed in, at this hash. */
  open(hash?: string, options?: OpenOptions): Promise<Page>;
  /** Asks the admin API itself. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    fields?: Record<string, string>,
  ): Promise<Response>;
  /** What the admin API answers. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  read(path: string): Promise<any>;
  /** Publishes a document in place of the one in force. */
  publish(document: object, query?: string): Promise<void>;
}

/**
 * A stack with the dashboard, and a browser, for the tests of a file. After each test no request may have left the origin, and no
 * error or violation of the policy of its contents may have occurred in the page.
 */
export function useDashboard(): Dashboard {
  let stack: LocalStack;
  let browser: Browser;
  const faults: string[] = [];
  const pages: Page[] = [];

  const start = async () => {
    stack = await startLocalStack({ variables: { RULES, READ_TOKEN, TIMEOUT: "15s" } });
  };
  beforeAll(async () => {
    browser = await openBrowser();
    await start();
  }, 120_000);
  beforeEach(async ({ task: { result } }) => {
    if (!result?.retryCount && !result?.repeatCount) return;
    // A test that is tried again finds nothing of what it published, counted and blocked.
    await stack.stop();
    await start();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) {
      // A fake answer that is still being made would fail once its page is gone.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().close();
    }
    expect(faults.splice(0)).toEqual([]);
  });

  const dashboard: Dashboard = {
    get stack() {
      return stack;
    },
    get url() {
      return `${stack.workers[0]}/_tidegate/`;
    },

    async open(hash = "#/", { token = stack.adminToken!, context, top, counts = "own" } = {}) {
      const page = await (await browser.newContext(context)).newPage();
      pages.push(page);
      // Sooner than the test's, so that the error names the awaited element.
      page.setDefaultTimeout(20_000);
      watch(page, new URL(dashboard.url).origin, faults);
      if (counts === "incident") await fakeStats(page);
      if (counts === "incident" || top) await fakeTop(page, top);
      await signIn(page, dashboard.url + hash, token);
      return page;
    },

    ask: (method, path, body, fields = {}) =>
      fetch(`${stack.workers[0]}/_tidegate/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${stack.adminToken}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...fields,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),

    read: async (path) => (await dashboard.ask("GET", path)).json(),

    async publish(document, query = "") {
      const { version } = await dashboard.read("/rules");
      const fields = { "if-match": `"${version}"` };
      const { status } = await dashboard.ask("PUT", `/rules${query}`, document, fields);
      expect(status).toBe(200);
    },
  };
  return dashboard;
}

function watch(page: Page, origin: string, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== "data:") faults.push(`request: ${url.href}`);
  });
}
