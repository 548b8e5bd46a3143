/** The meanings of the program's exit codes. */
export const EXIT = {
  done: 0,
  no: 1,
  usage: 2,
  noAnswer: 3,
  notAuthorised: 4,
  conflict: 5,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program with a message and an exit code. */
export class CliError extends Error {
  override readonly name: string = "CliError";
  readonly exit: Exit;

  constructor(message: string, exit: Exit) {
    super(message);
    this.exit = exit;
  }
}

export class UsageError extends CliError {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(message, EXIT.usage);
  }
}

/** The gateway did not answer, or another server than the admin API of a gateway did. */
export class NoAnswerError extends CliError {
  override readonly name = "NoAnswerError";

  constructor(message: string) {
    super(message, EXIT.noAnswer);
  }
}

/** A fault of a document, as the admin API reports it. */
export interface ApiFault {
  readonly path: string;
  /** Gateways of before have none. */
  readonly code?: string | undefined;
  readonly value: string;
  readonly remedy: string;
}

/** A problem document of the admin API. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly errors?: readonly ApiFault[] | undefined;
}

/** The gateway refused. */
export class RefusedError extends CliError {
  override readonly name = "RefusedError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title, exitOf(problem.status));
    this.problem = problem;
  }
}

/** 429 comes only after many wrong tokens. */
function exitOf(status: number): Exit {
  if (status === 401 || status === 403 || status === 429) return EXIT.notAuthorised;
  if (status === 412) return EXIT.conflict;
  return status >= 500 ? EXIT.noAnswer : EXIT.no;
}
