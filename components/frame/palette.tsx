"use client";

import "@mantine/spotlight/styles.layer.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Bookmark, Building2, Keyboard, type LucideIcon, MonitorSmartphone, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useCan, useMe, useOrg } from "@/components/account/org";
import { BUILT_IN } from "@/components/audit/views/view-query";
import { useTRPC } from "@/components/trpc";
import { accountItem, isFor, navGroups, startItem } from "./nav-items";
import classes from "./palette.module.css";

const [store, palette] = createSpotlight();
/** What scrolls must be reachable by keyboard; the list hands this on to its scroll area, which its type leaves out. */
const LIST = { viewportProps: { tabIndex: 0, role: "group", "aria-label": "Where to go" } } as object;
const DEBOUNCE_MS = 200;
const SHOWN = 8;
const MIN_LETTERS = 2;

type Destination = { key: string; name: string; hint?: string; icon: LucideIcon; go: () => void };
type Group = { label: string; destinations: Destination[] };

/** Every word that is typed is in the name. */
function matches(name: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => name.toLowerCase().includes(word));
}

/** Goes anywhere by typing: pages, saved views, devices, organizations. `opened` counts the requests to open it. */
export function Palette({ opened, onHelp }: { opened: number; onHelp: () => void }) {
  const [typed, setTyped] = useState("");
  useEffect(() => {
    if (opened > 0) palette.open();
  }, [opened]);
  const help = [{ key: "help", name: "Keyboard shortcuts", icon: Keyboard, go: onHelp }];
  const groups: Group[] = [
    { label: "Pages", destinations: usePages().filter(({ name }) => matches(name, typed)) },
    { label: "Views of the audit log", destinations: useViews().filter(({ name }) => matches(name, typed)) },
    { label: "Devices", destinations: useDevices(typed) },
    { label: "Show one organization", destinations: useOrganizations().filter(({ name }) => matches(name, typed)) },
    { label: "Help", destinations: help.filter(({ name }) => matches(name, typed)) },
  ].filter((group) => group.destinations.length > 0);
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
        aria-label="Go to a page, view, device or organization"
        placeholder="Page, view, device or organization"
        leftSection={<Search size={17} strokeWidth={1.75} aria-hidden />}
      />
      <Spotlight.ActionsList {...LIST}>
        {groups.map(({ label, destinations }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {destinations.slice(0, label === "Pages" ? undefined : SHOWN).map(({ key, name, hint, icon: Icon, go }) => (
              <Spotlight.Action
                key={key}
                label={name}
                description={hint}
                leftSection={<Icon size={16} strokeWidth={1.75} aria-hidden />}
                onClick={go}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && <Spotlight.Empty>{`No results for "${typed}"`}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Navigates to a path, keeping the organization that is shown. */
function useGo() {
  const router = useRouter();
  const { orgId } = useOrg();
  return (path: string, query = "") => {
    const params = new URLSearchParams(query);
    if (orgId) params.set("orgId", orgId);
    router.push(params.size > 0 ? `${path}?${params}` : path);
  };
}

function usePages(): Destination[] {
  const go = useGo();
  const me = useMe();
  return [...navGroups.flatMap((group) => group.items), accountItem, startItem]
    .filter((item) => isFor(item, me))
    .map(({ href, label, icon }) => ({ key: href, name: label, icon, go: () => go(href) }));
}

function useViews(): Destination[] {
  const go = useGo();
  const mayRead = useCan("audit:read");
  const kept = useQuery({ ...useTRPC().savedViews.list.queryOptions({}), enabled: mayRead }).data?.data ?? [];
  const named = [
    ...kept.map(({ id, name, query, sharedWith }) => ({ key: id, name, query, hint: sharedWith ? "Shared" : "Mine" })),
    ...BUILT_IN.map((view) => ({ ...view, key: view.query, hint: "Built in" })),
  ];
  return mayRead ? named.map(({ query, ...rest }) => ({ ...rest, icon: Bookmark, go: () => go("/", query) })) : [];
}

function useOrganizations(): Destination[] {
  const { organizations, setOrg } = useOrg();
  if (organizations.length < 2) return [];
  return organizations.map(({ id, name }) => ({ key: id, name, icon: Building2, go: () => void setOrg(id) }));
}

function useDevices(typed: string): Destination[] {
  const go = useGo();
  const mayRead = useCan("devices:read");
  const { orgId, organizations } = useOrg();
  const [search] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const isWanted = mayRead && search.length >= MIN_LETTERS && typed.trim().length >= MIN_LETTERS;
  const list = useQuery({
    ...useTRPC().devices.list.queryOptions({ search, orgId, limit: SHOWN }, { placeholderData: keepPreviousData }),
    enabled: isWanted,
  });
  if (!isWanted) return [];
  return (list.data?.data ?? []).map((device) => ({
    key: device.id,
    name: device.hostname,
    hint: organizations.find((o) => o.id === device.orgId)?.name,
    icon: MonitorSmartphone,
    go: () => go(`/devices/${device.id}`),
  }));
}
