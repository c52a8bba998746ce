import { isHeadAlarm } from "@/server/audit/vocabulary";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { listLostHeads } from "@/server/evidence/integrity/heads";
import type { Check } from "./finding";

/** Chains with an open alarm. A lost head is a separate kind, and reported alone as long as it is all that was found. */
export const checkBrokenChains: Check = async () => {
  const [alarms, heads] = await Promise.all([openAlarms({ kind: "system" }), listLostHeads()]);
  const headless = new Set(heads.map(({ orgId }) => orgId));
  for (const alarm of alarms) if (isHeadAlarm(alarm)) headless.add(alarm.orgId);
  const broken = alarms.filter((alarm) => !isHeadAlarm(alarm));
  return [
    {
      kind: "chain.broken",
      checked: "all",
      found: broken.map(({ orgId, breaks }) => ({
        orgId,
        holds: true,
        detail: breaks.length > 0 ? { seq: Math.min(...breaks.map(({ seq }) => seq)) } : {},
      })),
    },
    {
      kind: "chain.head_lost",
      checked: "all",
      found: [...headless].map((orgId) => ({ orgId, holds: true, detail: {} })),
    },
  ];
};
