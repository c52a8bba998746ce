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
  useActions,
  useDevices,
  useOrganizations,
  usePages,
  usePasted,
  usePeople,
  useSearch,
  useViews,
} from "./palette-groups";

const [store, palette] = createSpotlight();
/**
 * Scrollable regions must be focusable; the list passes this on to its scroll area, though its type does not say so.
 */
const LIST = { viewportProps: { tabIndex: 0, role: "group", "aria-label": "Where to go" } } as object;

type Group = { label: string; destinations: Destination[]; isWhole?: true };

/** All matches for the typed text, most likely first. */
function useGroups(typed: string, onHelp: () => void): { groups: Group[]; isSettled: boolean } {
  const named = (all: Destination[]) => all.filter(({ name }) => matches(name, typed));
  const { devices, isSettled: hasDevices } = useDevices(typed);
  const { people, isSettled: hasPeople } = usePeople(typed);
  const isSettled = hasDevices && hasPeople;
  const search = useSearch(typed);
  const help = [{ key: "help", name: "Keyboard shortcuts", icon: Keyboard, go: onHelp }];
  const groups: Group[] = [
    { label: "Pasted", destinations: usePasted(typed) },
    { label: "Pages", destinations: named(usePages()), isWhole: true },
    { label: "Views of the audit log", destinations: named(useViews()) },
    { label: "People", destinations: people },
    { label: "Devices", destinations: devices },
    { label: "Show one organization", destinations: named(useOrganizations()) },
    { label: "Actions", destinations: named(useActions()) },
    { label: "Help", destinations: named(help) },
    // Only when people and devices are loaded, otherwise it would be the first match for their names.
    { label: "Search", destinations: isSettled ? search : [] },
  ];
  return { groups: groups.filter((group) => group.destinations.length > 0), isSettled };
}

type Props = {
  /** Counts the requests to open the palette. */
  opened: number;
  /** Text typed before the field had the focus. */
  early: string;
  onHelp: () => void;
};

/** Finds pages, saved views, people, devices, organizations, ids and addresses by typing, and runs actions. */
export function Palette({ opened, early, onHelp }: Props) {
  const [typed, setTyped] = useState("");
  const { groups, isSettled } = useGroups(typed, onHelp);
  const { onEnter, runWhenSettled } = useEnterKey(groups[0]?.destinations[0], { isSettled, typed });
  useSelectedMatch(typed && groups.flatMap(({ destinations }) => destinations.map(({ key }) => key)).join());
  const applyEarlyKeys = useEffectEvent(() => {
    const [line = ""] = early.split("\n");
    setTyped(line);
    if (early.includes("\n")) runWhenSettled(line);
  });
  useEffect(() => {
    if (opened === 0) return;
    palette.open();
  }, [opened]);
  // A layout effect, because a key press that reaches the field first would be lost.
  useLayoutEffect(() => {
    if (early) applyEarlyKeys();
  }, [early]);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={typed}
      onQueryChange={setTyped}
      onSpotlightClose={() => setTyped("")}
      scrollable
      maxHeight={440}
      title="Go to"
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      classNames={{ header: classes.header, content: classes.content, actionsGroup: classes.group }}
      attributes={{ header: { role: "presentation" } } as object}
    >
      <Spotlight.Search
        aria-label="Go to a page, view, person, device or organization"
        placeholder="Page, view, person, device, organization, action, id or address"
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
 * Selects the first match whenever the matches change, unless the user's selection still exists.
 * Spotlight keeps the selection on a DOM element, which may have disappeared with the previous results.
 */
function useSelectedMatch(hits: string) {
  useEffect(() => {
    if (!hits) return;
    const { selected, listId } = store.getState();
    const list = document.getElementById(listId);
    const selectedRow = list?.querySelector("[data-selected]");
    if (selected > 0 && selectedRow) return;
    selectedRow?.removeAttribute("data-selected");
    list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [hits]);
}

/** Enter takes the first match unless another is selected, as soon as the matches are those of the typed text. */
function useEnterKey(first: Destination | undefined, { isSettled, typed }: { isSettled: boolean; typed: string }) {
  const [pendingText, setPendingText] = useState<string | null>(null);
  const runFirst = useEffectEvent(() => {
    setPendingText(null);
    if (!first) return;
    palette.close();
    first.go();
  });
  useEffect(() => {
    if (pendingText !== null && pendingText !== typed) setPendingText(null);
    else if (pendingText !== null && isSettled) runFirst();
  }, [pendingText, typed, isSettled]);
  const onEnter = (event: KeyboardEvent) => {
    const isChosen = first !== undefined && store.getState().selected >= 0;
    if (event.key === "Enter" && !event.nativeEvent.isComposing && !isChosen && typed.trim()) setPendingText(typed);
  };
  return { onEnter, runWhenSettled: setPendingText };
}
