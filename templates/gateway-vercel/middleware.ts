import { admin, metrics } from "tidegate/admin";
import { createGateway } from "tidegate/gateway";

import { rules } from "./rules.js";

export const config = { runtime: "nodejs" };

const gateway = createGateway(
  { ...process.env, RULES: JSON.stringify(rules), CLIENT_IP: "vercel" },
  { admin, metrics },
);

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

export default (request: Request, context: Context) =>
  gateway.fetch(request, undefined, {
    waitUntil: (promise) => context.waitUntil(promise),
    passThroughOnException() {},
    props: {},
  });
