import type { Finding } from "../finding.ts";
import type { RedisFacts, UnreachableRedis } from "../gather/redis-facts.ts";

/** Finds faults by which a regional Redis would spend units twice, or save no distance. */
export function checkRegion(
  region: RedisFacts | UnreachableRedis,
  home: RedisFacts | UnreachableRedis | undefined,
): readonly (Finding | undefined)[] {
  if ("reason" in region) {
    return [
      {
        id: "region-unreachable",
        severity: "error",
        title: "The Redis of the region does not answer",
        evidence: `${region.address.host}: ${region.reason}`,
        remedy:
          "Check its address and token. Until it answers, home decides each request, at home's distance.",
      },
    ];
  }
  return [
    checkPersistence(region),
    checkReplicas(region),
    home && !("reason" in home) ? checkHome(region, home) : undefined,
  ];
}

function checkPersistence({ info, config }: RedisFacts): Finding | undefined {
  const save = config.get("save") ?? "";
  const appends = info?.get("aof_enabled") === "1";
  if (save === "" && !appends) return undefined;
  return {
    id: "region-keeps-data",
    severity: "warning",
    title: "The Redis of the region keeps its data",
    evidence: [save && `save is "${save}"`, appends && "appendonly is yes"]
      .filter(Boolean)
      .join(", "),
    remedy:
      'Set save "" and appendonly no: after a restart from an older copy, the region would spend units a second time.',
  };
}

function checkReplicas({ info }: RedisFacts): Finding | undefined {
  const replicas = Number(info?.get("connected_slaves") ?? 0);
  const isReplica = info?.get("role") === "slave";
  if (replicas === 0 && !isReplica) return undefined;
  return {
    id: "region-has-replicas",
    severity: "warning",
    title: "The Redis of the region has replicas",
    evidence: isReplica ? "role is slave" : `connected_slaves is ${replicas}`,
    remedy:
      "Run it alone: a failover to an older copy would spend units a second time. While it is gone, home decides.",
  };
}

function checkHome(region: RedisFacts, home: RedisFacts): Finding | undefined {
  const runs = [region, home].map(({ info }) => info?.get("run_id"));
  const isSame =
    region.address.host === home.address.host || (runs[0] !== undefined && runs[0] === runs[1]);
  if (!isSame) return undefined;
  return {
    id: "region-is-home",
    severity: "warning",
    title: "The Redis of the region is home",
    evidence: `${region.address.host} and ${home.address.host} are one server`,
    remedy:
      "Give the region a Redis of its own near its gateways, or leave the region out: it costs a second call and saves none.",
  };
}
