import { type Tx, tenant } from "@/db/client";
import { findDevice, preferDeviceIndex } from "@/server/devices/devices";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { auditItems } from "./audit-items";
import { decodeCursor, encodeCursor, startOf } from "./cursor";
import { diagnosticItems, eventItems } from "./log-items";
import { type TimelineInput, type TimelineItem, timelineInput, timelinePage } from "./schema";
import { TIMELINE_SOURCES, type TimelineSource } from "./vocabulary";

const rankOf = ({ source }: TimelineItem): number => TIMELINE_SOURCES.indexOf(source);

/** The sort is stable: items of one log at one instant keep their order. */
const newestFirst = (a: TimelineItem, b: TimelineItem): number =>
  Date.parse(b.at) - Date.parse(a.at) || rankOf(a) - rankOf(b);

type PageRequest = { ctx: Ctx; device: { id: string; orgId: string; hostname: string }; input: TimelineInput };

async function itemsOf(tx: Tx, { ctx, device, input }: PageRequest, source: TimelineSource): Promise<TimelineItem[]> {
  const start = startOf(input.cursor ? decodeCursor(input.cursor) : null, source);
  if (source === "audit") return auditItems(tx, { ctx, device, input, start });
  return (source === "diagnostic" ? diagnosticItems : eventItems)(tx, { device, input, start });
}

/**
 * History of a device: audit entries, diagnostic logs and stored events by time, newest first.
 * @throws AppError not_found for a missing or foreign device; validation_failed for an altered cursor
 */
export const listTimeline = operation({
  permission: "devices:read",
  input: timelineInput,
  output: timelinePage,
  async run(ctx, input) {
    const mayRead = (source: TimelineSource) => source !== "audit" || ctx.permissions.has("audit:read");
    const leftOut = input.sources.filter((source) => !mayRead(source));
    const items = await tenant(ctx.scope, async (tx) => {
      const device = await findDevice(ctx, tx, input.id);
      // Audit log first: the planner setting for device logs would slow it down.
      const audit = input.sources.includes("audit") && mayRead("audit");
      const found = audit ? await itemsOf(tx, { ctx, device, input }, "audit") : [];
      await preferDeviceIndex(tx);
      for (const source of input.sources)
        if (source !== "audit") found.push(...(await itemsOf(tx, { ctx, device, input }, source)));
      return found.sort(newestFirst);
    });
    const data = items.slice(0, input.limit);
    const last = items.length > input.limit ? data.at(-1) : undefined;
    const nextCursor = last ? encodeCursor({ ms: Date.parse(last.at), source: last.source, id: last.key }) : null;
    return { data, nextCursor, leftOut };
  },
});
