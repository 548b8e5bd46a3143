/** The servers whose releases the table lists. */
export type Engine = "redis" | "valkey";

/** The day on which somebody last compared the table with the releases of both. */
export const LAST_COMPARED = "2026-11-29";

export interface SecurityFix {
  readonly cves: readonly string[];
  /** The first release of each line that has the fix. A newer line has had it from its start, and any other never got it. */
  readonly releases: readonly string[];
  /** The first line with the fault; without it, all older ones have it. */
  readonly since?: string;
}

/**
 * Faults by which a client of a server can run code on it, or act as another client: in scripts, in RESTORE, and memory that
 * is used after it was freed. Older faults are fixed in the same releases. Faults of the cluster bus are left out: only a
 * node can use them.
 */
export const SECURITY_FIXES: Readonly<Record<Engine, readonly SecurityFix[]>> = {
  redis: [
    { cves: ["CVE-2024-31449"], releases: ["6.2.16", "7.2.6", "7.4.1"] },
    { cves: ["CVE-2024-46981"], releases: ["6.2.17", "7.2.7", "7.4.2"] },
    {
      cves: ["CVE-2025-49844", "CVE-2025-46817", "CVE-2025-46818", "CVE-2025-46819"],
      releases: ["6.2.20", "7.2.11", "7.4.6", "8.0.4", "8.2.2"],
    },
    {
      cves: ["CVE-2026-25243", "CVE-2026-23631"],
      releases: ["6.2.22", "7.2.14", "7.4.9", "8.2.6", "8.4.3", "8.6.3"],
    },
    {
      cves: ["CVE-2026-23479"],
      releases: ["7.2.14", "7.4.9", "8.2.6", "8.4.3", "8.6.3"],
      since: "7.2",
    },
    {
      cves: ["CVE-2026-66373"],
      releases: ["6.2.23", "7.2.15", "7.4.10", "8.2.8", "8.4.5", "8.6.5"],
    },
    {
      cves: ["CVE-2026-81934"],
      releases: ["6.2.24", "7.2.16", "7.4.11", "8.2.9", "8.4.6", "8.6.6", "8.8.2", "8.10.1"],
    },
  ],
  valkey: [
    { cves: ["CVE-2024-31449"], releases: ["7.2.7", "8.0.1"] },
    { cves: ["CVE-2024-46981"], releases: ["7.2.8", "8.0.2"] },
    {
      cves: ["CVE-2025-49844", "CVE-2025-46817", "CVE-2025-46818", "CVE-2025-46819"],
      releases: ["7.2.11", "8.0.6", "8.1.4"],
    },
    { cves: ["CVE-2025-67733"], releases: ["7.2.12", "8.0.7", "8.1.6", "9.0.3"] },
    {
      cves: ["CVE-2026-23479", "CVE-2026-25243", "CVE-2026-23631"],
      releases: ["7.2.13", "8.0.8", "8.1.7", "9.0.4"],
    },
    {
      cves: ["CVE-2026-56684", "CVE-2026-63639"],
      releases: ["7.2.14", "8.0.10", "8.1.9", "9.0.5", "9.1.1"],
    },
    { cves: ["CVE-2026-130822"], releases: ["7.2.16", "8.0.13", "8.1.12", "9.0.8", "9.1.4"] },
  ],
};

/** Debian 12 and 13 and Ubuntu 24.04 mend these versions under their old numbers. */
export const MENDED_UNDER_ITS_NUMBER: Readonly<Record<Engine, readonly string[]>> = {
  redis: ["7.0.15", "8.0.2"],
  valkey: ["8.1.1"],
};
