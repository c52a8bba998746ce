import { z } from "zod";
import { columnText, positiveInt } from "@/server/audit/schema";
import { valueMap } from "@/server/custom-fields/schema";

export const DEVICE_PAGE_LIMIT = 50;
export const MAX_DEVICE_PAGE_LIMIT = 100;
/** Seconds without a sign of life after which a device counts as offline. */
export const ONLINE_WINDOW_SECONDS = 90;

/** Pages beyond this hold nothing that anyone could have stored. */
const MAX_PAGE = 1_000_000_000;

/** Query members of a paged list; a limit over the maximum is cut to it. */
export const pageShape = (defaultLimit: number, maxLimit: number) => ({
  page: positiveInt.refine((n) => n <= MAX_PAGE, `is over ${MAX_PAGE}`).default(1),
  limit: positiveInt.transform((n) => Math.min(n, maxLimit)).default(defaultLimit),
});

/** Answer member of a paged list. */
export const pagination = z.strictObject({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() });
export type Pagination = z.output<typeof pagination>;

/** Free text of a filter; an empty field of a form is no filter. */
export const filterText = z
  .string()
  .max(255)
  .transform((text) => text || undefined)
  .optional();

export const isoTime = z.iso.datetime();

/** Query of GET /devices; fieldKey with fieldValue asks for the devices whose custom field holds that value. */
export const listInput = z.object({
  orgId: z.guid().optional(),
  search: filterText,
  os: filterText,
  fieldKey: filterText,
  fieldValue: filterText,
  online: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]).optional(),
  ...pageShape(DEVICE_PAGE_LIMIT, MAX_DEVICE_PAGE_LIMIT),
});
export type ListInput = z.output<typeof listInput>;

export const deviceIdInput = z.object({ id: z.guid() });
export type DeviceIdInput = z.output<typeof deviceIdInput>;

export const device = z.strictObject({
  id: z.guid(),
  orgId: z.guid(),
  /** Null once the device has no agent any more. */
  agentId: z.string().nullable(),
  hostname: z.string(),
  os: z.string(),
  osVersion: z.string().nullable(),
  serialNumber: z.string().nullable(),
  agentVersion: z.string().nullable(),
  status: z.string().nullable(),
  lastIp: z.string().nullable(),
  lastSeenAt: isoTime.nullable(),
  online: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Device = z.output<typeof device>;

/** One device; metrics are what its agent's last heartbeat told, customFields its values by field key. */
export const deviceDetail = device.extend({
  metrics: z.record(z.string(), z.unknown()).nullable(),
  customFields: valueMap,
});
export type DeviceDetail = z.output<typeof deviceDetail>;

export const devicePage = z.strictObject({ data: z.array(device), pagination });
export type DevicePage = z.output<typeof devicePage>;

/** What an agent says of its device, in the columns' lengths of ours. */
export const hostname = columnText(255).refine((text) => text.trim() !== "", "is blank");
export const os = columnText(50).refine((text) => text.trim() !== "", "is blank");
export const osVersion = columnText(100);
