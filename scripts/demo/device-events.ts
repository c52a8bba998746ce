import { itemAt } from "@/server/ground/records";
import type { Cast } from "./beats";
import { workingTime } from "./clock";
import type { Random } from "./random";

const EVENTS_PER_DEVICE = 240;

type Device = Cast["devices"][number];
/** often: how common it is beside the others; 10 unless it says so. */
type Template = {
  level: string;
  category: string;
  source: string;
  message: (r: Random) => string;
  number?: number;
  often?: number;
};

const TEMPLATES: Record<Device["os"], Template[]> = {
  windows: [
    {
      level: "info",
      category: "security",
      source: "Microsoft-Windows-Security-Auditing",
      number: 4624,
      message: (r) =>
        `An account was successfully logged on. Account name: user${r.int(1, 40)}. Logon type: ${r.pick([2, 3, 10])}`,
    },
    {
      level: "warning",
      category: "security",
      source: "Microsoft-Windows-Security-Auditing",
      number: 4625,
      often: 3,
      message: (r) =>
        `An account failed to log on. Account name: user${r.int(1, 40)}. Source address: 192.0.2.${r.int(1, 254)}`,
    },
    {
      level: "error",
      category: "hardware",
      source: "disk",
      number: 7,
      often: 1,
      message: (r) => `The device, \\Device\\Harddisk${r.int(0, 1)}\\DR0, has a bad block.`,
    },
    {
      level: "critical",
      category: "hardware",
      source: "Microsoft-Windows-Kernel-Power",
      number: 41,
      often: 0.2,
      message: () => "The system has rebooted without cleanly shutting down first.",
    },
    {
      level: "info",
      category: "system",
      source: "Service Control Manager",
      number: 7036,
      message: (r) =>
        `The ${r.pick(["Print Spooler", "Windows Update", "BITS"])} service entered the ${r.pick(["running", "stopped"])} state.`,
    },
    {
      level: "error",
      category: "application",
      source: "Application Error",
      number: 1000,
      often: 2,
      message: (r) =>
        `Faulting application name: ${r.pick(["OUTLOOK.EXE", "acad.exe", "imaging.exe"])}, exception code: 0xc0000005`,
    },
    {
      level: "warning",
      category: "system",
      source: "Microsoft-Windows-WindowsUpdateClient",
      number: 20,
      often: 2,
      message: (r) => `Installation failure: KB50${r.int(10000, 99999)} with error 0x80070643.`,
    },
  ],
  macos: [
    {
      level: "info",
      category: "security",
      source: "com.apple.opendirectoryd",
      message: (r) => `Authentication succeeded for user${r.int(1, 40)}`,
    },
    {
      level: "error",
      category: "system",
      source: "kernel",
      often: 1,
      message: () => "Sandbox: mds(412) deny(1) file-read-data /private/var/db",
    },
    {
      level: "info",
      category: "application",
      source: "com.apple.TimeMachine",
      message: (r) => `Backup completed, ${r.int(1, 90)} items copied`,
    },
  ],
  linux: [
    {
      level: "info",
      category: "security",
      source: "sshd",
      message: (r) => `Accepted publickey for deploy from 192.0.2.${r.int(1, 254)} port ${r.int(30000, 60000)} ssh2`,
    },
    {
      level: "warning",
      category: "security",
      source: "sshd",
      message: (r) =>
        `Failed password for invalid user admin from 198.51.100.${r.int(1, 254)} port ${r.int(30000, 60000)} ssh2`,
    },
    {
      level: "error",
      category: "hardware",
      source: "kernel",
      often: 0.5,
      message: (r) => `ata${r.int(1, 4)}.00: failed command: READ FPDMA QUEUED`,
    },
    {
      level: "info",
      category: "system",
      source: "systemd",
      message: (r) => `Started ${r.pick(["nginx", "cron", "postgresql"])}.service.`,
    },
  ],
};

/** Some hundred believable OS events of one device over the month, each with its own occurrence id. */
export function deviceEvents(device: Device, random: Random, end: number) {
  const templates = TEMPLATES[device.os];
  const weights = Object.fromEntries(templates.map(({ often = 10 }, at) => [String(at), often]));
  return Array.from({ length: EVENTS_PER_DEVICE }, (_, i) => {
    const template = itemAt(templates, Number(random.weighted(weights)));
    return {
      timestamp: new Date(workingTime(random, end)).toISOString(),
      level: template.level,
      category: template.category,
      source: template.source,
      eventId: `${device.hostname}:${i + 1}`,
      message: template.message(random),
      ...(template.number ? { details: { eventId: template.number, computer: device.hostname } } : {}),
    };
  }).sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}
