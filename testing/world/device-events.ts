import type { EventCategory, EventLevel } from "@/server/devices/logs/event-log-schema";
import { itemAt } from "@/server/ground/records";
import type { Random } from "./random";

/** Events of operating systems and agents' lines, as on ordinary machines. */

/** often: relative frequency, by default 10. `channel` and `number` are Windows' own. */
type DeviceEvent = {
  level: EventLevel;
  category: EventCategory;
  source: string;
  message: (random: Random) => string;
  channel?: string;
  number?: number;
  often?: number;
};

const AUDITING = "Microsoft-Windows-Security-Auditing";
const SECURITY = { channel: "Security", category: "security", source: AUDITING } as const;
const SERVICES = { channel: "System", category: "system", source: "Service Control Manager" } as const;
const DISK = { channel: "System", category: "hardware", source: "disk" } as const;
const APPLICATION = { channel: "Application", category: "application" } as const;

export const DEVICE_EVENTS: Record<"windows" | "macos" | "linux", DeviceEvent[]> = {
  windows: [
    {
      ...{ ...SECURITY, level: "info", number: 4624 },
      message: (r) =>
        `An account was successfully logged on. Account name: user${r.int(1, 40)}. Logon type: ${r.pick([2, 3, 10])}`,
    },
    {
      ...{ ...SECURITY, level: "warning", number: 4625, often: 3 },
      message: (r) =>
        `An account failed to log on. Account name: user${r.int(1, 40)}. Source address: 192.0.2.${r.int(1, 254)}`,
    },
    { ...SECURITY, level: "info", number: 4672, often: 5, message: () => "Special privileges assigned to new logon." },
    {
      ...{ ...SERVICES, level: "info", number: 7036 },
      message: (r) =>
        `The ${r.pick(["Print Spooler", "Windows Update", "BITS"])} service entered the ${r.pick(["running", "stopped"])} state.`,
    },
    {
      ...{ ...SERVICES, source: "Microsoft-Windows-WindowsUpdateClient", level: "warning", number: 20, often: 2 },
      message: (r) => `Installation failure: KB50${r.int(10000, 99999)} with error 0x80070643.`,
    },
    {
      ...{ ...SERVICES, source: "Microsoft-Windows-DNS-Client", level: "warning", number: 1014, often: 2 },
      message: () => "Name resolution for the name wpad.contoso.local timed out: no DNS server responded.",
    },
    {
      ...{ ...DISK, level: "warning", number: 153, often: 1 },
      message: (r) => `The IO operation at logical block address 0x${r.int(1e6, 9e6).toString(16)} was retried.`,
    },
    {
      ...{ ...DISK, level: "error", number: 7, often: 1 },
      message: (r) => `The device, \\Device\\Harddisk${r.int(0, 1)}\\DR0, has a bad block.`,
    },
    {
      ...{ ...DISK, source: "Microsoft-Windows-Kernel-Power", level: "critical", number: 41, often: 0.2 },
      message: () => "The system has rebooted without cleanly shutting down first.",
    },
    {
      ...{ ...APPLICATION, source: "Application Error", level: "error", number: 1000, often: 2 },
      message: (r) =>
        `Faulting application name: ${r.pick(["OUTLOOK.EXE", "acad.exe", "imaging.exe"])}, exception code: 0xc0000005`,
    },
    {
      ...{ ...APPLICATION, source: "MsiInstaller", level: "info", number: 1033, often: 3 },
      message: () => "Windows Installer installed the product. Product Name: 7-Zip 24.08 (x64).",
    },
    {
      ...{ ...APPLICATION, source: "VSS", level: "info", number: 8224, often: 3 },
      message: () => "The VSS service is shutting down due to idle timeout.",
    },
  ],
  macos: [
    {
      ...{ level: "info", category: "security", source: "com.apple.opendirectoryd" },
      message: (r) => `Authentication succeeded for user${r.int(1, 40)}`,
    },
    {
      ...{ level: "error", category: "system", source: "kernel", often: 1 },
      message: () => "Sandbox: mds(412) deny(1) file-read-data /private/var/db",
    },
    {
      ...{ level: "info", category: "application", source: "com.apple.TimeMachine" },
      message: (r) => `Backup completed, ${r.int(1, 90)} items copied`,
    },
  ],
  linux: [
    {
      ...{ level: "info", category: "security", source: "sshd" },
      message: (r) => `Accepted publickey for deploy from 192.0.2.${r.int(1, 254)} port ${r.int(30000, 60000)} ssh2`,
    },
    {
      ...{ level: "warning", category: "security", source: "sshd" },
      message: (r) =>
        `Failed password for invalid user admin from 198.51.100.${r.int(1, 254)} port ${r.int(30000, 60000)} ssh2`,
    },
    {
      ...{ level: "error", category: "hardware", source: "kernel", often: 0.5 },
      message: (r) => `ata${r.int(1, 4)}.00: failed command: READ FPDMA QUEUED`,
    },
    {
      ...{ level: "info", category: "system", source: "systemd" },
      message: (r) => `Started ${r.pick(["nginx", "cron", "postgresql"])}.service.`,
    },
  ],
};

/** A random item, weighted by frequency. */
export const draw = <T extends { often?: number }>(items: readonly T[], random: Random): T =>
  itemAt(items, Number(random.weighted(Object.fromEntries(items.map(({ often = 10 }, at) => [String(at), often])))));

type Line = { component: string; level: "debug" | "info" | "warn" | "error"; message: string; often: number };

/** Diagnostics of agents, by component and level. */
const LINES: Line[] = [
  { often: 20, component: "heartbeat", level: "debug", message: "heartbeat answered in {ms} ms" },
  { often: 18, component: "inventory", level: "info", message: "inventory unchanged" },
  { often: 16, component: "updater", level: "info", message: "update check: nothing new" },
  { often: 20, component: "events", level: "info", message: "batch of events accepted" },
  { often: 8, component: "ws", level: "info", message: "certificate verified" },
  { often: 4, component: "ws", level: "info", message: "reconnected after 3 s" },
  { often: 6, component: "ws", level: "warn", message: "connection closed by the server, reconnecting" },
  { often: 4, component: "heartbeat", level: "warn", message: "heartbeat unanswered, trying again" },
  { often: 2, component: "updater", level: "error", message: "update check failed: name not resolved" },
  { often: 1, component: "inventory", level: "error", message: "inventory failed: access denied" },
];

export function agentLine(random: Random, timestamp: Date) {
  const { component, level, message } = draw(LINES, random);
  const durationMs = random.int(3, 900);
  return {
    ...{ timestamp: timestamp.toISOString(), level, component },
    message: message.replace("{ms}", String(durationMs)),
    fields: { attempt: 1, durationMs },
  };
}
