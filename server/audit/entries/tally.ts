import { categoryOf } from "@/server/audit/actions";
import type { Category } from "@/server/audit/vocabulary";
import { type ActorNames, actorKey, type ReportRow } from "./reports/report-rows";
import type { ActiveUser } from "./reports/report-schema";
import { actorName } from "./to-entry";

/** How often each key came, most frequent first; equal ones in the order of their names. */
class Counts<K extends string> {
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

const NO_NAMES: ActorNames = { user_name: null, user_email: null, key_name: null, hostname: null };

/** Rows of a report, newest first, counted by actor, action and category. */
export class Tally {
  readonly actions = new Counts<string>();
  readonly #users = new Map<string, ActiveUser>();
  total = 0;

  constructor(private readonly names: ReadonlyMap<string, ActorNames>) {}

  add(row: ReportRow): void {
    this.total++;
    this.actions.add(row.action);
    const key = actorKey(row);
    const known = this.#users.get(key);
    if (known) {
      known.actionCount++;
      known.userEmail ||= row.actor_email ?? "";
      return;
    }
    const named = this.names.get(key) ?? NO_NAMES;
    this.#users.set(key, {
      userId: row.raw_id ?? row.actor_id,
      userName: actorName({ ...row, ...named }, { rawActorId: row.raw_id }),
      userEmail: row.actor_email ?? named.user_email ?? "",
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

  byCategory(): { category: Category; count: number }[] {
    const counts = new Map<Category, number>();
    for (const [action, count] of this.actions.sorted()) {
      const category = categoryOf(action);
      counts.set(category, (counts.get(category) ?? 0) + count);
    }
    return [...counts]
      .map(([category, count]) => ({ category, count }))
      .sort((a, b) => b.count - a.count || (a.category < b.category ? -1 : 1));
  }
}
