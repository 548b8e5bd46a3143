import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

const WATCHDOG = 'read -r _; kill -9 "$0"; [ -z "$1" ] || rm -rf "$1"';

/**
 * Lets a child process and its folder not outlive this one, however this one ends: even by SIGKILL, the pipe to the watchdog
 * closes with it. Detached, because a Ctrl-C goes to the whole group and would take the watchdog first.
 */
export function guard(child: ChildProcess, folder = ""): void {
  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG, `${child.pid}`, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a shell there is no guard, but all the rest.
  watchdog.on("error", () => {});
  watchdog.unref();
  (watchdog.stdin as Socket).unref();
  // Its process id may come to name something else.
  child.once("exit", () => watchdog.kill("SIGKILL"));
}
