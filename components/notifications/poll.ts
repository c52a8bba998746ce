/** Poll interval for notifications: the server's interval for checking conditions. */
export const POLL_MS = 60_000;
