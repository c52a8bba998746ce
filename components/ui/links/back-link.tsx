import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import classes from "./back-link.module.css";

/** Links from a page to its list or parent. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className={classes.back} data-screen>
      <ArrowLeft size={15} aria-hidden />
      {children}
    </Link>
  );
}
