/** Requests that go on while a test does something else. */
export interface Load {
  /** How often each status was answered, by route, such as `POST /rides/7`. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Resolves when no request is under way any more. */
  pause(): Promise<void>;
  go(): void;
}

/** More of them would take the processors from the browser. */
const AT_ONCE = 2;

const ROUTES = ["POST /rides/7", "POST /rides/7", "GET /search", "GET /elsewhere"];

/** So few that the ones that are denied are all among the 20 that an isolate names with each flush. */
const USERS = 10;

/** Sends requests of some users to a gateway, one after the other, until it is paused. */
export function startLoad(gateway: string): Load {
  const answers = new Map<string, Map<number, number>>();
  const state = { isGoing: false };
  let sent = 0;
  let loops: Promise<void>[] = [];

  async function send(): Promise<void> {
    const i = sent++;
    const route = ROUTES[i % ROUTES.length]!;
    const [method = "", path = ""] = route.split(" ");
    const headers = { "x-user-id": `load-${i % USERS}` };
    const response = await fetch(gateway + path, { method, headers });
    await response.arrayBuffer();
    const { status } = response;
    const ofRoute = answers.get(route) ?? new Map<number, number>();
    answers.set(route, ofRoute);
    ofRoute.set(status, (ofRoute.get(status) ?? 0) + 1);
  }

  async function loop(): Promise<void> {
    while (state.isGoing) await send();
  }

  return {
    answers,
    async pause() {
      state.isGoing = false;
      await Promise.all(loops);
    },
    go() {
      state.isGoing = true;
      loops = Array.from({ length: AT_ONCE }, loop);
    },
  };
}
