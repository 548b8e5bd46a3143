import type { LocalStack } from "../../scripts/local-stack/local-stack.ts";
import { hash } from "../../src/partition/partition-key.ts";
import { samplesWith } from "../support/metrics/samples-with.ts";

/** A user of a stack. */
export interface User {
  /** The value of `x-user-id`. */
  readonly user: string;
  /** As keys and metrics have it. */
  readonly identity: string;
}

/** This many users that the sample of a stack has. */
export function sampledUsers(stack: LocalStack, count: number): Promise<readonly User[]> {
  return usersOf(stack, count, true);
}

/** This many users that the sample does not have. */
export function unsampledUsers(stack: LocalStack, count: number): Promise<readonly User[]> {
  return usersOf(stack, count, false);
}

async function usersOf({ token }: LocalStack, count: number, isIn: boolean): Promise<User[]> {
  const isSampled = samplesWith(`tg\n${token}`);
  const found: User[] = [];
  for (let i = 0; found.length < count; i++) {
    const user = `user-${i}`;
    const identity = `x-user-id:${await hash(user)}`;
    if (isSampled(identity) === isIn) found.push({ user, identity });
  }
  return found;
}
