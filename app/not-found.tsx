import type { Metadata } from "next";
import Link from "next/link";
import { Entrance } from "@/components/account/entrance";

export const metadata: Metadata = { title: "No such page" };

export default function NotFound() {
  return (
    <Entrance
      title="No such page"
      lead="The address leads nowhere here. It may have been mistyped, or the page has moved."
    >
      <Link href="/" className="tm-link">
        To the audit log
      </Link>
    </Entrance>
  );
}
