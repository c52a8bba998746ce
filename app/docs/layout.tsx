import type { ReactNode } from "react";
import { Frame } from "@/components/shell/frame";
import { PublicFrame } from "@/components/shell/public-frame";
import { isSignedIn, Prefetched, trpc } from "../trpc-server";

/** Beside the other pages for people who are signed in, and open to everybody else. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  if (!(await isSignedIn())) return <PublicFrame>{children}</PublicFrame>;
  return (
    <Prefetched queries={[trpc.me.get.queryOptions()]}>
      <Frame>{children}</Frame>
    </Prefetched>
  );
}
