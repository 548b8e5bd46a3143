import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

const SLOTS = 16_384;

export function checkCluster({ info, cluster, config }: RedisFacts): Finding | undefined {
  if (cluster === undefined || info?.get("cluster_enabled") === "0") return undefined;
  const count = (name: string) => Number(cluster.get(name) ?? 0);
  const assigned = Number(cluster.get("cluster_slots_assigned") ?? SLOTS);
  const wholly = config.get("cluster-require-full-coverage") === "yes";
  if (assigned < SLOTS) {
    return {
      id: "cluster-slots-missing",
      severity: "error",
      title: "No master holds some hash slots",
      evidence: `${assigned} of ${SLOTS} slots are assigned`,
      remedy: `Run redis-cli --cluster fix. ${wholly ? "With cluster-require-full-coverage yes, all keys are refused meanwhile." : "Identities in these slots are decided by ON_FAILURE meanwhile."}`,
    };
  }
  if (cluster.get("cluster_state") !== "ok") {
    return {
      id: "cluster-down",
      severity: "error",
      title: "The cluster serves no keys",
      evidence: `cluster_state is ${cluster.get("cluster_state")}, ${count("cluster_slots_fail")} slots have failed`,
      remedy: "Bring the missing masters back, or set cluster-require-full-coverage no.",
    };
  }
  const failing = count("cluster_slots_fail") + count("cluster_slots_pfail");
  if (failing > 0) {
    return {
      id: "cluster-slots-failing",
      severity: "error",
      title: "Masters of some hash slots do not answer",
      evidence: `${failing} of ${SLOTS} slots`,
      remedy: "Bring these masters back, or let their replicas take over.",
    };
  }
  if (!wholly) return undefined;
  return {
    id: "cluster-full-coverage",
    severity: "note",
    title: "One dead master stops the decisions of all",
    evidence: "cluster-require-full-coverage is yes",
    remedy:
      "Set cluster-require-full-coverage no: ON_FAILURE then decides only for the identities of the dead master.",
  };
}
