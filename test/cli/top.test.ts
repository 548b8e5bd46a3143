import { expect, test } from "vitest";

import { AT, ok } from "./answers.ts";
import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

const ANSWER = {
  kind: "denied",
  from: "2027-01-01T11:00:00.000Z",
  to: AT,
  partitions: [
    { policy: "login-burst", partition: "ip:EsoXtJryKJQ28wPgFmAwoh", count: 36 },
    { policy: "rides", partition: "x-user-id:42", count: 8 },
  ],
};

test("top shows which partitions were denied most, and since when", async () => {
  on.gateway.script(ok(ANSWER));
  const { out, err, exit } = await on.run(["top"]);
  expect(out).toBe(
    [
      "policy       partition                  at least",
      "login-burst  ip:EsoXtJryKJQ28wPgFmAwoh        36",
      "rides        x-user-id:42                      8",
      "",
    ].join("\n"),
  );
  expect([err, exit]).toEqual(["Denied since 2027-01-01T11:00:00.000Z.\n", 0]);
  expect(on.gateway.seen).toEqual([seen("GET", "/top?kind=denied")]);
});

test("top --near asks for those that are near a limit, and says if there are none", async () => {
  on.gateway.script(ok({ ...ANSWER, kind: "near", partitions: [] }));
  const err = "Nobody was near a limit since 2027-01-01T11:00:00.000Z.\n";
  expect(await on.run(["top", "--near"])).toEqual({ exit: 0, out: "", err });
  expect(on.gateway.seen).toEqual([seen("GET", "/top?kind=near")]);
});

test("top says how a key ends, where the gateway knows it", async () => {
  const [login, rides] = ANSWER.partitions;
  on.gateway.script(ok({ ...ANSWER, partitions: [login, { ...rides, hint: "4242" }] }));
  expect((await on.run(["top"])).out).toBe(
    [
      "policy       partition                  at least  key ends in",
      "login-burst  ip:EsoXtJryKJQ28wPgFmAwoh        36",
      "rides        x-user-id:42                      8  …4242",
      "",
    ].join("\n"),
  );
});

test("top looks as far back as it is told", async () => {
  on.gateway.script(ok(ANSWER), ok(ANSWER));
  await on.run(["top", "--last", "6h"]);
  await on.run(["top", "--near", "--last", "90 m"]);
  expect(on.gateway.seen).toEqual([
    seen("GET", "/top?kind=denied&last=6h"),
    seen("GET", "/top?kind=near&last=90%20m"),
  ]);
  await on.refuses(["top", "--last", "2d"], "--last takes a time from 1m to 24h");
});
