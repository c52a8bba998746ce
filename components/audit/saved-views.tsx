"use client";

import { Button, Popover, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Bookmark, Check } from "lucide-react";
import { type FilterName, filterParsers, type View } from "./filters";
import classes from "./menus.module.css";
import type { SetView } from "./toolbar";

type SavedView = { name: string; filters: Partial<Pick<View, FilterName>> };

/** What people come back for. They narrow by kind alone: the range stays as it is. */
export const SAVED_VIEWS: SavedView[] = [
  { name: "Failed sign-ins", filters: { action: "user.login.failed" } },
  { name: "Denied actions", filters: { result: "denied" } },
  { name: "Permission changes", filters: { action: "user.permission" } },
  { name: "Device deletions", filters: { action: "device.delete" } },
  { name: "Exports", filters: { action: "export" } },
  { name: "Agent IP changes", filters: { action: "agent.source.ip.changed" } },
];

const RANGE: FilterName[] = ["range", "from", "to"];
const KINDS = (Object.keys(filterParsers) as FilterName[]).filter((name) => !RANGE.includes(name));
const NOTHING = Object.fromEntries(KINDS.map((name) => [name, null])) as Partial<View>;

/** True when the view narrows by exactly these filters. */
const isShown = (view: View, { filters }: SavedView): boolean =>
  KINDS.every((name) => (view[name] ?? null) === (filters[name] ?? null));

/** Ready-made questions, one click each. */
export function SavedViews({ view, setView }: { view: View; setView: SetView }) {
  const [opened, menu] = useDisclosure(false);
  const pick = (saved: SavedView) => {
    setView({ ...NOTHING, ...saved.filters, cursor: null, row: null });
    menu.close();
  };
  return (
    <Popover opened={opened} onChange={menu.toggle} position="bottom-start" width={240} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" onClick={menu.toggle} leftSection={<Bookmark size={15} aria-hidden />}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Saved views">
        <ul className={classes.options}>
          {SAVED_VIEWS.map((saved) => (
            <li key={saved.name}>
              <UnstyledButton
                className={classes.option}
                aria-pressed={isShown(view, saved)}
                onClick={() => pick(saved)}
              >
                <span>{saved.name}</span>
                {isShown(view, saved) && <Check size={14} aria-hidden />}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
