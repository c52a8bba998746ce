"use client";

import { AppShell, Burger, Drawer, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";
import classes from "./frame.module.css";
import { Mark } from "./mark";
import { Nav } from "./nav";
import { OrgSwitcher } from "./org-switcher";
import { SchemeMenu } from "./scheme-menu";
import { UserMenu } from "./user-menu";

const HEADER_PX = 52;
const NAV_PX = 212;

/** Header, navigation and the panel in which a page stands. On a phone the navigation is a drawer. */
export function Frame({ children }: { children: ReactNode }) {
  const [opened, drawer] = useDisclosure(false);
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
            onClick={drawer.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Open navigation"
            aria-expanded={opened}
          />
          <Link href="/" className={classes.brand}>
            <Mark size={22} />
            <span className={classes.name}>Trailmark</span>
          </Link>
          <OrgSwitcher />
          <Group gap={4} ml="auto" wrap="nowrap">
            <SchemeMenu />
            <UserMenu />
          </Group>
        </div>
      </AppShell.Header>
      <AppShell.Navbar>
        <Nav />
      </AppShell.Navbar>
      <Drawer opened={opened} onClose={drawer.close} hiddenFrom="sm" size={280} title="Trailmark" padding="sm">
        <Nav onFollow={drawer.close} />
      </Drawer>
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}
