import type { ReactNode } from "react";
import { isSignedIn, Prefetched, trpc } from "@/app/trpc-server";
import { Frame } from "@/components/frame/frame";
import { PublicFrame } from "@/components/frame/public-frame";

/** Beside the other pages for people who are signed in, and open to everybody else. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  if (!(await isSignedIn())) return <PublicFrame>{children}</PublicFrame>;
  return (
    <Prefetched needs={[trpc.me.get.queryOptions()]} isFrame>
      <Frame>{children}</Frame>
    </Prefetched>
  );
}
