import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";
import { expect, onTestFinished, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { openBrowser } from "./browser.ts";

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Three requests that need a preflight, as the page's script sees their answers. */
const SCRIPT = `async (url) => {
  const answers = [];
  for (let i = 0; i < 3; i++) {
    try {
      const answer = await fetch(url, { headers: { "x-api-key": "k" } });
      const { status, headers } = answer;
      const fields = ["retry-after", "ratelimit", "x-ratelimit-reason"].map((name) => headers.get(name) !== null);
      answers.push([status, ...fields, status === 429 && (await answer.json()).title]);
    } catch (error) {
      answers.push(error.name);
    }
  }
  return answers;
}`;

test("a script of another site reads the gateway's 429, and its preflights count as nothing", async () => {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const site = await listen((_request, response) => {
    response.setHeader("Content-Type", "text/html").end("<title>another site</title>");
  });
  const origin = await startOrigin();
  const urlOf = (variables: object) =>
    listen(
      getRequestListener(
        createGateway({
          ORIGIN: origin.url,
          STORE: "memory",
          CLIENT_IP: "socket",
          RULES: [{ path: "/*", policies: [quota("all", 2)] }],
          ...variables,
        }).fetch,
      ) as RequestListener,
    );
  const page = await browser.newPage();
  await page.goto(site);
  const read = async (variables: object) =>
    page.evaluate(`(${SCRIPT})(${JSON.stringify(await urlOf(variables))})`);

  expect(await read({ CORS: { origin: site } })).toEqual([
    [200, false, true, false, false],
    [200, false, true, false, false],
    [429, true, true, true, "Quota Exceeded"],
  ]);
  expect(origin.seen.map(({ method }) => method)).toEqual(["GET", "GET"]);

  const denied = ["TypeError", "TypeError", "TypeError"];
  expect(await read({})).toEqual(denied);
  expect(await read({ CORS: { origin: "https://app.example" } })).toEqual(denied);
});
