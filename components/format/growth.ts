import { DAY_MS } from "@/server/ground/time/durations";
import { perDay } from "@/server/organizations/overview/arrange";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { count, counted } from "./amounts";

type Growth = OrganizationOverview["growth"];

/** "520 a day". Unknown before a full day: until then the count may include entries imported from many years. */
export function growthText(growth: Growth["month"], readAt: string): string {
  const rate = perDay(growth, Date.parse(readAt));
  if (rate === null) return "Not known yet";
  return `${rate > 0 && rate < 10 ? rate.toFixed(1) : count(Math.round(rate))} a day`;
}

/** Growth of an organization's log over 30 days, or since measuring started if at least a day. */
export function growthFigure({ month, week }: Growth, readAt: string) {
  const now = Date.parse(readAt);
  const value = growthText(month, readAt);
  if (!month || perDay(month, now) === null) return { label: "Growth", value, note: "known after one day" };
  const label = `Growth, ${counted(Math.round((now - Date.parse(month.since)) / DAY_MS), "day")}`;
  return { label, value, note: perDay(week, now) === null ? undefined : `last 7 days: ${growthText(week, readAt)}` };
}
