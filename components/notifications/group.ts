import type { Outputs } from "@/components/trpc";

export type Notification = Outputs["notifications"]["list"]["data"][number];
/** What was found at the same time and is of one kind: shown as one. */
export type Group = [Notification, ...Notification[]];

/** Neighbours of one kind, state and evaluation together, in the order in which they came. */
export function grouped(rows: readonly Notification[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (last && first && first.kind === row.kind && first.status === row.status && first.batch === row.batch)
      last.push(row);
    else groups.push([row]);
  }
  return groups;
}
