import { z } from "zod";
import { adminPage, guid, isoTime, pagination, zoneName } from "@/server/ground/wire";
import { REPORTS } from "./vocabulary";

export const CADENCES = ["weekly", "monthly"] as const;
export type Cadence = (typeof CADENCES)[number];

const report = z.enum(REPORTS).meta({ example: "security" });
const cadence = z.enum(CADENCES).meta({
  description: "weekly: on Mondays, of the week before; monthly: on the first, of the month before; at six in the zone",
  example: "monthly",
});

export const listInput = z.strictObject({ ...adminPage });

/**
 * Body of POST /report-schedules; without orgId the report covers every organization in the caller's reach at the time.
 */
export const createInput = z.strictObject({
  report,
  cadence,
  timeZone: zoneName.nullish().meta({
    description:
      "IANA name of the zone whose weeks and months are meant; null or left out: the organization's own, also when that changes (of all organizations the partner's; UTC where none is set)",
    example: "Europe/Paris",
  }),
  orgId: guid.nullish(),
});

/**
 * nextRunAt passes without a report while the installation cannot send mail; lastError is the failure of the last run.
 */
export const reportSchedule = z.strictObject({
  id: guid,
  report,
  cadence,
  timeZone: z.string(),
  followsOrganization: z.boolean(),
  orgId: guid.nullable(),
  nextRunAt: isoTime,
  lastRunAt: isoTime.nullable(),
  lastError: z.string().nullable(),
  createdAt: isoTime,
});
export type ReportSchedule = z.output<typeof reportSchedule>;

/** mailConfigured: whether this installation can send mail at all. */
export const reportSchedulePage = z.strictObject({
  data: z.array(reportSchedule),
  pagination,
  mailConfigured: z.boolean(),
});
