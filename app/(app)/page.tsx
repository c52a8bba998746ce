import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { browserZone } from "@/app/browser-zone";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { titleOf } from "@/components/audit/state/describe-filters";
import { tableSettingsQuery } from "@/components/audit/state/table-params";
import {
  entriesQuery,
  filterParsers,
  isFolding,
  listedInput,
  loadView,
  routineQuery,
  toListInput,
  type View,
} from "@/components/audit/state/view";
import { Viewer } from "@/components/audit/viewer";
import { StartPanel } from "@/components/checklist/start-panel";
import type { ListedPage } from "@/server/audit/schema";
import { keysOf } from "@/server/ground/records";
import { TodayStrip } from "./today-strip";

const isUnfiltered = (view: View): boolean =>
  !view.orgId?.includes(",") && keysOf(filterParsers).every((name) => view[name] === null);

type Props = { searchParams: Promise<SearchParams> };

export const generateMetadata = async ({ searchParams }: Props): Promise<Metadata> => ({
  title: titleOf(await loadView(searchParams)),
});

export default async function AuditPage({ searchParams }: Props) {
  const view = await loadView(searchParams);
  const zone = view.tz ?? (await browserZone()) ?? "UTC";
  const now = new Date();
  const kept = await fetchOrNull<{ fold: boolean | null }>(tableSettingsQuery(trpc));
  const listed = listedInput(toListInput(view, zone, now), view, isFolding(view, kept?.fold));
  const page = listed.routine && (await fetchOrNull<ListedPage>(entriesQuery(trpc, listed)));
  const folds = page ? [routineQuery(trpc, { listed, page, zone })] : [];
  return (
    <Prefetched
      queries={[trpc.setup.checklist.queryOptions(), entriesQuery(trpc, listed), tableSettingsQuery(trpc), ...folds]}
    >
      <StartPanel />
      {isUnfiltered(view) && <TodayStrip orgId={view.orgId} />}
      <Viewer loadedAt={now.toISOString()} />
    </Prefetched>
  );
}
