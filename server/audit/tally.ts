import { ZERO_UUID } from "../context";
import { categoryOf } from "./actions";
import type { ActiveUser } from "./report-schema";
import type { EntryRow } from "./row-query";
import type { Category } from "./schema";
import { actorName } from "./to-entry";

/** How often each key came, most frequent first; equal ones in the order of their names. */
export class Counts<K extends string> {
  readonly #counts = new Map<K, number>();

  add(key: K): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  sorted(): [K, number][] {
    return [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  }
}

/** An actor whose id is no UUID is itself, not the zero UUID that all of them share. */
function identityOf(row: EntryRow): { id: string; details: Record<string, unknown> } {
  if (row.actor_id !== ZERO_UUID || row.details === null || !row.details.includes("rawActorId"))
    return { id: row.actor_id, details: {} };
  const details = JSON.parse(row.details) as Record<string, unknown>;
  return { id: typeof details.rawActorId === "string" ? details.rawActorId : row.actor_id, details };
}

/** Rows of a report as they come, newest first, counted by actor, action and category. */
export class Tally {
  readonly actions = new Counts<string>();
  readonly categories = new Counts<Category>();
  readonly #users = new Map<string, ActiveUser>();
  total = 0;

  add(row: EntryRow): void {
    this.total++;
    this.actions.add(row.action);
    this.categories.add(categoryOf(row.action));
    const { id, details } = identityOf(row);
    const key = `${row.actor_type}:${id}`;
    const known = this.#users.get(key);
    if (known) {
      known.actionCount++;
      known.userEmail ||= row.actor_email ?? "";
      return;
    }
    this.#users.set(key, {
      userId: id,
      userName: actorName(row, details),
      userEmail: row.actor_email ?? row.user_email ?? "",
      actionCount: 1,
      lastActiveAt: new Date(row.ms).toISOString(),
    });
  }

  /** Actors, most active first. */
  users(): ActiveUser[] {
    return [...this.#users.values()].sort(
      (a, b) => b.actionCount - a.actionCount || (a.lastActiveAt < b.lastActiveAt ? 1 : -1),
    );
  }

  byAction(): { action: string; count: number }[] {
    return this.actions.sorted().map(([action, count]) => ({ action, count }));
  }
}
