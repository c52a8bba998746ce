import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { loadView } from "@/components/audit/filters/address";
import { entriesQuery } from "@/components/audit/filters/entries-query";
import { toListInput } from "@/components/audit/filters/list-input";
import { lookQuery } from "@/components/audit/table/table-params";
import { Viewer } from "@/components/audit/viewer";
import { StartPanel } from "@/components/checklist/start-panel";
import { ZONE_COOKIE } from "@/components/format/time";
import { isZone } from "@/server/wall-clock";

export const metadata: Metadata = { title: "Audit log" };

export default async function AuditPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const view = await loadView(searchParams);
  const cookie = decodeURIComponent((await cookies()).get(ZONE_COOKIE)?.value ?? "");
  const zone = view.tz ?? (isZone(cookie) ? cookie : "UTC");
  const now = new Date();
  return (
    <Prefetched
      queries={[trpc.setup.checklist.queryOptions(), entriesQuery(trpc, toListInput(view, zone, now)), lookQuery(trpc)]}
    >
      <StartPanel />
      <Viewer loadedAt={now.toISOString()} />
    </Prefetched>
  );
}
