import type { Metadata } from "next";
import { cookies } from "next/headers";
import type { SearchParams } from "nuqs/server";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { titleOf } from "@/components/audit/state/describe-filters";
import { tableSettingsQuery } from "@/components/audit/state/table-params";
import {
  entriesQuery,
  isFolding,
  listedInput,
  loadView,
  routineQuery,
  toListInput,
} from "@/components/audit/state/view";
import { Viewer } from "@/components/audit/viewer";
import { StartPanel } from "@/components/checklist/start-panel";
import { ZONE_COOKIE } from "@/components/format/time";
import type { FullPage } from "@/server/audit/schema";
import { isZone } from "@/server/ground/time/wall-clock";

type Props = { searchParams: Promise<SearchParams> };

export const generateMetadata = async ({ searchParams }: Props): Promise<Metadata> => ({
  title: titleOf(await loadView(searchParams)),
});

export default async function AuditPage({ searchParams }: Props) {
  const view = await loadView(searchParams);
  const cookie = decodeURIComponent((await cookies()).get(ZONE_COOKIE)?.value ?? "");
  const zone = view.tz ?? (isZone(cookie) ? cookie : "UTC");
  const now = new Date();
  const kept = await fetchOrNull<{ fold: boolean | null }>(tableSettingsQuery(trpc));
  const listed = listedInput(toListInput(view, zone, now), view, isFolding(view, kept?.fold));
  const page = listed.routine && (await fetchOrNull<FullPage>(entriesQuery(trpc, listed)));
  const folds = page ? [routineQuery(trpc, { listed, page, zone })] : [];
  return (
    <Prefetched
      queries={[trpc.setup.checklist.queryOptions(), entriesQuery(trpc, listed), tableSettingsQuery(trpc), ...folds]}
    >
      <StartPanel />
      <Viewer loadedAt={now.toISOString()} />
    </Prefetched>
  );
}
