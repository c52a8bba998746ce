"use client";

import { When } from "@/components/format/when";
import { Fact } from "@/components/ui/facts";
import type { DeviceDetail } from "@/server/devices/schema";
import classes from "./device-page.module.css";
import { metricName, metricValue } from "./metric";
import { systemOf } from "./system-of";

/** The device's facts, and the metrics of its last heartbeat. */
export function Overview({ device }: { device: DeviceDetail }) {
  const metrics = Object.entries(device.metrics ?? {});
  return (
    <>
      <dl className={classes.facts}>
        <Fact name="Hostname">{device.hostname}</Fact>
        <Fact name="System">{systemOf(device)}</Fact>
        <Fact name="Serial number">{device.serialNumber ?? "Unknown"}</Fact>
        <Fact name="Last address">{device.lastIp ?? "Unknown"}</Fact>
        <Fact name="Last seen">
          <When at={device.lastSeenAt} />
        </Fact>
        <Fact name="Agent version">{device.agentVersion ?? "No agent"}</Fact>
        <Fact name="Agent status">{device.status ?? "Not reported"}</Fact>
        <Fact name="Enrolled">
          <When at={device.createdAt} />
        </Fact>
        <Fact name="Device ID">
          <code>{device.id}</code>
        </Fact>
      </dl>
      {metrics.length > 0 && (
        <dl className={classes.facts} aria-label="Metrics of the last heartbeat">
          {metrics.map(([name, value]) => (
            <Fact key={name} name={metricName(name)}>
              {typeof value === "object" ? <code>{JSON.stringify(value)}</code> : metricValue(name, value)}
            </Fact>
          ))}
        </dl>
      )}
    </>
  );
}
