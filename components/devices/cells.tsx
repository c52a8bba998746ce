import { Text } from "@mantine/core";
import { counted } from "@/components/format/amounts";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import { capitalized } from "@/server/ground/text";
import classes from "./device-page.module.css";

/** Whether the device's agent has reported recently. */
export function Online({ device }: { device: { online: boolean } }) {
  return device.online ? <StateTag tone="good">Online</StateTag> : <StateTag tone="off">Offline</StateTag>;
}

const NAME: Record<string, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };

/** "Windows 11 24H2", "Ubuntu 24.04 LTS", "macOS 26.1": a device's operating system, without repeating its family. */
export function systemOf({ os, osVersion }: { os: string; osVersion: string | null }): string {
  const name = NAME[os] ?? os;
  if (!osVersion) return name;
  return /^[a-z]{3}/i.test(osVersion) ? osVersion : `${name} ${osVersion}`;
}

const TONE: Record<string, Tone> = { warn: "warn", warning: "warn", error: "bad", critical: "bad" };
/** A severity level as color, icon and word. */
export function Level({ level }: { level: string }) {
  return <StateTag tone={TONE[level] ?? "off"}>{level === "warn" ? "Warning" : capitalized(level)}</StateTag>;
}

/** A log entry's message, with its structured fields folded below. */
export function LogMessage({ message, fields }: { message: string; fields: Record<string, unknown> | null }) {
  const has = fields !== null && Object.keys(fields).length > 0;
  return (
    <div>
      <span className={classes.message}>{message}</span>
      {has && (
        <Text component="details" size="xs" c="dimmed" mt={4}>
          <summary>{counted(Object.keys(fields).length, "field")}</summary>
          <pre className={`tm-box ${classes.message}`}>{JSON.stringify(fields, null, 2)}</pre>
        </Text>
      )}
    </div>
  );
}

/** Poll interval for online states, about the interval of agents' reports. */
export const POLL_MS = 60_000;
