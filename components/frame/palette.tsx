"use client";

import "@mantine/spotlight/styles.layer.css";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { Keyboard, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useLayoutEffect, useState } from "react";
import classes from "./palette.module.css";
import {
  type Destination,
  matches,
  SHOWN,
  useActs,
  useDevices,
  useOrganizations,
  usePages,
  usePasted,
  useSearch,
  useViews,
} from "./palette-groups";

const [store, palette] = createSpotlight();
/** What scrolls must be reachable by keyboard; the list hands this on to its scroll area, which its type leaves out. */
const LIST = { viewportProps: { tabIndex: 0, role: "group", "aria-label": "Where to go" } } as object;

type Group = { label: string; destinations: Destination[]; isWhole?: true };

/** Everything that what is typed can mean, the likeliest first. */
function useGroups(typed: string, onHelp: () => void): { groups: Group[]; isSettled: boolean } {
  const named = (all: Destination[]) => all.filter(({ name }) => matches(name, typed));
  const { devices, isSettled } = useDevices(typed);
  const search = useSearch(typed);
  const help = [{ key: "help", name: "Keyboard shortcuts", icon: Keyboard, go: onHelp }];
  const groups: Group[] = [
    { label: "Pasted", destinations: usePasted(typed) },
    { label: "Pages", destinations: named(usePages()), isWhole: true },
    { label: "Views of the audit log", destinations: named(useViews()) },
    { label: "Devices", destinations: devices },
    { label: "Show one organization", destinations: named(useOrganizations()) },
    { label: "Actions", destinations: named(useActs()) },
    { label: "Help", destinations: named(help) },
    // Not before the devices are known: it would be the first hit of a hostname.
    { label: "Search", destinations: isSettled ? search : [] },
  ];
  return { groups: groups.filter((group) => group.destinations.length > 0), isSettled };
}

type Props = {
  /** Counts the requests to open it. */
  opened: number;
  /** What was typed before its field had the focus. */
  early: string;
  onHelp: () => void;
};

/** Goes anywhere by typing: pages, saved views, devices, organizations, an id or an address; and does what can be done. */
export function Palette({ opened, early, onHelp }: Props) {
  const [typed, setTyped] = useState("");
  const { groups, isSettled } = useGroups(typed, onHelp);
  const { onEnter, want } = useFirst(groups[0]?.destinations[0], { isSettled, typed });
  useMark(typed && groups.flatMap(({ destinations }) => destinations.map(({ key }) => key)).join());
  const hear = useEffectEvent(() => {
    const [line = ""] = early.split("\n");
    setTyped(line);
    if (early.includes("\n")) want(line);
  });
  useEffect(() => {
    if (opened > 0) palette.open();
  }, [opened]);
  // Before the next key: one that came to the field meanwhile would find it without the last of these.
  useLayoutEffect(() => {
    if (early) hear();
  }, [early]);
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
        placeholder="Page, view, device, organization, action, id or address"
        leftSection={<Search size={17} strokeWidth={1.75} aria-hidden />}
        onKeyDown={onEnter}
      />
      <Spotlight.ActionsList {...LIST}>
        {groups.map(({ label, destinations, isWhole }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {destinations.slice(0, isWhole ? undefined : SHOWN).map(({ key, name, hint, icon: Icon, go }) => (
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

/**
 * Marks the first hit again whenever the hits change, unless the arrows have brought the mark to one that is still there:
 * the list puts it on a row of the screen, and Enter finds nothing where that row has gone with the answer before.
 */
function useMark(hits: string) {
  useEffect(() => {
    if (!hits) return;
    const { selected, listId } = store.getState();
    const list = document.getElementById(listId);
    const marked = list?.querySelector("[data-selected]");
    if (selected > 0 && marked) return;
    marked?.removeAttribute("data-selected");
    list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [hits]);
}

/** Enter takes the first hit where none is chosen by the arrows, as soon as the hits are those of what is typed. */
function useFirst(first: Destination | undefined, { isSettled, typed }: { isSettled: boolean; typed: string }) {
  const [wantedFor, setWantedFor] = useState<string | null>(null);
  const runChosen = useEffectEvent(() => {
    setWantedFor(null);
    if (!first) return;
    palette.close();
    first.go();
  });
  useEffect(() => {
    if (wantedFor !== null && wantedFor !== typed) setWantedFor(null);
    else if (wantedFor !== null && isSettled) runChosen();
  }, [wantedFor, typed, isSettled]);
  const onEnter = (event: KeyboardEvent) => {
    const isChosen = first !== undefined && store.getState().selected >= 0;
    if (event.key === "Enter" && !event.nativeEvent.isComposing && !isChosen && typed.trim()) setWantedFor(typed);
  };
  return { onEnter, want: setWantedFor };
}
