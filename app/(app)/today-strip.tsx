import { Suspense } from "react";
import { browserZone } from "@/app/browser-zone";
import { fetchOrNull, trpc } from "@/app/trpc-server";
import { Today } from "@/components/organizations/today";
import classes from "@/components/organizations/today.module.css";
import type { Today as Lines } from "@/server/organizations/overview/schema";

type Props = { orgId?: string | null };

async function Strip({ orgId }: Props) {
  const me = await fetchOrNull<{ scope: string; permissions: string[] }>(trpc.me.get.queryOptions());
  if (!me || me.scope === "organization" || !me.permissions.includes("audit:read")) return null;
  const today = await fetchOrNull<Lines>(trpc.organizations.today.queryOptions(orgId ? { orgId } : {}));
  return today && <Today today={today} zone={(await browserZone()) ?? "UTC"} />;
}

/** Unusual events since yesterday, for people of several organizations; loads after the page. */
export const TodayStrip = (props: Props) => (
  <Suspense fallback={<div className={classes.today} />}>
    <Strip {...props} />
  </Suspense>
);
