import type { Metadata } from "next";
import { fetchOrNull, idIn, Prefetched, trpc } from "@/app/trpc-server";
import { DevicePage } from "@/components/devices/device-page";
import type { DeviceDetail } from "@/server/devices/schema";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const device = await fetchOrNull<DeviceDetail>(trpc.devices.get.queryOptions({ id: await idIn(params) }));
  return { title: device?.hostname ?? "Device" };
}

export default async function DeviceRoute({ params }: Props) {
  const id = await idIn(params);
  return (
    <Prefetched queries={[trpc.devices.get.queryOptions({ id })]}>
      <DevicePage id={id} />
    </Prefetched>
  );
}
