/** How often an open page asks for notifications: as often as the server checks its conditions. */
export const POLL_MS = 60_000;
