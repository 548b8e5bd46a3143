/**
 * Resolves in the next turn of the event loop. Work after it delays no answer of this turn. The timer belongs to the
 * calling request, as Workers require for its I/O.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
