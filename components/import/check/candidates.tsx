"use client";

import { Anchor, Button, Radio, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { When } from "@/components/format/when";
import shared from "@/components/import/import.module.css";
import { useChange } from "@/components/import/use-change";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import type { Candidate, ImportRow } from "@/server/custom-fields/import/outcome-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";

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
export function Candidates({ state, row }: { state: ImportState; row: ImportRow }) {
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
        <ul className={shared.plain}>
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
