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
  const document = await publishRules(stack);
  return {
    stack,
    document,
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

/** Publishes the demo's rules as they are, so that the pictures have a version with its author. */
async function publishRules(stack: LocalStack): Promise<object> {
  const url = `${stack.workers[0]}/_tidegate/api/v1/rules`;
  const headers = {
    authorization: `Bearer ${stack.adminToken}`,
    "content-type": "application/json",
    "if-match": '"0"',
  };
  const live = (await (await fetch(url, { headers })).json()) as { readonly document: object };
  const body = JSON.stringify(live.document);
  const response = await fetch(url, { method: "PUT", headers, body });
  if (!response.ok) throw new Error(`the rules were refused: ${await response.text()}`);
  return live.document;
}
