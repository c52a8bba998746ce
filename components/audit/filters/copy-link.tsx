"use client";

import { Check, Link2 } from "lucide-react";
import { spanOf, type View } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useZone } from "@/components/format/zone";
import { zoneParam } from "@/components/format/zone-param";
import { useCopy } from "@/components/ui/copy/use-copy";
import { IconButton } from "@/components/ui/popover/tip";

/** The URL to share: a relative range is replaced by its current instants, and the time zone is included. */
export function frozenLink(href: string, view: View, { zone, now }: { zone: string; now: Date }): string {
  const link = new URL(href);
  const { searchParams: params } = link;
  params.delete("live");
  params.set("tz", zoneParam.serialize(zone));
  if (view.range) {
    const { from, to = now } = spanOf(view, zone, now);
    params.delete("range");
    if (from) params.set("from", from.toISOString());
    params.set("to", to.toISOString());
  }
  return link.href;
}

/** Copies a link that shows others the same view. */
export function CopyLink() {
  const { view, now } = useViewer();
  const { zone } = useZone();
  const { copied, copy } = useCopy();
  return (
    <IconButton
      label={copied ? "Link copied" : "Copy link"}
      tip={copied ? "Copied" : "Copy a link to this view"}
      icon={copied ? Check : Link2}
      variant="default"
      onClick={() => void copy(frozenLink(window.location.href, view, { zone, now }))}
    />
  );
}
