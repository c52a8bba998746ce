import type { ReactNode } from "react";
import { Frame } from "@/components/shell/frame";
import { Prefetched, requireSignIn, trpc } from "../trpc-server";

export default async function AppLayout({ children }: { children: ReactNode }) {
  await requireSignIn();
  return (
    <Prefetched queries={[trpc.me.get.queryOptions()]}>
      <Frame>{children}</Frame>
    </Prefetched>
  );
}
