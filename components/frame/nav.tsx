"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { useMe, useOrg } from "@/components/account/org";
import classes from "./nav.module.css";
import { isFor, navGroups } from "./nav-items";

const isCurrent = (pathname: string, href: string) =>
  href === "/"
    ? pathname === "/" || pathname.startsWith("/audit/")
    : pathname === href || pathname.startsWith(`${href}/`);

/**
 * A link whose page is fetched ahead once the pointer or the focus is on it. Next fetches every link in view, here all
 * pages with every page, twice: more requests than the page itself needs.
 */
function NavLink(props: ComponentProps<typeof Link>) {
  const [isLikely, setLikely] = useState(false);
  const expect = () => setLikely(true);
  return (
    <Link {...props} prefetch={isLikely ? null : false} onMouseEnter={expect} onTouchStart={expect} onFocus={expect} />
  );
}

/** The list of pages; the organization chosen in the header goes along. */
export function Nav({ onFollow }: { onFollow?: () => void }) {
  const pathname = usePathname();
  const { orgId } = useOrg();
  const me = useMe();
  const groups = navGroups
    .map((group) => ({
      ...group,
      items: group.items.filter((item) => isFor(item, me)),
    }))
    .filter((group) => group.items.length > 0);
  return (
    <nav aria-label="Pages" className={classes.nav}>
      {groups.map((group) => (
        <div key={group.label ?? "main"} className={classes.group}>
          {group.label && <p className={classes.label}>{group.label}</p>}
          <ul className={classes.list}>
            {group.items.map(({ href, label, icon: Icon }) => (
              <li key={href}>
                <NavLink
                  href={orgId ? `${href}?orgId=${orgId}` : href}
                  className={classes.link}
                  aria-current={isCurrent(pathname, href) ? "page" : undefined}
                  onClick={onFollow}
                >
                  <Icon size={16} strokeWidth={1.75} aria-hidden />
                  {label}
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
