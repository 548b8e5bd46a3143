/** Whether an address is of this machine itself, so that no network is on the way. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
