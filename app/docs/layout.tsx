import type { ReactNode } from "react";
import { isSignedIn, Prefetched, trpc } from "@/app/trpc-server";
import { Frame } from "@/components/frame/frame";
import { PublicFrame } from "@/components/frame/public-frame";

/** Public; signed-in users see it inside the dashboard. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  if (!(await isSignedIn())) return <PublicFrame>{children}</PublicFrame>;
  return (
    <Prefetched needs={[trpc.me.get.queryOptions()]} isFrame>
      <Frame>{children}</Frame>
    </Prefetched>
  );
}
