"use client";

import { Box, Stack, Text } from "@mantine/core";
import { bytes, duration } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { Facts } from "@/components/ui/facts";
import type { DeviceDetail } from "@/server/devices/schema";
import { capitalized } from "@/server/ground/text";
import { systemOf } from "./cells";

/** Unit suffixes in the agents' metric names, and their symbols. */
const UNIT = new Map(Object.entries({ percent: "%", gb: "GB", mb: "MB", ms: "ms" }));
/** Units of duration, in seconds. */
const SPAN = new Map(Object.entries({ seconds: 1, minutes: 60, hours: 3600 }));
const UPPERCASE = ["cpu", "ram", "os", "ip"];

/** Splits a metric's name into words; agents use any naming style. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const lastOf = (name: string): string => wordsOf(name).at(-1) ?? "";
const hasUnit = (name: string): boolean =>
  wordsOf(name).length > 1 && (UNIT.has(lastOf(name)) || SPAN.has(lastOf(name)) || lastOf(name) === "bytes");

/** "CPU", "Disk free", "Load (1 min)": a metric's name without its unit. */
export function metricName(name: string): string {
  const load = /^load_?(1|5|15)$/i.exec(name);
  if (load) return `Load (${load[1]} min)`;
  const words = wordsOf(name).slice(0, hasUnit(name) ? -1 : undefined);
  return capitalized(words.map((word) => (UPPERCASE.includes(word) ? word.toUpperCase() : word)).join(" "));
}

/** "13 %", "8.2 GB", "19 min": a metric's value with the unit from its name. */
export function metricValue(name: string, value: unknown): string {
  if (typeof value !== "number" || !hasUnit(name)) return String(value);
  const unit = lastOf(name);
  const span = SPAN.get(unit);
  if (span) return duration(value * span);
  return unit === "bytes" ? bytes(value) : `${value.toLocaleString("en-GB")} ${UNIT.get(unit)}`;
}

/** The agent's own status; for an offline agent, its last one. */
const statusOf = ({ status, online }: DeviceDetail): string =>
  status ? `${status}${online ? "" : " when last seen"}` : "Not reported";

/** The device's facts, and the metrics of its last heartbeat. */
export function Overview({ device }: { device: DeviceDetail }) {
  const metrics = Object.entries(device.metrics ?? {});
  return (
    <>
      <Box px="edge" py={16}>
        <Facts
          inBlocks
          facts={[
            ["Hostname", device.hostname],
            ["System", systemOf(device)],
            ["Serial number", device.serialNumber ?? "Unknown"],
            ["Last address", device.lastIp ?? "Unknown"],
            ["Last seen", <When key="seen" at={device.lastSeenAt} />],
            ["Agent version", device.agentVersion ?? "No agent"],
            ["Agent status", statusOf(device)],
            ["Enrolled", <When key="enrolled" at={device.createdAt} />],
            ["Device ID", <code key="id">{device.id}</code>],
          ]}
        />
      </Box>
      {metrics.length > 0 && (
        <Stack className="tm-ruled" px="edge" py={12}>
          <Text size="xs" c="dimmed">
            As of the last report, <When at={device.lastSeenAt} />
          </Text>
          <Facts
            inBlocks
            label="Metrics of the last heartbeat"
            facts={metrics.map(([name, value]) => [
              metricName(name),
              typeof value === "object" ? <code key={name}>{JSON.stringify(value)}</code> : metricValue(name, value),
            ])}
          />
        </Stack>
      )}
    </>
  );
}
