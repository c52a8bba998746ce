"use client";

import { Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import dynamic from "next/dynamic";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { flushSync } from "react-dom";
import { useMe } from "@/components/account/org";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { IntegrityBadge } from "@/components/integrity/integrity-badge";
import { NotificationBell } from "@/components/notifications/notification-bell";
import { StepUp } from "@/components/profile/step-up";
import { useListeners } from "@/components/ui/key-down";
import { Mark } from "@/components/ui/mark";
import brand from "./brand.module.css";
import classes from "./frame.module.css";
import { Nav } from "./nav";
import { OrgSwitcher } from "./org-switcher";
import { PaletteKey } from "./palette-key";
import { SchemeMenu } from "./scheme-menu";
import { UserMenu } from "./user-menu";

/** Shown only in print: who printed the page, and when. */
function PrintedBy() {
  const { user } = useMe();
  const { zone } = useZone();
  const [at, setAt] = useState<Date | null>(null);
  useListeners({ beforeprint: () => flushSync(() => setAt(new Date())) }, () => window);
  return (
    <p className={classes.printed} data-printed>
      Printed by {user.name} ({user.email}){at && `, ${dateTime(at, zone)} (${zoneName(zone, at)})`}
    </p>
  );
}

const NavDrawer = dynamic(() => import("./nav-drawer").then((m) => m.NavDrawer), { ssr: false });

/** Header, navigation and content panel, with the release. On a phone the navigation is a drawer. */
export function Frame({ release, children }: { release: string; children: ReactNode }) {
  const [opened, drawer] = useDisclosure(false);
  const [wasOpened, setWasOpened] = useState(false);
  const toggle = () => {
    setWasOpened(true);
    drawer.toggle();
  };
  return (
    <div className={classes.frame}>
      <StepUp />
      <a href="#content" className={classes.skip} data-screen>
        Skip to content
      </a>
      <header className={classes.header} data-screen>
        <Burger
          opened={opened}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label="Open navigation"
          aria-expanded={opened}
        />
        <Link href="/" className={`${brand.brand} ${classes.brand}`} aria-label="Trailmark, to the audit log">
          <Mark size={22} />
          <span className={`${brand.name} ${classes.name}`}>Trailmark</span>
        </Link>
        <OrgSwitcher />
        <Group gap={4} ml="auto" wrap="nowrap">
          <IntegrityBadge />
          <NotificationBell />
          <PaletteKey />
          <SchemeMenu />
          <UserMenu />
        </Group>
      </header>
      <div className={classes.navbar} data-screen>
        <Nav release={release} />
      </div>
      {wasOpened && <NavDrawer release={release} opened={opened} onClose={drawer.close} />}
      <main id="content" tabIndex={-1} className={classes.main}>
        <PrintedBy />
        {children}
      </main>
    </div>
  );
}
