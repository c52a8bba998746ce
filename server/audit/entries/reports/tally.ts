import { actorName, UNKNOWN_USER } from "@/server/audit/entries/to-entry";
import { type ByAction, byCount } from "./report-bodies";
import { type ActorNames, actorKey, type ReportRow } from "./report-rows";
import type { ActiveUser } from "./report-schema";

const NO_NAMES: ActorNames = { user_name: null, user_email: null, key_name: null, hostname: null };

/** Rows of a report, newest first, counted by actor and action. */
export class Tally {
  readonly #actions = new Map<string, number>();
  readonly #users = new Map<string, ActiveUser>();

  constructor(private readonly names: ReadonlyMap<string, ActorNames>) {}

  add(row: ReportRow): void {
    this.#actions.set(row.action, (this.#actions.get(row.action) ?? 0) + 1);
    const key = actorKey(row);
    const known = this.#users.get(key);
    if (known) {
      known.actionCount++;
      known.userEmail ||= row.actor_email ?? "";
      if (known.userName === UNKNOWN_USER) known.userName = row.actor_email || UNKNOWN_USER;
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

  byAction(): ByAction {
    return byCount(
      [...this.#actions].map(([action, count]) => ({ action, count })),
      ({ action }) => action,
    );
  }
}
