import { describe, expect, test, vi } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import * as tidegate from "../../src/index.ts";

const {
  cluster,
  createLimiter,
  denials,
  failures,
  fixedWindow,
  header,
  lease,
  lists,
  memoryStore,
  month,
  notify,
  optimistic,
  plans,
  refundable,
  shadow,
  shards,
  shareDenials,
} = tidegate;

const untyped = createLimiter as (options: any) => tidegate.ReservingLimiter;
const builder = fixedWindow as (options: any) => tidegate.Policy;
const sharing = shareDenials({ get: async () => undefined, put() {} });

function faultsOf(make: () => unknown): readonly tidegate.Fault[] {
  try {
    make();
  } catch (error) {
    if (error instanceof tidegate.ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const policy = (more: object) => ({
  store: memoryStore(),
  policies: [builder({ name: "p", limit: 400, window: "1h", ...more })],
});
const limiter = (more: object) => ({ ...policy({}), ...more });

/** Options of a policy and of a limiter that only values set, the plain words of each, and the functions that make them. */
const PLAIN: readonly (readonly [option: string, plain: unknown, maker: string])[] = [
  ["policies[0].lease", "100ms", "lease"],
  ["policies[0].lease", "auto", "lease"],
  ["policies[0].optimistic", true, "optimistic"],
  ["policies[0].optimistic", { unsettled: 2 }, "optimistic"],
  ["policies[0].shards", 8, "shards"],
  ["policies[0].notify", 0.8, "notify"],
  ["policies[0].notify", [0.8, 1], "notify"],
  ["policies[0].onNotice", () => {}, "notify"],
  ["policies[0].counts", "denials", "denials"],
  ["policies[0].counts", "failures", "failures"],
  ["policies[0].when", { status: [401] }, "failures"],
  ["policies[0].refundable", true, "refundable"],
  ["policies[0].mode", "shadow", "shadow"],
  ["policies[0].mode", "soft", "soft"],
  ["policies[0].window", "month", "month"],
  ["policies[0].window", "week", "week"],
  ["policies[0].window", "day", "day"],
  ["policies[0].window", "hour", "hour"],
  ["policies[0].timeZone", "Europe/Berlin", "month"],
  ["policies[0].anchor", 15, "month"],
  ["lease", "100ms", "lease"],
  ["plans", { gold: { p: { limit: 500 } } }, "plans"],
  ["lists", { deny: [{ identity: "user:13" }] }, "lists"],
  ["sharedDenials", { get: async () => undefined, put() {} }, "shareDenials"],
];

/** The options with this one. */
const having = (option: string, value: unknown) => {
  const [, ofPolicy] = /^policies\[0\]\.(.*)/.exec(option) ?? [];
  return ofPolicy ? policy({ [ofPolicy]: value }) : limiter({ [option]: value });
};

describe("what only a value may set", () => {
  test.each(PLAIN)("%s: %j is one fault that names the import", (option, plain, maker) => {
    expect(faultsOf(() => untyped(having(option, plain)))).toEqual([
      {
        path: option,
        code: "shape",
        value: expect.any(String),
        remedy: expect.stringContaining(`Import { ${maker} } from "tidegate", and `),
      },
    ]);
  });

  test("a client is one fault, too, in the place of an address", () => {
    const { policies } = policy({});
    const faults = faultsOf(() => untyped({ policies, redis: { evalsha() {}, eval() {} } }));
    expect(faults.map(({ path, code }) => [path, code])).toEqual([["redis", "shape"]]);
    expect(faults[0]!.remedy).toContain(`Import { client } from "tidegate", and give client(`);
  });

  test.each(PLAIN)("%s: %j is one where another policy brings the code", (option, plain) => {
    const others = [
      builder({ name: "lease", by: "a", limit: 400, window: "1h", lease: lease("1s") }),
      builder({ name: "optimistic", by: "b", limit: 400, window: "1h", optimistic: optimistic() }),
      builder({ name: "shards", by: "c", limit: 400, window: "1h", shards: shards(2) }),
      builder({ name: "notify", by: "d", limit: 400, window: "1h", notify: notify(1, () => {}) }),
      builder({ name: "holds", by: "e", limit: 400, window: "1h", counts: failures() }),
      shadow(builder({ name: "roles", by: "f", limit: 400, window: "1h" })),
      builder({ name: "calendar", by: "g", limit: 400, window: month() }),
    ];
    const given = having(option, plain);
    // A lease of the limiter would be one of these, too.
    const exact = ["optimistic", "shards", "holds"];
    const own = option === "lease" ? others.filter(({ name }) => !exact.includes(name!)) : others;
    const policies = [{ ...given.policies[0]!, by: "h" }, ...own];
    const paths = faultsOf(() => untyped({ ...given, policies })).map(({ path }) => path);
    expect(paths).toEqual([option]);
  });
});

/** Each option that takes a value, and one that fits. */
const VALUES: Readonly<Record<string, unknown>> = {
  "policies[0].lease": lease("100ms"),
  "policies[0].optimistic": optimistic(),
  "policies[0].shards": shards(2),
  "policies[0].notify": notify(1, () => {}),
  "policies[0].counts": failures(),
  "policies[0].refundable": refundable(),
  "policies[0].window": month(),
  plans: plans({}),
  lists: lists({}),
  sharedDenials: sharing,
};

describe("a value of another option", () => {
  const options = Object.keys(VALUES);
  const pairs = options.flatMap((option) =>
    options.filter((other) => other !== option).map((other) => [option, other] as const),
  );
  test.each(pairs)("%s with that of %s is one fault", (option, other) => {
    const faults = faultsOf(() => untyped(having(option, VALUES[other])));
    // A window may be a time.
    const isWindow = option.endsWith("window");
    const code = isWindow ? "range" : "shape";
    expect(faults.map((fault) => [fault.path, fault.code])).toEqual([[option, code]]);
    if (isWindow) return expect(faults[0]!.remedy).toMatch(/^Give a time/);
    const [, name] = /(\w+)$/.exec(option)!;
    const maker = { counts: "denials|failures", sharedDenials: "shareDenials" };
    return expect(faults[0]!.remedy).toMatch(
      new RegExp(`^Import \\{ (${maker[name as "counts"] ?? name}) \\} from "tidegate", and `),
    );
  });

  test("is a fault where data stands", () => {
    for (const option of ["name", "limit", "by"]) {
      const faults = faultsOf(() => untyped(policy({ [option]: lease("100ms") })));
      expect(faults.map(({ path }) => path)).toEqual([`policies[0].${option}`]);
    }
    for (const option of ["prefix", "headers", "onFailure", "denialCache", "onDecision"]) {
      const faults = faultsOf(() => untyped(limiter({ [option]: lists({}) })));
      expect(faults.map(({ path }) => path.split(".")[0])).toEqual([option]);
    }
  });
});

describe("a value of another copy of the package", () => {
  async function otherCopy() {
    vi.resetModules();
    return import("../../src/index.ts");
  }

  test("is a plain one: a fault that says its import", async () => {
    const other = await otherCopy();
    expect(other.createLimiter).not.toBe(createLimiter);
    for (const [option, value, maker] of [
      ["policies[0].lease", other.lease("100ms"), "lease"],
      ["policies[0].counts", other.failures(), "denials"],
      ["policies[0].window", other.month(), undefined],
      ["plans", other.plans({}), "plans"],
      ["lists", other.lists({}), "lists"],
    ] as const) {
      const faults = faultsOf(() => untyped(having(option, value)));
      expect(faults.map(({ path }) => path)).toEqual([option]);
      if (maker) expect(faults[0]!.remedy).toContain(`Import { ${maker} } from "tidegate"`);
    }
  });

  test("shows nothing of what it holds", async () => {
    const other = await otherCopy();
    const given = limiter({ lists: other.lists({ deny: [{ identity: "user:secret" }] }) });
    expect(JSON.stringify(faultsOf(() => untyped(given)))).not.toContain("secret");
  });
});

describe("options of any shape", () => {
  test.each([undefined, null, 7, "x", [], { policies: 7 }, { policies: [null, 7] }])(
    "%j are faults, and no error of another kind",
    (given) => {
      expect(faultsOf(() => untyped(given)).length).toBeGreaterThan(0);
    },
  );

  test("a list of policies with a hole has a fault there, beside those of values", () => {
    // oxlint-disable-next-line no-sparse-arrays -- what is tested
    const policies = [, builder({ name: "p", limit: 5, window: "1h", shards: 2 }), undefined];
    const faults = faultsOf(() => untyped({ store: memoryStore(), policies }));
    expect(faults.map(({ path }) => path).toSorted()).toEqual([
      "policies[0]",
      "policies[1].shards",
      "policies[2]",
    ]);
  });

  test("sources with a hole have a fault there, beside those of plain texts", () => {
    const given = {
      ...policy({}),
      clientIp: "cloudflare",
      // oxlint-disable-next-line no-sparse-arrays -- what is tested
      partition: [, header("a"), "cookie:b", [header("c"), , "query:d"]],
    };
    const faults = faultsOf(() => rateLimit(given as never));
    expect(faults.map(({ remedy }) => remedy)).toContain(
      'Import { query } from "tidegate", and give query("d").',
    );
    expect(faults.map(({ path }) => path).toSorted()).toEqual([
      "partition[0]",
      "partition[2]",
      "partition[3][1]",
      "partition[3][2]",
    ]);
  });

  test("undefined is no value, and null is a fault", () => {
    const names = Object.keys(VALUES).filter((option) => option !== "policies[0].window");
    for (const option of names) {
      expect(faultsOf(() => untyped(having(option, undefined)))).toEqual([]);
      const paths = faultsOf(() => untyped(having(option, null))).map(({ path }) => path);
      expect(paths, option).toEqual([option]);
    }
  });

  test("a value without what it needs is a fault of the option, and no error of another kind", () => {
    for (const [option, value] of [
      ["policies[0].lease", (lease as any)(null)],
      ["policies[0].shards", (shards as any)(null)],
      ["policies[0].notify", (notify as any)(null)],
      ["policies[0].notify", (notify as any)(0.5)],
      ["policies[0].optimistic", (optimistic as any)(7)],
      ["plans", (plans as any)(7)],
      ["lists", (lists as any)(7)],
    ] as const) {
      const paths = faultsOf(() => untyped(having(option, value))).map(({ path }) => path);
      expect(paths.length, option).toBeGreaterThan(0);
      for (const path of paths) expect(path).toMatch(/^(policies\[0\]\.|plans|lists|onNotice)/);
    }
    for (const redis of [(cluster as any)(7), (tidegate.client as any)(null)]) {
      const given = { policies: policy({}).policies, redis };
      const paths = faultsOf(() => untyped(given)).map(({ path }) => path.split(".")[0]);
      expect(paths).toEqual(["redis"]);
    }
    for (const value of [undefined, null, 7, "text"]) {
      const policies = [shadow(value as never)];
      expect(
        faultsOf(() => untyped({ store: memoryStore(), policies })).map((each) => each.path),
      ).toEqual(["policies[0]"]);
    }
  });
});

test("frozen options make limiters, and are what they were", async () => {
  const frozen = <Of extends object>(value: Of): Of => {
    for (const part of Object.values(value)) {
      if (typeof part === "object" && part !== null) frozen(part as object);
    }
    return Object.freeze(value);
  };
  const given = frozen({
    policies: [
      fixedWindow({ name: "all", limit: 5, window: month({ timeZone: "UTC" }) }),
      shadow(fixedWindow({ name: "held", limit: 5, window: "1h", refundable: refundable() })),
    ],
    plans: plans({ gold: { all: { limit: 9 } } }),
    lists: lists({ deny: [{ identity: "eve" }] }),
  });
  for (let made = 0; made < 2; made++) {
    const own = createLimiter({ ...given, store: memoryStore() });
    expect((await own.reserve("ada", { plan: "gold" })).policies[0]).toMatchObject({ limit: 9 });
    expect((await own.limit("eve")).reason).toBe("blocked");
  }
  expect(JSON.stringify(given)).toContain("(a value of plans)");
  expect(JSON.stringify(given)).not.toContain("eve");
});

test("all faults are told at once: plain words, wrong values, unknown names and bad numbers", () => {
  const make = () =>
    untyped({
      store: memoryStore(),
      policies: [
        builder({ name: "a", limit: 0, window: "1h", shards: 4, mode: "soft" }),
        builder({ name: "b", limit: 4, window: "1h", counts: "failures", by: 7, leese: "1s" }),
        builder({ name: "c", limit: 4, window: shards(2), lease: denials() }),
      ],
      lists: { deny: [{ identity: "user:secret" }] },
      lease: "1s",
      prefx: "a",
      headers: 7,
    });
  const faults = faultsOf(make);
  expect(faults.map(({ path }) => path).toSorted()).toEqual([
    "headers",
    "lease",
    "lists",
    "policies[0].limit",
    "policies[0].mode",
    "policies[0].shards",
    "policies[1].by",
    "policies[1].counts",
    "policies[1].leese",
    "policies[2].lease",
    "policies[2].window",
    "prefx",
  ]);
  expect(JSON.stringify(faults)).not.toContain("secret");
});
