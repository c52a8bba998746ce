import type { ReactNode } from "react";
import { Mark } from "@/components/ui/mark";
import brand from "./brand.module.css";
import classes from "./public-frame.module.css";
import { SchemeMenu } from "./scheme-menu";

/** The frame of public pages. It uses plain links, so that nothing is prefetched. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className={classes.ground}>
      <header className={classes.bar} data-screen>
        <a href="/" className={brand.brand} aria-label="Trailmark, to the audit log">
          <Mark size={22} />
          <span className={brand.name}>Trailmark</span>
        </a>
        <SchemeMenu />
      </header>
      <main className={classes.panel}>{children}</main>
    </div>
  );
}
