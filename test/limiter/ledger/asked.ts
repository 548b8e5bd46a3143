import type { Cost } from "../../../src/decide/limiter-types.ts";
import type { Decision } from "../../support/limiter/plain.ts";
import { drawCharge, drawCost, unitsOf } from "./costs.ts";
import { type Client, PLANS } from "./draw.ts";
import type { Isolate } from "./isolate.ts";
import { type Page, textOf } from "./page.ts";
import { note, type World } from "./world.ts";

/** A request that is to be made. */
export interface Request {
  readonly isolate: Isolate;
  readonly client: Client;
  readonly page: Page;
  readonly plan: string | undefined;
  readonly cost: Cost | undefined;
}

export function drawRequest(world: World, kind: Page["kind"]): Request {
  const { dice, setting, isolates } = world;
  const id = ++world.pages;
  const isolate = dice.among(isolates);
  const client = dice.among(setting.clients);
  const plan = dice.among(PLANS);
  const { policies } = isolate;
  const cost = (kind === "charge" ? drawCharge : drawCost)(dice, policies, plan);
  const costs = unitsOf(policies, cost);
  const page: Page = { id, kind, isolate: isolate.index, plan, costs, calls: [] };
  return { isolate, client, page, plan, cost };
}

/** Notes an answer for the report of a broken promise. */
export function tell(world: World, page: Page, decision: Decision): void {
  note(world, `${page.kind} ${decision.reason}`);
  world.told.push(() => {
    const { id, kind, isolate, plan, costs, calls } = page;
    const rows = [...decision.policies, ...decision.shadow].map(
      ({ name, allowed, remaining }) => `${name} ${allowed ? "+" : "-"}${remaining}`,
    );
    const asked = `page ${id}: ${kind} by isolate ${isolate}, plan ${plan}: ${JSON.stringify(costs)}`;
    const answer = `${decision.reason} ${decision.allowed} ${rows.join(" ")}`;
    return [
      `${asked}: ${answer}`,
      ...calls.filter(({ phase }) => phase === "ask").map(textOf),
    ].join("\n    ");
  });
}
