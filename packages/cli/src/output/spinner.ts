import { createSpinner } from "nanospinner";

/** Shows on a terminal that something takes long, until it ends. Elsewhere it shows nothing. */
export async function withSpinner<Result>(
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { stdout, stderr, env } = process;
  // The spinner itself asks whether the output is a terminal, too, and would write lines if it is not.
  const isTerminal = stdout.isTTY && stderr.isTTY && !("CI" in env);
  // Some pseudo terminals have no width, by which the spinner divides: it would never end clearing lines.
  if (!isTerminal || !(stderr.columns > 0)) return work();
  const spinner = createSpinner(text, { stream: stderr }).start();
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
