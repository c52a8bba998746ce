import type { RowAction } from "@/components/ui/record-section";
import type { Column } from "@/components/ui/record-table";
import { StateTag } from "@/components/ui/state-tag";
import { DAY_MS } from "@/server/ground/time/durations";

type Key = {
  id: string;
  revokedAt: string | null;
  expiresAt: string | null;
  maxUses?: number | null;
  uses?: number;
};

const isUsedUp = ({ maxUses, uses = 0 }: Key) => maxUses != null && uses >= maxUses;

/** True while the key can still be used. */
export const isUsable = (key: Key): boolean =>
  !key.revokedAt && !isUsedUp(key) && !(key.expiresAt && Date.parse(key.expiresAt) <= Date.now());

/** Whether a key still works, and if not, why. */
function KeyState(key: Key) {
  if (key.revokedAt) return <StateTag tone="bad">Revoked</StateTag>;
  if (isUsable(key)) return <StateTag tone="good">Active</StateTag>;
  return <StateTag tone="off">{isUsedUp(key) ? "Used up" : "Expired"}</StateTag>;
}

export const STATE_COLUMN: Column<Key> = { header: "State", cell: KeyState, width: 110 };

type Revocation = {
  name: string;
  /** The effect of revoking the key on its users. */
  consequence: string;
  by: Extract<RowAction, { confirm: unknown }>["confirm"]["by"];
  disabledReason?: string | undefined;
};

export const revokeAction = ({ name, consequence, by, disabledReason }: Revocation): RowAction => ({
  verb: "Revoke",
  label: `Revoke ${name}`,
  disabledReason,
  confirm: { title: `Revoke ${name}`, text: consequence, action: "Revoke key", by },
});

/** The lifetimes offered for a key, in days. */
export const LIFETIMES = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "No expiry" },
];

/** The expiry of a key with the chosen lifetime. */
export const expiryOf = (days: string): string | null =>
  days === "never" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
