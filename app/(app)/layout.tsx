import type { ReactNode } from "react";
import { Prefetched, release, requireSignIn, trpc } from "@/app/trpc-server";
import { Frame } from "@/components/frame/frame";

export default async function AppLayout({ children }: { children: ReactNode }) {
  await requireSignIn();
  return (
    <Prefetched needs={[trpc.me.get.queryOptions()]} isFrame>
      <Frame release={release()}>{children}</Frame>
    </Prefetched>
  );
}
