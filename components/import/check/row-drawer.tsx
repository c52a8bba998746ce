"use client";

import { ActionIcon, Anchor, Button, Drawer, Group, Radio, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, type LucideIcon } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import shared from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { errorText, Message } from "@/components/ui/notice";
import type { Candidate, ImportRow } from "@/server/custom-fields/import/outcome-schema";
import { ROW_OUTCOME_LABELS } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { capitalized } from "@/server/ground/text";
import { RowValues } from "./row-values";

/** Facts that tell apart devices of the same name. */
function Facts({ device }: { device: Candidate }) {
  return (
    <span className={shared.quiet}>
      {device.serial ? `Serial ${device.serial}` : "No serial number"}, {device.os}
      {device.address ? `, ${device.address}` : ""}, last seen <When at={device.lastSeenAt} />, enrolled{" "}
      <When at={device.enrolledAt} dateOnly />
    </span>
  );
}

/** The devices that match a row; for an ambiguous row, the user picks one. */
function Candidates({ state, row }: { state: ImportState; row: ImportRow }) {
  const trpc = useTRPC();
  const { scope, onSuccess } = useChange(state.id, trpc.imports.rows.pathFilter());
  // Optimistic, so that keyboard selection does not wait for the server.
  const [chosen, setChosen] = useState(row.pickedDeviceId);
  const pick = useMutation(
    trpc.imports.pick.mutationOptions({ scope, onSuccess, onError: () => setChosen(row.pickedDeviceId) }),
  );
  const mayPick = row.outcome === "ambiguous" && state.status === "checked";
  if (!mayPick)
    return (
      <div>
        <Text fw={600}>Devices</Text>
        <ul className="tm-bullets">
          {row.candidates.map((device) => (
            <li key={device.deviceId}>
              <Anchor component={Link} href={`/devices/${device.deviceId}`} fz="inherit">
                {device.hostname} in {device.organization}
              </Anchor>
              <br />
              <Facts device={device} />
            </li>
          ))}
        </ul>
      </div>
    );
  const send = (deviceId: string | null) => {
    setChosen(deviceId);
    pick.mutate({ id: state.id, rowNo: row.rowNo, deviceId });
  };
  return (
    <Stack gap="sm">
      <Radio.Group label="Device for this row" value={chosen ?? ""} onChange={send}>
        <Stack gap="sm" mt="sm">
          {row.candidates.map((device, i) => (
            <Radio
              key={device.deviceId}
              value={device.deviceId}
              label={`${device.hostname} in ${device.organization}`}
              description={<Facts device={device} />}
              data-autofocus={(chosen ? device.deviceId === chosen : i === 0) || undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      {row.pickedDeviceId && (
        <Button variant="default" size="compact-sm" onClick={() => send(null)} loading={pick.isPending} w="fit-content">
          Clear selection
        </Button>
      )}
      {pick.error && <Message tone="bad">{errorText(pick.error)}</Message>}
    </Stack>
  );
}

type Props = {
  state: ImportState;
  row: ImportRow | null;
  /** Opens the previous (-1) or next (1) row; null at the ends. */
  onMove: (by: -1 | 1) => (() => void) | null;
  onClose: () => void;
};
const KEYS: Record<string, -1 | 1> = { k: -1, j: 1 };
/** True while the user is typing into a field, where letters are not shortcuts. */
const isTyping = (target: EventTarget): boolean => target instanceof HTMLInputElement && target.type !== "radio";

/** One row in full: its values, and the candidates if it is ambiguous. j and k move between rows. */
export function RowDrawer({ state, row, onMove, onClose }: Props) {
  const device = row?.device ?? row?.candidates.find(({ deviceId }) => deviceId === row.pickedDeviceId);
  return (
    <Drawer
      opened={row !== null}
      onClose={onClose}
      position="right"
      title={row ? `Row ${count(row.rowNo)}` : ""}
      onKeyDown={(event) => {
        const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
        if (by && !isTyping(event.target)) onMove(by)?.();
      }}
    >
      {row && (
        <Stack gap="lg">
          <Group gap={4}>
            <MoveButton label="Previous row (k)" icon={ChevronLeft} onClick={onMove(-1)} />
            <MoveButton label="Next row (j)" icon={ChevronRight} onClick={onMove(1)} />
          </Group>
          <div>
            <Text fw={600}>{ROW_OUTCOME_LABELS[row.outcome]}</Text>
            <Text c="dimmed">
              {row.reason ? `${capitalized(row.reason)}. ` : ""}
              {row.place.startsWith(row.file) ? row.place : `${row.file}, ${row.place}`}
            </Text>
            {device && (
              <Anchor component={Link} href={`/devices/${device.deviceId}`} fz="inherit">
                {device.hostname} in {device.organization}
              </Anchor>
            )}
            {row.related.length > 0 && (
              <Text c="dimmed">
                Also about {row.candidates.length === 1 ? "this device" : "these devices"}:{" "}
                {row.related.map(({ place, sourceId }) => `${place}${sourceId ? ` (ID ${sourceId})` : ""}`).join("; ")}
              </Text>
            )}
          </div>
          {row.candidates.length > 0 && <Candidates key={row.rowNo} state={state} row={row} />}
          <RowValues key={`values ${row.rowNo}`} state={state} row={row} />
        </Stack>
      )}
    </Drawer>
  );
}

type MoveProps = { label: string; icon: LucideIcon; onClick: (() => void) | null };

/** Stays enabled at the ends of the list, so that it keeps the focus. */
function MoveButton({ label, icon: Icon, onClick }: MoveProps) {
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label={label}
      title={label}
      aria-disabled={!onClick}
      data-disabled={!onClick || undefined}
      onClick={() => onClick?.()}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}
