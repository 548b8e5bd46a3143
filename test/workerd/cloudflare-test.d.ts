/** The used part of the test runner's module. */
declare module "cloudflare:test" {
  import type { TidegateObject } from "../../src/durable-object.ts";

  interface State {
    readonly storage: {
      readonly kv: { list(): Iterable<readonly [string, unknown]> };
      deleteAll(): Promise<void>;
    };
  }
  /** Runs inside the object that the stub calls. */
  export function runInDurableObject<Result>(
    stub: object,
    run: (instance: TidegateObject, state: State) => Result,
  ): Promise<Result>;
  /** Runs the object's alarm now; resolves with whether there was one. */
  export function runDurableObjectAlarm(stub: object): Promise<boolean>;
  /** Ends the object's memory, not its storage. */
  export function evictDurableObject(stub: object): Promise<void>;
}
