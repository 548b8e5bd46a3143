import type { Context, Next } from "hono";

import type { Decision } from "../limiter/decision.ts";
import { appendFields } from "./append-fields.ts";

/** Lets an allowed request go on and tells its response the decision; else answers in its place. */
export async function carryOut(
  c: Context,
  next: Next,
  answer: Decision | Response,
  onDenied: (decision: Decision) => Response | Promise<Response>,
): Promise<Response | undefined> {
  if (answer instanceof Response) return answer;
  if (!answer.allowed) return onDenied(answer);
  await next();
  const told = appendFields(c.res, answer.headers());
  // Assigning over a response would merge the old one's fields into it.
  c.res = undefined;
  c.res = told;
  return undefined;
}
