import { drawRequest, tell } from "./asked.ts";
import { checkCharge, checkSpread } from "./promises/charges.ts";
import { roomsOf } from "./rooms.ts";
import { during, isOfStore, type World } from "./world.ts";

/** A charge: its cost for a client is known only now. */
export async function charge(world: World): Promise<void> {
  const { isolate, client, page, plan, cost } = drawRequest(world, "charge");
  const rooms = roomsOf(world, isolate, client, plan);
  const decision = await during(page, "ask", () => isolate.limiter.charge(client, cost!, { plan }));
  const say = (broken: string) => world.say(`page ${page.id} (charge ${page.plan}): ${broken}`);
  tell(world, page, decision);
  checkCharge(page, isolate.policies, world.setting.isGuarded, say);
  for (const room of rooms) checkSpread(page.calls, room, page.costs[room.policy.name]!, say);
  world.known.enter(page, world.nowUs / 1000, isOfStore(decision));
}
