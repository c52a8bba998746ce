import { StateTag } from "@/components/ui/state-tag";

type Key = { revokedAt: string | null; expiresAt: string | null; maxUses?: number | null; uses?: number };

/** True while the key still opens something. */
export function isUsable(key: Key): boolean {
  const isUsedUp = key.maxUses != null && (key.uses ?? 0) >= key.maxUses;
  return !key.revokedAt && !isUsedUp && !(key.expiresAt && Date.parse(key.expiresAt) <= Date.now());
}

/** Whether a key still works, and why not. */
export function KeyState(key: Key) {
  if (key.revokedAt) return <StateTag tone="bad">Revoked</StateTag>;
  if (isUsable(key)) return <StateTag tone="good">Active</StateTag>;
  return (
    <StateTag tone="off">{key.maxUses != null && (key.uses ?? 0) >= key.maxUses ? "Used up" : "Expired"}</StateTag>
  );
}

/** Lives that are offered for a key, in days; the empty one has no end. */
export const LIFETIMES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "No expiry" },
];

const DAY_MS = 86_400_000;

/** The chosen life as the instant at which it ends. */
export const expiryOf = (days: string): string | null =>
  days === "never" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
