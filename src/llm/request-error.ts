import { type Fault, TidegateError } from "../options/errors.ts";

/** A request that must not be sent to a model, with every fault. Answer it with the status 400. */
export class RequestError extends TidegateError {
  override readonly name = "RequestError";
  readonly status = 400;
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.map(({ path, value, remedy }) => `${path}: ${value}: ${remedy}`);
    super("ERR_REQUEST", lines.join("\n"));
    this.faults = faults;
  }
}
