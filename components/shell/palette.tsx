"use client";

import "@mantine/spotlight/styles.layer.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Building2, Keyboard, MonitorSmartphone, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useTRPC } from "../trpc";
import { navGroups } from "./nav-items";
import { useCan, useMe, useOrg } from "./org";
import classes from "./palette.module.css";

const [store, palette] = createSpotlight();
/** What scrolls must be reachable by keyboard; the list hands this on to its scroll area, which its type leaves out. */
const LIST = { viewportProps: { tabIndex: 0, role: "group", "aria-label": "Where to go" } } as object;
const PAUSE_MS = 200;
const SHOWN = 8;
const MIN_LETTERS = 2;

/** Every word of what is typed stands somewhere in the name. */
function matches(name: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => name.toLowerCase().includes(word));
}

/** Goes anywhere by typing: pages, organizations, devices. `asked` grows with every wish to open it. */
export function Palette({ asked, onHelp }: { asked: number; onHelp: () => void }) {
  const router = useRouter();
  const [typed, setTyped] = useState("");
  const { organizations, orgId, setOrg } = useOrg();
  const permissions = useMe().permissions as readonly string[];
  const devices = useDevices(typed);
  useEffect(() => {
    if (asked > 0) palette.open();
  }, [asked]);
  const withOrg = (href: string) => (orgId ? `${href}?org=${orgId}` : href);
  const pages = navGroups
    .flatMap((group) => group.items)
    .filter((item) => (!item.permission || permissions.includes(item.permission)) && matches(item.label, typed));
  const orgs = organizations.length > 1 ? organizations.filter((o) => matches(o.name, typed)).slice(0, SHOWN) : [];
  const hasHelp = matches("Keyboard shortcuts", typed);
  const isEmpty = pages.length + orgs.length + devices.length === 0 && !hasHelp;
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={typed}
      onQueryChange={setTyped}
      scrollable
      maxHeight={440}
      title="Go to"
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      classNames={{ header: classes.header, content: classes.content, actionsGroup: classes.group }}
      attributes={{ header: { role: "presentation" } } as object}
    >
      <Spotlight.Search
        aria-label="Go to a page, device or organization"
        placeholder="Page, device or organization"
        leftSection={<Search size={17} strokeWidth={1.75} aria-hidden />}
      />
      <Spotlight.ActionsList {...LIST}>
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ href, label, icon: Icon }) => (
              <Spotlight.Action
                key={href}
                label={label}
                leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden />}
                onClick={() => router.push(withOrg(href))}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {devices.length > 0 && (
          <Spotlight.ActionsGroup label="Devices">
            {devices.map((device) => (
              <Spotlight.Action
                key={device.id}
                label={device.hostname}
                description={organizations.find((o) => o.id === device.orgId)?.name}
                leftSection={<MonitorSmartphone size={16} strokeWidth={1.75} aria-hidden />}
                onClick={() => router.push(withOrg(`/devices/${device.id}`))}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {orgs.length > 0 && (
          <Spotlight.ActionsGroup label="Show one organization">
            {orgs.map((org) => (
              <Spotlight.Action
                key={org.id}
                label={org.name}
                leftSection={<Building2 size={16} strokeWidth={1.75} aria-hidden />}
                onClick={() => void setOrg(org.id)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {hasHelp && (
          <Spotlight.ActionsGroup label="Help">
            <Spotlight.Action
              label="Keyboard shortcuts"
              leftSection={<Keyboard size={16} strokeWidth={1.75} aria-hidden />}
              onClick={onHelp}
            />
          </Spotlight.ActionsGroup>
        )}
        {isEmpty && <Spotlight.Empty>Nothing goes by that name.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

function useDevices(typed: string) {
  const mayRead = useCan("devices:read");
  const { orgId } = useOrg();
  const [search] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const isWanted = mayRead && search.length >= MIN_LETTERS && typed.trim().length >= MIN_LETTERS;
  const list = useQuery({
    ...useTRPC().devices.list.queryOptions({ search, orgId, limit: SHOWN }, { placeholderData: keepPreviousData }),
    enabled: isWanted,
  });
  return isWanted ? (list.data?.data ?? []) : [];
}
