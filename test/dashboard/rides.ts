import type { LocalStack } from "../../scripts/local-stack/local-stack.ts";

/** A ride of a user, and its status. */
export async function ride({ workers }: LocalStack, user: string): Promise<number> {
  const response = await fetch(`${workers[0]}/rides/7`, {
    method: "POST",
    headers: { "x-user-id": user },
  });
  await response.arrayBuffer();
  return response.status;
}

/** This many rides of a user, one after the other. */
export async function rideOften(stack: LocalStack, user: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await ride(stack, user);
}
