import type { View } from "./filters";

/** Changes a part of the viewer's address; a step of its own in the browser's history unless told otherwise. */
export type SetView = (change: Partial<View>, options?: { history?: "push" | "replace"; scroll?: boolean }) => unknown;

/** What every change of the filters takes with it: the list begins anew, the open row belongs to the old one. */
export const FROM_START = { cursor: null, row: null } satisfies Partial<View>;
