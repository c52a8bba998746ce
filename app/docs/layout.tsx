import type { ReactNode } from "react";
import { isSignedIn, Prefetched, trpc } from "@/app/trpc-server";
import { Frame } from "@/components/frame/frame";
import { PublicFrame } from "@/components/frame/public-frame";

/** Shown within the dashboard to signed-in users, and open to everyone else. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  if (!(await isSignedIn())) return <PublicFrame>{children}</PublicFrame>;
  return (
    <Prefetched needs={[trpc.me.get.queryOptions()]} isFrame>
      <Frame>{children}</Frame>
    </Prefetched>
  );
}
