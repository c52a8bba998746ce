"use client";

import { Button, Drawer, Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  type ImportRow,
  type ImportState,
  ROW_OUTCOME_LABELS,
  VALUE_OUTCOME_LABELS,
} from "@/server/custom-fields/import/schema";
import { Message } from "../shell/message";
import { errorText } from "../shell/notice";
import { useTRPC } from "../trpc";
import classes from "./import.module.css";

type Props = { state: ImportState; row: ImportRow | null; onClose: () => void };

/** One row in full: its values one by one, and the choice that an ambiguous one leaves. */
export function RowDrawer({ state, row, onClose }: Props) {
  return (
    <Drawer opened={row !== null} onClose={onClose} position="right" title={row ? `Row ${row.rowNo}` : ""}>
      {row && (
        <Stack gap="lg">
          <div>
            <Text fw={600}>{ROW_OUTCOME_LABELS[row.outcome]}</Text>
            <Text c="dimmed">
              {row.reason ? `${row.reason.charAt(0).toUpperCase()}${row.reason.slice(1)}. ` : ""}
              {row.file}, line {row.line}
            </Text>
          </div>
          {row.candidates.length > 0 && <Candidates key={row.rowNo} state={state} row={row} />}
          <Values state={state} row={row} />
        </Stack>
      )}
    </Drawer>
  );
}

function Candidates({ state, row }: { state: ImportState; row: ImportRow }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const pick = useMutation(
    trpc.imports.pick.mutationOptions({
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
        <ul className={classes.plain}>
          {row.candidates.map((device) => (
            <li key={device.deviceId}>
              {device.hostname}, {device.organization}
            </li>
          ))}
        </ul>
      </div>
    );
  const send = (deviceId: string | null) => pick.mutate({ id: state.id, rowNo: row.rowNo, deviceId });
  return (
    <Stack gap="sm">
      <Radio.Group label="Which device is meant" value={row.pickedDeviceId ?? ""} onChange={send}>
        <Stack gap="sm" mt="sm">
          {row.candidates.map((device) => (
            <Radio
              key={device.deviceId}
              value={device.deviceId}
              label={device.hostname}
              description={`${device.organization}, ${device.deviceId}`}
              disabled={pick.isPending}
            />
          ))}
        </Stack>
      </Radio.Group>
      {row.pickedDeviceId && (
        <Button variant="default" size="compact-sm" onClick={() => send(null)} loading={pick.isPending} w="fit-content">
          Take the choice back
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
            <span>{cell.text || "blank"}</span>
            <small>
              {VALUE_OUTCOME_LABELS[cell.outcome]}
              {cell.reason ? `: ${cell.reason}` : ""}
            </small>
          </dd>
        </div>
      ))}
    </dl>
  );
}
