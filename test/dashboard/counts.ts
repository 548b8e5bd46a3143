/* Counts as the admin API answers them, made from a seed: a morning of a ride-hailing app, and an incident in it. */

const RULES = [
  ["POST /api/rides/request", 40, 0.02],
  ["POST /api/fares/estimate", 70, 0.01],
  ["GET /api/drivers/nearby", 160, 0.004],
  ["GET /api/trips/history", 30, 0],
  ["POST /api/login", 12, 0.08],
  ["GET /api/search", 90, 0.01],
  ["GET /api/export", 3, 0.1],
] as const;

/** From when the rides of one client are denied. */
const INCIDENT = 0.62;

function shape(i: number, length: number, wobble: number): number {
  const at = i / length;
  return 1 + 0.35 * Math.sin(at * 4 + wobble) + 0.08 * Math.sin(i * 1.7 + wobble * 3);
}

/** The answer of `/stats` for a span. */
export function statsFor(url: URL): object {
  const step = url.searchParams.get("step") ?? "minute";
  const stepMs = step === "minute" ? 60_000 : 3_600_000;
  const fromMs = Number(url.searchParams.get("from"));
  const toMs = Number(url.searchParams.get("to"));
  const times = Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, i) =>
    new Date(fromMs + i * stepMs).toISOString(),
  );
  const { length } = times;
  const scale = stepMs / 60_000;
  const surge = (i: number) => {
    const at = i / length;
    return at > INCIDENT && at < INCIDENT + 0.16 ? 9 : 1;
  };
  const requests = RULES.flatMap(([rule, rate, share], k) => {
    const all = times.map((_, i) =>
      Math.round(rate * scale * shape(i, length, k) * (k === 0 ? Math.sqrt(surge(i)) : 1)),
    );
    const denied = all.map((each, i) =>
      Math.round(each * Math.min(0.8, share * (k === 0 ? 4 * surge(i) : 1))),
    );
    return [
      {
        rule,
        outcome: "allowed",
        reason: "allowed",
        counts: all.map((each, i) => each - denied[i]!),
      },
      { rule, outcome: "denied", reason: "limited", counts: denied },
    ];
  });
  const passed = times.map((_, i) => Math.round(25 * scale * shape(i, length, 5)));
  const buckets = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, null];
  const parts = [0.02, 0.3, 0.4, 0.18, 0.07, 0.02, 0.008, 0.002, 0, 0];
  const slow = [0, 0.02, 0.1, 0.3, 0.3, 0.18, 0.07, 0.03, 0, 0];
  const durations = buckets.map((le, k) => ({
    le,
    counts: times.map((_, i) =>
      Math.round(300 * scale * (surge(i) > 1 ? slow : parts)[k]! * shape(i, length, k)),
    ),
  }));
  const names = ["rides", "rides-address", "login-burst", "login-hourly", "search", "export"];
  return {
    step,
    from: times[0],
    to: new Date(toMs).toISOString(),
    completeTo: new Date(toMs - 60_000).toISOString(),
    times,
    requests: [
      ...requests,
      { rule: "none", outcome: "passed", reason: "no-rule", counts: passed },
      {
        rule: "none",
        outcome: "blocked",
        reason: "list",
        counts: times.map((_, i) => (i % 7 === 0 ? Math.round(4 * scale) : 0)),
      },
    ],
    evaluations: names.flatMap((policy, k) => [
      {
        policy,
        mode: k === 1 ? "shadow" : "enforce",
        result: "allowed",
        counts: times.map((_, i) => Math.round(40 * scale * shape(i, length, k))),
      },
      {
        policy,
        mode: k === 1 ? "shadow" : "enforce",
        result: "denied",
        counts: times.map((_, i) => Math.round(2 * scale * surge(i))),
      },
    ]),
    utilization: names.flatMap((policy, k) =>
      [0.25, 0.5, 0.75, 1].map((le, b) => ({
        policy,
        le,
        counts: times.map((_, i) =>
          Math.round([24, 9, 5, 4][b]! * scale * shape(i, length, k + b)),
        ),
      })),
    ),
    durations,
    storeErrors: [],
    commands: times.map((_, i) => Math.round(310 * scale * shape(i, length, 2))),
    ahead: [],
    region: [],
    excess: times.map(() => 0),
    lost: times.map(() => 0),
  };
}

/** The answer of `/top`. */
export function topFor(url: URL, partitions: readonly string[] = []): object {
  const kind = url.searchParams.get("kind") ?? "denied";
  const names = [
    ...partitions,
    "x-api-key:Jx0T2b7nQ5-sLk8wZp1mVgC4hR6uYd9eAo3iXqW_BtN",
    "ip:Zf3qk9Xr5cW1uYtB7oMh2A",
    "x-user-id:8hVn4QwLr2_ZkTj6cPx9sEa5Gm7DyUfB1oKv3IwHnXz",
    "ip:mE5yTg1BvR8dKq0LwXz4Pn",
    "x-api-key:Uo7iNs3CfA6hWj2QxRb9GkZ8tLp4VeM1yDq5SwTcJuO",
  ];
  const [from, to] = ["from", "to"].map((name) =>
    new Date(Number(url.searchParams.get(name))).toISOString(),
  );
  return {
    kind,
    from,
    to,
    partitions: names.map((partition, i) => ({
      policy: ["rides", "login-burst", "search", "rides-address", "export"][i % 5],
      partition,
      count: Math.round((kind === "denied" ? 2_412 : 318) / (i + 1)),
    })),
  };
}
