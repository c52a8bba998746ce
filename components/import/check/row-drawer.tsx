"use client";

import { ActionIcon, Button, Drawer, Group, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { count } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import {
  type ImportRow,
  type ImportState,
  ROW_OUTCOME_LABELS,
  VALUE_OUTCOME_LABELS,
} from "@/server/custom-fields/import/schema";
import classes from "./check.module.css";

type Props = {
  state: ImportState;
  row: ImportRow | null;
  /** Opens the previous (-1) or next (1) row; null where there is none. */
  onMove: (by: -1 | 1) => (() => void) | null;
  onClose: () => void;
};
const KEYS: Record<string, -1 | 1> = { k: -1, j: 1 };

/** One row in full: its values one by one, and the candidates of an ambiguous one. j and k go from row to row. */
export function RowDrawer({ state, row, onMove, onClose }: Props) {
  return (
    <Drawer
      opened={row !== null}
      onClose={onClose}
      position="right"
      title={row ? `Row ${count(row.rowNo)}` : ""}
      onKeyDown={(event) => {
        const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
        if (by) onMove(by)?.();
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
              {row.reason ? `${row.reason.charAt(0).toUpperCase()}${row.reason.slice(1)}. ` : ""}
              {row.file}, line {count(row.line)}
            </Text>
          </div>
          {row.candidates.length > 0 && <Candidates key={row.rowNo} state={state} row={row} />}
          <Values state={state} row={row} />
        </Stack>
      )}
    </Drawer>
  );
}

type MoveProps = { label: string; icon: LucideIcon; onClick: (() => void) | null };

/** Stays where it is at the end of the list, so that the keyboard keeps its focus. */
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

function Candidates({ state, row }: { state: ImportState; row: ImportRow }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  // What is being sent counts as chosen: the keyboard does not wait for the server.
  const [chosen, setChosen] = useState(row.pickedDeviceId);
  const pick = useMutation(
    trpc.imports.pick.mutationOptions({
      onError: () => setChosen(row.pickedDeviceId),
      onSuccess: async (next) => {
        cache.setQueryData(trpc.imports.get.queryKey({ id: state.id }), next);
        await cache.invalidateQueries(trpc.imports.rows.pathFilter());
      },
    }),
  );
  const mayPick = row.outcome === "ambiguous" && state.status === "checked";
  if (!mayPick)
    return (
      <div>
        <Text fw={600}>Devices</Text>
        <ul className={shared.plain}>
          {row.candidates.map((device) => (
            <li key={device.deviceId}>
              {device.hostname}, {device.organization}
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
      <Radio.Group label="Which device is meant" value={chosen ?? ""} onChange={send}>
        <Stack gap="sm" mt="sm">
          {row.candidates.map((device, i) => (
            <Radio
              key={device.deviceId}
              value={device.deviceId}
              label={`${device.hostname} in ${device.organization}`}
              description={device.deviceId}
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

function Values({ state, row }: { state: ImportState; row: ImportRow }) {
  const names = new Map(state.plan?.fields.map((field) => [field.fieldId, field.name]));
  return (
    <dl className={classes.values}>
      {row.cells.map((cell) => (
        <div key={cell.fieldId} data-bad={cell.outcome === "invalid" || undefined}>
          <dt>{names.get(cell.fieldId)}</dt>
          <dd>
            <span data-blank={cell.text === "" || undefined}>{cell.text || "Blank"}</span>
            {cell.outcome !== "none" && (
              <small>
                {VALUE_OUTCOME_LABELS[cell.outcome]}
                {cell.reason ? `: ${cell.reason}` : ""}
              </small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
