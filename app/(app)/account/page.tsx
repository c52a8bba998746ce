import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { YourAccount } from "@/components/profile/your-account";

export const metadata: Metadata = { title: "Your account" };

export default function AccountPage() {
  return (
    <Prefetched queries={[trpc.me.sessions.queryOptions(), trpc.me.twoFactor.queryOptions()]}>
      <YourAccount />
    </Prefetched>
  );
}
