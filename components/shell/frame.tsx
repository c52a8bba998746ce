"use client";

import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import dynamic from "next/dynamic";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { IntegrityBadge } from "../integrity/integrity-badge";
import classes from "./frame.module.css";
import { Mark } from "./mark";
import { Nav } from "./nav";
import { OrgSwitcher } from "./org-switcher";
import { PaletteKey } from "./palette-key";
import { SchemeMenu } from "./scheme-menu";
import { UserMenu } from "./user-menu";

const NavDrawer = dynamic(() => import("./nav-drawer").then((m) => m.NavDrawer), { ssr: false });

const HEADER_PX = 52;
const NAV_PX = 212;

/** Header, navigation and the panel in which a page stands. On a phone the navigation is a drawer. */
export function Frame({ children }: { children: ReactNode }) {
  const [opened, drawer] = useDisclosure(false);
  const [wasOpened, setWasOpened] = useState(false);
  const toggle = () => {
    setWasOpened(true);
    drawer.toggle();
  };
  return (
    <AppShell
      header={{ height: HEADER_PX }}
      navbar={{ width: NAV_PX, breakpoint: "sm", collapsed: { mobile: true } }}
      transitionDuration={0}
      classNames={{ header: classes.header, navbar: classes.navbar, main: classes.main }}
    >
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header>
        <div className={classes.bar}>
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Open navigation"
            aria-expanded={opened}
          />
          <Link href="/" className={classes.brand} aria-label="Trailmark, to the audit log">
            <Mark size={22} />
            <span className={classes.name}>Trailmark</span>
          </Link>
          <OrgSwitcher />
          <Group gap={4} ml="auto" wrap="nowrap">
            <IntegrityBadge />
            <PaletteKey />
            <SchemeMenu />
            <UserMenu />
          </Group>
        </div>
      </AppShell.Header>
      <AppShell.Navbar visibleFrom="sm">
        <Nav />
      </AppShell.Navbar>
      {wasOpened && <NavDrawer opened={opened} onClose={drawer.close} />}
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}
