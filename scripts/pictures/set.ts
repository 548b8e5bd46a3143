import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { fakeStats, fakeTop, signIn } from "../../test/dashboard/visit.ts";
import { type LocalStack, startLocalStack } from "../local-stack/local-stack.ts";

/** The scene of the pictures: the demo with its dashboard. */
export interface PictureSet {
  readonly stack: LocalStack;
  /** The rules in force, as the editor has them. */
  readonly document: object;
  /** A page that is signed in, at this hash. */
  open(hash: string, options?: OpenOptions): Promise<Page>;
  stop(): Promise<void>;
}

export interface OpenOptions {
  readonly context?: BrowserContextOptions;
  /** Counts that are made up, with an incident in them; else those of the gateway. */
  readonly incident?: boolean;
}

/** Independent of the machine's time zone. */
const TIMEZONE = "UTC";

export async function openSet(browser: Browser): Promise<PictureSet> {
  // The machine may stall while it draws.
  const stack = await startLocalStack({ variables: { TIMEOUT: "15s" } });
  const address = `${stack.workers[0]}/_tidegate/`;
  return {
    stack,
    document: await rulesOf(stack),
    async open(hash, { context, incident = false } = {}) {
      const page = await (
        await browser.newContext({ timezoneId: TIMEZONE, reducedMotion: "reduce", ...context })
      ).newPage();
      if (incident) {
        await fakeStats(page);
        await fakeTop(page);
      }
      await signIn(page, address + hash, stack.adminToken!);
      return page;
    },
    stop: () => stack.stop(),
  };
}

async function rulesOf(stack: LocalStack): Promise<object> {
  const headers = { authorization: `Bearer ${stack.adminToken}` };
  const response = await fetch(`${stack.workers[0]}/_tidegate/api/v1/rules`, { headers });
  return ((await response.json()) as { readonly document: object }).document;
}
