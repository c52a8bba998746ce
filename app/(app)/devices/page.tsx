import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { DeviceList } from "@/components/devices/device-list";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Devices" };

export default async function DevicesPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const input = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.devices.list.queryOptions(input)]}>
      <DeviceList />
    </Prefetched>
  );
}
