"use client";

import { ActionIcon, Box, Button, Checkbox, SegmentedControl, Stack } from "@mantine/core";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useRef, useState } from "react";
import { useOrg } from "@/components/account/org";
import { hideRoutine } from "@/components/audit/state/narrow";
import { COLUMN_IDS, type ColumnId, type Density, movedTo, toggled } from "@/components/audit/state/table-params";
import { hidesRoutine } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { errorText, Message } from "@/components/ui/notice";
import { COLUMN } from "./columns";
import classes from "./display-menu.module.css";

const DENSITIES: { value: Density; label: string }[] = [
  { value: "normal", label: "Normal" },
  { value: "compact", label: "Compact" },
];

/** Folding, hidden telemetry, row height, and the columns in their order. */
export function DisplayMenu() {
  const { view, setView, settings } = useViewer();
  const hidden = hidesRoutine(view);
  return (
    <>
      <Stack gap={10} p="12px 16px">
        <Checkbox
          size="sm"
          label="Fold repeats and telemetry"
          aria-keyshortcuts="f"
          checked={settings.folds}
          onChange={() => settings.change({ fold: !settings.folds })}
        />
        <Checkbox
          size="sm"
          label="Hide routine agent telemetry"
          checked={hidden}
          onChange={() => setView(hideRoutine(view, !hidden))}
        />
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Row height"
          data={DENSITIES}
          value={settings.density}
          onChange={(density) => settings.change({ density })}
        />
      </Stack>
      <ColumnChooser />
      <Stack className="tm-ruled" gap="sm" p={12}>
        {settings.error ? <Message tone="bad">{errorText(settings.error)}</Message> : null}
        <Button variant="subtle" color="gray" size="xs" onClick={settings.reset}>
          Reset columns, widths and height
        </Button>
      </Stack>
    </>
  );
}

/** Shows, hides and reorders columns; reordering works with buttons or by dragging. */
function ColumnChooser() {
  const { settings } = useViewer();
  const { org, organizations } = useOrg();
  const [announcement, setAnnouncement] = useState("");
  const [dragged, setDragged] = useState<ColumnId | null>(null);
  const list = useRef<HTMLUListElement>(null);
  // The organization column is pointless when all rows belong to one organization.
  const isOffered = (id: ColumnId) => id !== "org" || (!org && organizations.length > 1);
  const shown = settings.ids.filter(isOffered);
  const others = COLUMN_IDS.filter((id) => isOffered(id) && !shown.includes(id));
  const move = (id: ColumnId, by: 1 | -1) => {
    const target = shown.indexOf(id) + by;
    const neighbour = shown[target];
    if (!neighbour) return;
    settings.change({ columns: movedTo(settings.ids, id, settings.ids.indexOf(neighbour)) });
    setAnnouncement(`${COLUMN[id].header} is column ${target + 1} of ${shown.length}`);
    // Moving the element in the DOM loses its focus.
    const label = nameOf(id, by);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.focus());
  };
  const drop = (on: ColumnId) =>
    dragged && dragged !== on && settings.change({ columns: movedTo(settings.ids, dragged, settings.ids.indexOf(on)) });
  return (
    <>
      <Box component="ul" className="tm-ruled" p={8} ref={list}>
        {shown.map((id) => (
          <li
            key={id}
            className={classes.row}
            draggable
            data-dragged={dragged === id || undefined}
            onDragStart={() => setDragged(id)}
            onDragEnter={() => drop(id)}
            onDragOver={(event) => event.preventDefault()}
            onDragEnd={() => setDragged(null)}
          >
            <Tick id={id} checked />
            <Move id={id} by={-1} isOff={id === shown[0]} onMove={move} />
            <Move id={id} by={1} isOff={id === shown.at(-1)} onMove={move} />
          </li>
        ))}
        {others.map((id) => (
          <li key={id} className={classes.row}>
            <Tick id={id} checked={false} />
          </li>
        ))}
      </Box>
      <span role="status" className="tm-spoken">
        {announcement}
      </span>
    </>
  );
}

const nameOf = (id: ColumnId, by: 1 | -1) => `Move ${COLUMN[id].header} ${by === 1 ? "down" : "up"}`;

function Tick({ id, checked }: { id: ColumnId; checked: boolean }) {
  const { settings } = useViewer();
  return (
    <Checkbox
      size="sm"
      flex={1}
      label={COLUMN[id].header}
      checked={checked}
      disabled={id === "event"}
      onChange={() => settings.change({ columns: toggled(settings.ids, id) })}
    />
  );
}

type MoveProps = { id: ColumnId; by: 1 | -1; isOff: boolean; onMove: (id: ColumnId, by: 1 | -1) => void };

function Move({ id, by, isOff, onMove }: MoveProps) {
  const Icon = by === 1 ? ChevronDown : ChevronUp;
  return (
    // aria-disabled rather than disabled, so that the button keeps its focus at either end.
    <ActionIcon size={24} aria-label={nameOf(id, by)} aria-disabled={isOff} onClick={() => onMove(id, by)}>
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
}
