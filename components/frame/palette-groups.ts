import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  Bookmark,
  Building2,
  CalendarClock,
  Download,
  KeyRound,
  Link2,
  type LucideIcon,
  Monitor,
  Network,
  Printer,
  Search,
  ShieldCheck,
  Stamp,
  SunMoon,
  User,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { createSerializer } from "nuqs";
import { useCan, useMe, useOrg } from "@/components/account/org";
import { actorPath, aroundPath } from "@/components/audit/entry";
import { frozenLink } from "@/components/audit/filters/copy-link";
import { useReader } from "@/components/audit/search/reader";
import { filterParsers, loadView, viewParsers } from "@/components/audit/state/view";
import { BUILT_IN } from "@/components/audit/views/view-query";
import { useZone } from "@/components/format/zone";
import { accountItem, isVisibleTo, navGroups, startItem } from "@/components/nav-items";
import { requestAction } from "@/components/requested-action";
import { type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { copyText } from "@/components/ui/copy/use-copy";
import { joinValues, networkOf } from "@/server/audit/query/values";
import { GUID, MAX_FILTER_LENGTH } from "@/server/ground/text";

const DEBOUNCE_MS = 200;
export const SHOWN = 8;
const MIN_LETTERS = 2;
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*)$/i;

export type Destination = { key: string; name: string; hint?: string; icon: LucideIcon; go: () => void };

/** Every typed word occurs in the name. */
export function matches(name: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => name.toLowerCase().includes(word));
}

/** Navigates to a path, keeping the selected organization. */
function useGo() {
  const router = useRouter();
  const { orgId } = useOrg();
  return (path: string, query = "") => {
    const params = new URLSearchParams(query);
    if (orgId && !params.has("orgId")) params.set("orgId", orgId);
    router.push(params.size > 0 ? `${path}?${params}` : path);
  };
}

export function usePages(): Destination[] {
  const go = useGo();
  const me = useMe();
  return [...navGroups.flatMap((group) => group.items), accountItem, startItem]
    .filter((item) => isVisibleTo(item, me))
    .map(({ href, label, icon }) => ({ key: href, name: label, icon, go: () => go(href) }));
}

const SCHEMES: Record<MantineColorScheme, string> = {
  light: "Light theme",
  dark: "Dark theme",
  auto: "System theme",
};

/** Copies a link to the page; for the audit log with absolute times and the time zone. */
async function copyLink(zone: string): Promise<void> {
  const { href, pathname, search } = window.location;
  const view = loadView(new URLSearchParams(search));
  await copyText(pathname === "/" ? frozenLink(href, view, { zone, now: new Date() }) : href);
}

/** The entry that is open or that the page is about. */
function shownEntry(): string | null {
  const { pathname, search } = window.location;
  if (pathname === "/") return loadView(new URLSearchParams(search)).row;
  const [, room, id = ""] = pathname.split("/");
  return room === "audit" && GUID.test(id) ? id : null;
}

/** Actions that are available everywhere; the page that performs one is opened first. */
export function useActions(): Destination[] {
  const go = useGo();
  const { permissions } = useMe();
  const { zone } = useZone();
  const { one } = useOrg();
  const { setColorScheme } = useMantineColorScheme();
  const shown = shownEntry();
  const on = (path: string, act: string) => () => {
    if (window.location.pathname !== path) go(path);
    requestAction(act, path);
  };
  const actions: (Destination & { permission?: string })[] = [
    { key: "export", name: "Export entries", icon: Download, permission: "audit:export", go: on("/", "export") },
    ...(shown
      ? [{ key: "around", name: "Everything around this entry", icon: CalendarClock, go: () => go(aroundPath(shown)) }]
      : []),
    { key: "print", name: "Print entries", icon: Printer, permission: "audit:read", go: on("/", "print") },
    { key: "link", name: "Copy link to this page", icon: Link2, go: () => void copyLink(zone) },
    ...(one
      ? [
          {
            key: "verify",
            name: "Verify the audit chain now",
            hint: one.name,
            icon: ShieldCheck,
            permission: "audit:read",
            go: on("/integrity", "verify"),
          },
        ]
      : []),
    {
      key: "key",
      name: "Create API key",
      icon: KeyRound,
      permission: "api_keys:manage",
      go: on("/settings/api-keys", "New API key"),
    },
    ...(["light", "dark", "auto"] as const).map((scheme) => ({
      key: scheme,
      name: SCHEMES[scheme],
      icon: SunMoon,
      go: () => setColorScheme(scheme),
    })),
  ];
  return actions.filter(({ permission }) => !permission || permissions.includes(permission));
}

