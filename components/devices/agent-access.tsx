"use client";

import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useCan } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useDone } from "@/components/ui/dialogs/form-dialog";
import { Section } from "@/components/ui/page-header";
import type { DeviceDetail } from "@/server/devices/schema";

type Action = "release" | "revoke";

const isReleased = ({ agentReleasedUntil }: DeviceDetail) =>
  agentReleasedUntil !== null && Date.parse(agentReleasedUntil) > Date.now();

/** Whether the device's agent may connect and who may re-enroll it; requires the permission to enroll devices. */
export function AgentAccess({ device }: { device: DeviceDetail }) {
  const mayEnroll = useCan("agents:enroll");
  const trpc = useTRPC();
  const [asking, ask] = useState<Action | null>(null);
  const close = () => ask(null);
  const done = useDone(close, trpc.devices.pathFilter());
  const release = useMutation(trpc.devices.releaseAgent.mutationOptions(done));
  const revoke = useMutation(trpc.devices.revokeAgent.mutationOptions(done));
  if (!mayEnroll || device.agentId === null) return null;
  const [title, action, mutation] =
    asking === "revoke"
      ? [`Revoke the agent of ${device.hostname}`, "Revoke agent", revoke]
      : [`Allow re-enrollment of ${device.hostname}`, "Allow re-enrollment", release];
  return (
    <Section title="Agent access" lead={<State device={device} />}>
      <Group gap="sm">
        <Button variant="default" onClick={() => ask("release")}>
          Allow re-enrollment
        </Button>
        {device.agentRevokedAt === null && (
          <Button variant="default" onClick={() => ask("revoke")}>
            Revoke agent
          </Button>
        )}
      </Group>
      {asking && (
        <Confirm
          title={title}
          action={action}
          isBusy={mutation.isPending}
          error={mutation.error}
          onConfirm={() => mutation.mutate({ id: device.id })}
          onClose={() => {
            close();
            mutation.reset();
          }}
        >
          {asking === "revoke"
            ? "Its token is refused from now on and its connection is closed. To bring it back, allow re-enrollment and enroll it again. What it has sent is kept."
            : "For 24 hours, anyone with an enrollment key of this organization can enroll as this device without the agent's token; the current agent then loses its access. Use this for a machine that was reinstalled."}
        </Confirm>
      )}
    </Section>
  );
}

function State({ device }: { device: DeviceDetail }) {
  return (
    <>
      <Text span size="sm">
        {device.agentRevokedAt === null ? (
          "Agent: allowed."
        ) : (
          <>
            Revoked <When at={device.agentRevokedAt} />. Agent: not allowed.
          </>
        )}
      </Text>{" "}
      {isReleased(device) && (
        <Text span size="sm">
          Re-enrollment is allowed until <When at={device.agentReleasedUntil} />.
        </Text>
      )}
    </>
  );
}
