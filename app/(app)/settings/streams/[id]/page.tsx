import type { Metadata } from "next";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { StreamPage } from "@/components/streams/stream-page";
import type { Stream } from "@/server/notify/streams/schema";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const found = await fetchOrNull<Stream>(trpc.streams.get.queryOptions({ id }));
  return { title: found?.name ?? "Data stream" };
}

export default async function StreamRoute({ params }: Props) {
  const { id } = await params;
  return (
    <Prefetched queries={[trpc.streams.get.queryOptions({ id })]}>
      <Guarded permission="streams:manage" title="Data stream" what="this stream">
        <StreamPage id={id} />
      </Guarded>
    </Prefetched>
  );
}
