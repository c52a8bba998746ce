import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import classes from "./back-link.module.css";

/** The way from a page to the list or the entry that it belongs to. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className={classes.back}>
      <ArrowLeft size={15} aria-hidden />
      {children}
    </Link>
  );
}
