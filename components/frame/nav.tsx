"use client";

import { Stack, Text } from "@mantine/core";
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
    <Stack justify="space-between" mih="100%" gap={0}>
      <Stack component="nav" aria-label="Pages" gap={20} p="12px 8px">
        {groups.map((group) => (
          <Stack key={group.label ?? "main"} gap={4}>
            {group.label && (
              <Text size="xs" c="dimmed" px={8}>
                {group.label}
              </Text>
            )}
            <Stack component="ul" gap={2}>
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
            </Stack>
          </Stack>
        ))}
      </Stack>
      <Text component="footer" size="xs" c="dimmed" p="12px 16px" style={{ overflowWrap: "anywhere" }}>
        Trailmark {release}
      </Text>
    </Stack>
  );
}
