import type { Command } from "commander";

const ENVIRONMENT = `Environment:
  TIDEGATE_URL    the gateway, such as https://api.example.com
  TIDEGATE_TOKEN  its ADMIN_TOKEN, or READ_TOKEN for commands that change nothing
  NO_COLOR        no colours`;

const EXIT_CODES = `Exit codes:
  0  done
  1  the answer is no: faults in a file, differences with --exit-code, nothing to remove, findings of doctor
  2  wrong usage, or a file that cannot be read or written
  3  no answer from the gateway
  4  not authorised
  5  the rules have changed in the meantime`;

/** Adds the end of every help: examples, the environment and the exit codes. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${example}`).join("\n");
  return command.addHelpText("after", `\nExamples:\n${lines}\n\n${ENVIRONMENT}\n\n${EXIT_CODES}`);
}
