import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Lets a child process not outlive this one, however this one ends: even by SIGKILL, the pipe to the watchdog closes
 * with it. Detached, because a Ctrl-C goes to the whole group and would take the watchdog first.
 */
export function guard(child: ChildProcess): void {
  const watchdog = spawn("/bin/sh", ["-c", 'read -r _; kill -9 "$0"', `${child.pid}`], {
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
