"use client";

import { usePathname } from "next/navigation";
import { useMe, useOrg } from "@/components/account/org";
import { isVisibleTo, navGroups } from "@/components/nav-items";
import { useForgottenAction } from "@/components/requested-action";
import { PageLink } from "@/components/ui/links/page-link";
import classes from "./nav.module.css";

const isCurrent = (pathname: string, href: string) =>
  href === "/"
    ? pathname === "/" || pathname.startsWith("/audit/")
    : pathname === href || pathname.startsWith(`${href}/`);

/** Links to the pages; they keep the selected organization. The release is below. */
export function Nav({ release, onFollow }: { release: string; onFollow?: () => void }) {
  const pathname = usePathname();
  useForgottenAction(pathname);
  const { orgId } = useOrg();
  const me = useMe();
  const groups = navGroups
    .map((group) => ({
      ...group,
      items: group.items.filter((item) => isVisibleTo(item, me)),
    }))
    .filter((group) => group.items.length > 0);
  return (
    <div className={classes.column}>
      <nav aria-label="Pages" className={classes.nav}>
        {groups.map((group) => (
          <div key={group.label ?? "main"} className={classes.group}>
            {group.label && <p className={classes.label}>{group.label}</p>}
            <ul className={classes.list}>
              {group.items.map(({ href, label, icon: Icon }) => (
                <li key={href}>
                  <PageLink
                    href={orgId ? `${href}?orgId=${orgId}` : href}
                    className={classes.link}
                    aria-current={isCurrent(pathname, href) ? "page" : undefined}
                    onClick={onFollow}
                  >
                    <Icon size={16} strokeWidth={1.75} aria-hidden />
                    {label}
                  </PageLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <footer className={classes.release}>Trailmark {release}</footer>
    </div>
  );
}
