import type { Browser, BrowserContextOptions, Page } from "playwright-core";

import { fakeStats, fakeTop, signIn } from "../../test/dashboard/visit.ts";
import { type LocalStack, startLocalStack } from "../local-stack/local-stack.ts";

/** The scene of the pictures: the demo with its dashboard. */
export interface PictureSet {
  readonly stack: LocalStack;
  /** The rules in force, as the editor has them. */
  readonly document: object;
  /** Publishes a document as JSON over a version: to all clients, or as the query says. */
  publish(document: string, over: number, query?: string): Promise<void>;
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
  const publish = publisherOf(stack);
  const document = await deployedRules(stack);
  // As they are, so that the pictures have a version with its author.
  await publish(JSON.stringify(document), 0);
  return {
    stack,
    document,
    publish,
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

const rulesOf = ({ workers }: LocalStack) => `${workers[0]}/_tidegate/api/v1/rules`;
const authorized = ({ adminToken }: LocalStack) => ({ authorization: `Bearer ${adminToken}` });

/** The demo's rules. */
async function deployedRules(stack: LocalStack): Promise<object> {
  const response = await fetch(rulesOf(stack), { headers: authorized(stack) });
  return ((await response.json()) as { readonly document: object }).document;
}

function publisherOf(stack: LocalStack): PictureSet["publish"] {
  return async (body, over, query = "") => {
    const type = { "content-type": "application/json", "if-match": `"${over}"` };
    const headers = { ...authorized(stack), ...type };
    const response = await fetch(rulesOf(stack) + query, { method: "PUT", headers, body });
    if (!response.ok) throw new Error(`the rules were refused: ${await response.text()}`);
  };
}
