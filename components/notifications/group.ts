import type { Outputs } from "@/components/trpc";

export type Notification = Outputs["notifications"]["list"]["data"][number];
/** Notifications of one kind from the same evaluation, shown as one. */
export type Group = [Notification, ...Notification[]];

/** Groups adjacent notifications of the same kind, status and evaluation; keeps the order. */
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
