import type { CompiledPolicy } from "./compile.ts";

/** The policies of a limiter with a client's own numbers, which a gateway's rules give it in place of a plan. */
export class OwnNumbers {
  /** In the limiter's order. */
  readonly policies: readonly CompiledPolicy[];

  constructor(policies: readonly CompiledPolicy[]) {
    this.policies = policies;
  }
}
