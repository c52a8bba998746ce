import type { Detail } from "@/server/notify/notifications/sentences";
import type { NotificationKind } from "@/server/notify/vocabulary";

/** Of an organization: that a condition holds, or (holds false) what is known of its end. */
type FoundCondition = { orgId: string; holds: boolean; detail: Detail };

/** What one look found. An organization that was looked at and is not named is without the condition. */
export type Finding = { kind: NotificationKind; checked: "all" | ReadonlySet<string>; found: FoundCondition[] };

/** Looks whether conditions hold; reads, and changes nothing. */
export type Check = (now: Date) => Promise<Finding[]>;