/** Destinations for a typed or pasted id or IP address. */
export function usePasted(typed: string): Destination[] {
  const go = useGo();
  const mayRead = useCan("audit:read");
  const text = typed.trim();
  if (!mayRead || !text) return [];
  if (GUID.test(text))
    return [
      { key: "entry", name: "Open the entry", hint: text, icon: Stamp, go: () => go(`/audit/${text.toLowerCase()}`) },
      { key: "around", name: "Everything around the entry", icon: CalendarClock, go: () => go(aroundPath(text)) },
    ];
  const isNetwork = text.includes("/") && networkOf(text) !== null;
  if (!ADDRESS.test(text) && !isNetwork) return [];
  const query = new URLSearchParams({ ip: text }).toString();
  return [
    ...(isNetwork
      ? []
      : [{ key: "address", name: text, hint: "Address", icon: Network, go: () => go("/addresses", query) }]),
    { key: "ip", name: `Entries from ${text}`, icon: Network, go: () => go("/", query) },
  ];
}

const { typed, orgId } = viewParsers;
const toAddress = createSerializer({ ...filterParsers, typed, orgId });

/** Searches the audit log for the typed text, parsed like in its search box. Offered last. */
export function useSearch(typed: string): Destination[] {
  const go = useGo();
  const mayRead = useCan("audit:read");
  const { local } = useZone();
  const reader = useReader(local);
  const line = typed.trim().slice(0, MAX_FILTER_LENGTH);
  if (!mayRead || !line) return [];
  const search = async () => go("/", toAddress(await reader.read({}, line)));
  return [{ key: "search", name: `Search the audit log for "${line}"`, icon: Search, go: () => void search() }];
}

export function useViews(): Destination[] {
  const go = useGo();
  const mayRead = useCan("audit:read");
  const kept = useQuery({ ...useTRPC().savedViews.list.queryOptions({}), enabled: mayRead }).data?.data ?? [];
  const named = [
    ...kept.map(({ id, name, query, sharedWith }) => ({ key: id, name, query, hint: sharedWith ? "Shared" : "Mine" })),
    ...BUILT_IN.map((view) => ({ ...view, key: view.query, hint: "Built in" })),
  ];
  return mayRead ? named.map(({ query, ...rest }) => ({ ...rest, icon: Bookmark, go: () => go("/", query) })) : [];
}

export function useOrganizations(): Destination[] {
  const { organizations, setOrg } = useOrg();
  if (organizations.length < 2) return [];
  return organizations.map(({ id, name }) => ({ key: id, name, icon: Building2, go: () => void setOrg(id) }));
}

/** The text after a pause in typing, and whether it is long enough for a look-up. */
function useLookup(typed: string, isAllowed: boolean): { search: string; isWanted: boolean } {
  const [search] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  return { search, isWanted: isAllowed && search.length >= MIN_LETTERS && typed.trim().length >= MIN_LETTERS };
}

type Counted = Outputs["audit"]["facets"]["actor"];

/** People in the audit log whose name or e-mail address contains the text. */
export function usePeople(typed: string): { people: Destination[]; isSettled: boolean } {
  const go = useGo();
  const { orgId } = useOrg();
  const { search, isWanted } = useLookup(typed, useCan("audit:read"));
  const query = useQuery({
    ...useTRPC().audit.facets.queryOptions(
      { user: joinValues([search]), actorType: "user", orgId },
      { placeholderData: keepPreviousData, trpc: UNBATCHED },
    ),
    enabled: isWanted,
  });
  const isSettled = search === typed.trim() && !(isWanted && (query.isPending || query.isPlaceholderData));
  const known: Counted = isWanted ? (query.data?.actor ?? []) : [];
  const people = known
    .filter(({ value, label }) => GUID.test(value) && (isSettled || matches(label, typed)))
    .map(({ value, label }) => ({ key: value, name: label, icon: User, go: () => go(actorPath(value)) }));
  return { people, isSettled };
}

/** Devices whose hostname contains the text; isSettled once the results are those of the current text. */
export function useDevices(typed: string): { devices: Destination[]; isSettled: boolean } {
  const go = useGo();
  const { orgId, organizations } = useOrg();
  const { search, isWanted } = useLookup(typed, useCan("devices:read"));
  const list = useQuery({
    ...useTRPC().devices.list.queryOptions({ search, orgId, limit: SHOWN }, { placeholderData: keepPreviousData }),
    enabled: isWanted,
  });
  const isSettled = search === typed.trim() && !(isWanted && (list.isPending || list.isPlaceholderData));
  if (!isWanted) return { devices: [], isSettled };
  // Until then, the previous results that also match the current text.
  const known = (list.data?.data ?? []).filter(({ hostname }) => isSettled || matches(hostname, typed));
  const devices = known.map((device) => ({
    key: device.id,
    name: device.hostname,
    hint: organizations.find((o) => o.id === device.orgId)?.name,
    icon: Monitor,
    go: () => go(`/devices/${device.id}`),
  }));
  return { devices, isSettled };
}
