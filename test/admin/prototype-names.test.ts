import { expect, test } from "vitest";

import { startFleet } from "../live/fleet.ts";

// JSON.parse makes a field of its own of this name, where an object in source code would set its prototype.
const named = (text: string) => JSON.parse(text) as object;

test.each([
  ["/explain", '{"path":"/api/x","__proto__":1}', "__proto__"],
  ["/explain", '{"path":"/api/x","headers":{"__proto__":"a"}}', "headers.__proto__"],
  ["/partitions/history", '{"name":"a","__proto__":1}', "__proto__"],
])("%s refuses %s", async (path, body, fault) => {
  const { isolate } = await startFleet();
  const answer = await isolate().api("POST", path, named(body));
  expect(answer.status).toBe(422);
  expect(answer.body.errors.map((each: { path: string }) => each.path)).toEqual([fault]);
});
