import { useQuery } from "@tanstack/react-query";
import { useConfirmedDownload } from "@/components/confirmed-download";
import { useTRPC } from "@/components/trpc";

type Ends = Partial<Record<"from" | "to" | "fromSeq" | "toSeq", string | number | undefined>>;

/** Link to the evidence bundle of a range. isAlarmed: the bundle then says that an alarm is open, and is not proven. */
export function useEvidence(orgId: string, ends: Ends) {
  const onClick = useConfirmedDownload();
  const isAlarmed = useQuery(useTRPC().integrity.alarms.queryOptions()).data?.some((alarm) => alarm.orgId === orgId);
  const query = new URLSearchParams({ orgId, ...(isAlarmed && { despite: "alarm" }) });
  for (const [name, value] of Object.entries(ends)) if (value) query.set(name, String(value));
  return { isAlarmed, link: { href: `/api/v1/audit-logs/evidence?${query}`, download: true, onClick } };
}
