import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ProgramError } from "../support/program.ts";
import type { Engine } from "./engines.ts";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The suites of all engines, and those that complete them. */
const SUITES = ["bookworm", "bookworm-backports", "trixie", "sid"];

/**
 * Downloads an engine with all libraries that it needs, and unpacks them: nothing is installed, because another release's C library
 * would break the system. What is there already is kept.
 *
 * @returns a folder for the PATH, with the engine as `redis-server`
 */
export function fetchEngine({ name, suite, tools, program }: Engine, folder: string): string {
  const root = join(folder, name);
  const bin = join(root, "bin");
  if (existsSync(join(bin, "redis-server"))) return bin;
  const apt = privateApt(folder, join(root, "cache"));
  run("apt-get", [...apt, "update"]);
  run("apt-get", [...apt, "-t", suite, "install", "--download-only", "--yes", tools]);
  const unpacked = join(root, "unpacked");
  for (const archive of globSync(join(root, "cache/archives/*.deb"))) {
    run("dpkg", ["-x", archive, unpacked]);
  }
  const found = join(unpacked, "usr/bin", program);
  const loader = globSync(join(unpacked, "{lib64,usr/lib64,lib/*,usr/lib/*}/ld-linux-*.so.*"))[0];
  if (!existsSync(found) || loader === undefined) {
    throw new ProgramError(`The packages of ${name} have no ${program}, or no loader.`);
  }
  // It checks files under the name that it has in the package, and serves under any other.
  const server = join(unpacked, "usr/bin", `${name}-server`);
  symlinkSync(program, server);
  const libraries = globSync(join(unpacked, "{lib,usr/lib}/*-linux-gnu")).join(":");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "redis-server"),
    `#!/bin/sh\nexec '${loader}' --library-path '${libraries}' '${server}' "$@"\n`,
    { mode: 0o755 },
  );
  rmSync(join(root, "cache"), { recursive: true });
  return bin;
}

/** Options by which apt knows the suites of the engines, and nothing of this system but where it gets its packages. */
function privateApt(folder: string, cache: string): readonly string[] {
  const lists = join(folder, "apt/lists");
  const sources = join(folder, "apt/sources.list");
  for (const made of [join(lists, "partial"), join(cache, "archives/partial")]) {
    mkdirSync(made, { recursive: true });
  }
  const targets = run("apt-get", ["indextargets", "--format", "$(LABEL) $(REPO_URI)"]);
  const mirror = /^Debian (\S+)$/m.exec(targets)?.[1];
  if (mirror === undefined) throw new ProgramError("This system does not get packages of Debian.");
  const lines = SUITES.map((suite) => `deb [signed-by=${KEYRING}] ${mirror} ${suite} main\n`);
  writeFileSync(sources, lines.join(""));
  const options = {
    "Dir::Etc::sourcelist": sources,
    "Dir::Etc::sourceparts": "-",
    "Dir::Etc::preferences": "/dev/null",
    "Dir::Etc::preferencesparts": "-",
    "Dir::State::lists": lists,
    // As if nothing were installed: every library is downloaded.
    "Dir::State::status": "/dev/null",
    "Dir::Cache": cache,
    "Dir::Cache::archives": "archives",
    "APT::Install-Recommends": "false",
    "APT::Sandbox::User": "root",
    // A hook of the system would delete what was downloaded.
    "APT::Keep-Downloaded-Packages": "true",
  };
  return ["-qq", ...Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`])];
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  throw new ProgramError(`${command} failed: ${(error?.message ?? stderr).trim()}`);
}
