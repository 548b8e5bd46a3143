import type { Command } from "commander";

import { wantsJson } from "../connection.ts";
import type { DoctorArguments } from "../doctor-options.ts";
import { exitCodeOf } from "../doctor/finding.ts";
import { withExamples } from "../help.ts";
import { reportLines } from "../output/doctor-report.ts";
import { print, printJson } from "../output/print.ts";
import { withSpinner } from "../output/spinner.ts";

export function registerDoctor(program: Command): void {
  withExamples(
    program
      .command("doctor")
      .description(
        "Find what is wrong with a deployment: asks the gateway from outside, and its Redis. Needs no token of the gateway, looks at its metrics with one, and waits 5 s for each answer.",
      )
      .option("--path <path>", "a limited path, asked about 30 times (default: /)")
      .option("--method <method>", "the method that its rule has (default: GET)")
      .option(
        "--identity-header <name>",
        "a header by which the gateway counts (default: x-user-id)",
      )
      .option("--admin-url <url>", "the address of ADMIN_HOST (default: that of the gateway)")
      .option(
        "--preview <url>",
        "a preview or staging, to see whether it shares counts with the gateway",
      )
      .option("--rest-url <url>", "the Redis over HTTP (default: UPSTASH_REDIS_REST_URL)")
      .option("--rest-token-file <file>", "its token (default: UPSTASH_REDIS_REST_TOKEN)")
      .option("--redis-url <url>", "redis:// or rediss://, for what the REST API does not say")
      .option(
        "--region-url <url>",
        "the Redis of a region: its REST API, or redis:// (default: REGION_REDIS_REST_URL)",
      )
      .option("--prefix <text>", "what the limiter's keys begin with (default: tg)")
      .option("--limiter-timeout <duration>", "the limiter's timeout (default: 250ms)")
      .option(
        "--config <file>",
        "a wrangler file: faults of its rules, variables too large for Cloudflare, environments that share counts",
      )
      .option("--partitions <n>", "how many identities are counted at once, to check the memory")
      .option("--policies <n>", "how many policies count each identity (default: 1)")
      .option(
        "--algorithm <name>",
        "the algorithm of these policies (default: sliding-window-counter)",
      )
      .option("--limit <n>", "the limit of these policies (default: 100)")
      .action(doctor),
    "npx tidegate doctor --url https://api.example.com --path /api/rides",
    "npx tidegate doctor --rest-url https://name.upstash.io --rest-token-file token --partitions 1000000",
  );
}

async function doctor(_options: unknown, command: Command): Promise<void> {
  // No other command needs them, and each starts in half the time without them.
  const { readDoctorOptions } = await import("../doctor-options.ts");
  const { runDoctor } = await import("../doctor/run-doctor.ts");
  const options = readDoctorOptions(command.optsWithGlobals<DoctorArguments>(), process.env);
  const report = await withSpinner("Looking at the deployment", () => runDoctor(options));
  if (wantsJson(command)) printJson(report);
  else print(...reportLines(report));
  process.exitCode = exitCodeOf(report);
}
