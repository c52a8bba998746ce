"use client";

import { Button, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Building2, Check, ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useOrg } from "@/components/account/org";
import { Popover } from "@/components/ui/popover/popover";
import classes from "./org-switcher.module.css";

const ALL = "All organizations";
/** Above this number the list gets a search field. */
const SEARCH_THRESHOLD = 8;

/** Selects the organization for every page; users of a single organization just see its name. */
export function OrgSwitcher() {
  const { org, organizations, several, setOrg } = useOrg();
  const [opened, menu] = useDisclosure(false);
  const [only, ...others] = organizations;
  if (!only) return null;
  if (others.length === 0) return <span className="tm-clipped tm-quiet">{only.name}</span>;
  const name = org?.name ?? (several.length > 0 ? `${several.length} organizations` : ALL);
  const pick = (id: string | null) => {
    void setOrg(id);
    menu.close();
  };
  return (
    <Popover opened={opened} onClose={menu.close} width={280}>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          h={32}
          px={8}
          miw={0}
          fw={400}
          fz="md"
          leftSection={<Building2 size={15} strokeWidth={1.75} aria-hidden />}
          rightSection={<ChevronsUpDown size={14} strokeWidth={1.75} aria-hidden />}
          aria-label={`Organization: ${name}`}
          onClick={menu.toggle}
        >
          <Text component="span" inherit lh={1.5} className="tm-clipped">
            {name}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Organization">
        <Choices onPick={pick} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choices({ onPick }: { onPick: (id: string | null) => void }) {
  const { org, organizations } = useOrg();
  const [typed, setTyped] = useState("");
  const all = [{ id: null, name: ALL }, ...organizations.map(({ id, name }) => ({ id, name }))];
  const found = all.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const options = [...(list.current?.querySelectorAll<HTMLElement>("li button") ?? [])];
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement ? options.indexOf(activeElement) : -1;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const first = found[0];
    if (step) options[Math.max(0, Math.min(options.length - 1, at + step))]?.focus();
    else if (event.key === "Enter" && at < 0 && typed.trim() && first) onPick(first.id);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the field and buttons inside.
    <div ref={list} onKeyDown={onKeyDown}>
      {organizations.length > SEARCH_THRESHOLD && (
        <TextInput
          className={classes.find}
          aria-label="Find an organization"
          placeholder="Find an organization"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ul style={{ padding: 4 }}>
        {found.map(({ id, name }) => (
          <li key={id}>
            <UnstyledButton className="tm-option" aria-pressed={id === (org?.id ?? null)} onClick={() => onPick(id)}>
              <span style={{ flex: 1 }}>{name}</span>
              {id === (org?.id ?? null) && <Check size={14} aria-hidden />}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Text size="sm" c="dimmed" px="md" pt="xs" pb="md">{`No results for "${typed.trim()}"`}</Text>
      )}
    </div>
  );
}
