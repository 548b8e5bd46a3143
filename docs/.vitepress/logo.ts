/** The waves of the dashboard, `packages/dashboard/src/index.html`, as an address of an image. */
export const LOGO =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='5' fill='%230b6e78'/%3E%3Cpath d='M4 10c2.7-3 5.3-3 8 0s5.3 3 8 0M4 16c2.7-3 5.3-3 8 0s5.3 3 8 0' fill='none' stroke='%23fff' stroke-width='2.2' stroke-linecap='round'/%3E%3C/svg%3E";
