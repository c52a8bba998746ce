import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { ScriptsPage } from "@/components/scripts/scripts-page";

export const metadata: Metadata = { title: "Scripts" };

export default function ScriptsRoute() {
  return (
    <Prefetched queries={[trpc.scripts.systemLibrary.queryOptions({})]}>
      <ScriptsPage />
    </Prefetched>
  );
}
