import type { Metadata } from "next";
import { Guarded } from "@/components/frame/guarded";
import { StreamWizard } from "@/components/streams/stream-wizard";

export const metadata: Metadata = { title: "New data stream" };

export default function Page() {
  return (
    <Guarded permission="streams:manage" title="New data stream" what="the data streams">
      <StreamWizard />
    </Guarded>
  );
}
