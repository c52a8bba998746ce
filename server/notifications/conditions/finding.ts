import type { Detail } from "@/server/notifications/sentences";
import type { NotificationKind } from "@/server/notifications/vocabulary";

/** Of an organization: that a condition holds, or (holds false) what is known of its end. */
type Found = { orgId: string; holds: boolean; detail: Detail };

/** What one look found. An organization that was looked at and is not named is without the condition. */
export type Finding = { kind: NotificationKind; looked: "all" | ReadonlySet<string>; found: Found[] };

/** Looks whether conditions hold; reads, and changes nothing. */
export type Look = (now: Date) => Promise<Finding[]>;
