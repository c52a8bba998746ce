/** How often an open page reads again which devices are online: about as often as agents report. */
export const POLL_MS = 60_000;
