import type { EventCategory, EventLevel } from "@/server/devices/logs/event-log-schema";

/** Levels of live events; stored events have four of them. */
export type LiveLevel = "critical" | "error" | "warning" | "information" | "verbose";

/** Stored form of a live level: verbose events that are sent count as info. */
export function toStoredLevel(level: LiveLevel): EventLevel {
  if (level === "information" || level === "verbose") return "info";
  return level;
}

const AUDIT_FAILURE = 0x10000000000000n;
const WINDOWS_LEVELS: readonly LiveLevel[] = ["information", "critical", "error", "warning", "information", "verbose"];

/** Windows: in the Security channel Keywords, not the level, tell whether an audit failed. */
export function windowsLevel(channel: string, level: number, keywords: bigint): LiveLevel {
  if (channel.toLowerCase() === "security") return (keywords & AUDIT_FAILURE) !== 0n ? "warning" : "information";
  return WINDOWS_LEVELS[level] ?? "information";
}

/** journald PRIORITY is syslog's severity 0 to 7. */
export function syslogLevel(priority: number): LiveLevel {
  if (priority <= 2) return "critical";
  if (priority === 3) return "error";
  if (priority === 4) return "warning";
  return priority === 7 ? "verbose" : "information";
}

/** macOS unified log: messageType. */
export function unifiedLogLevel(type: string): LiveLevel {
  const levels: Record<string, LiveLevel> = { fault: "critical", error: "error", debug: "verbose" };
  return levels[type.toLowerCase()] ?? "information";
}

/** Log files have no severity: only words that name one count, everything else is information. */
export function textLevel(text: string): LiveLevel {
  if (/\b(kernel panic|panic:|emerg(ency)?:|critical:|crit:|fatal:)/i.test(text)) return "critical";
  if (/\b(error|err)\b\s*[:\]]|level=error\b|segfault/i.test(text)) return "error";
  if (/\bwarn(ing)?\b\s*[:\]]|level=warn|authentication failure|failed password|invalid user/i.test(text))
    return "warning";
  return "information";
}

const WINDOWS_HARDWARE =
  /^(disk|ntfs|volmgr|storahci|stornvme|Microsoft-Windows-(Kernel-Power|WHEA-Logger|Disk|Ntfs|StorPort|USB-.*|Kernel-Processor-Power))$/i;

/** Windows: the channel, and the provider for hardware messages in the System channel. */
export function windowsCategory(channel: string, provider: string): EventCategory {
  const name = channel.toLowerCase();
  if (name === "security") return "security";
  if (name === "system") return WINDOWS_HARDWARE.test(provider) ? "hardware" : "system";
  return "application";
}

const KERNEL_HARDWARE =
  /\b(ata\d+|s[dr][a-z]|nvme\d*|mmcblk\d*|scsi|blk_update_request|I\/O error|EXT4-fs|XFS|md\d+|thermal|throttl\w+|temperature|mce|machine check|EDAC|hardware error|usb)\b/i;

const kernelCategory = (message: string): EventCategory => (KERNEL_HARDWARE.test(message) ? "hardware" : "system");

const FACILITY = { kern: 0, auth: 4, authpriv: 10 };

/** Facts that determine an event's category on systems with syslog facilities. */
export type SyslogOrigin = { facility: number | null; isKernel: boolean; program: string; message: string };

/** journald and syslog: facility first, then the kernel, then systemd; other units are applications. */
export function syslogCategory({ facility, isKernel, program, message }: SyslogOrigin): EventCategory {
  if (facility === FACILITY.auth || facility === FACILITY.authpriv) return "security";
  if (isKernel || facility === FACILITY.kern) return kernelCategory(message);
  return program === "systemd" || program.startsWith("systemd-") ? "system" : "application";
}

/** macOS unified log. */
export function unifiedLogCategory(subsystem: string, process: string, message: string): EventCategory {
  if (subsystem === "com.apple.securityd" || /opendirectoryd|authd/.test(`${subsystem} ${process}`)) return "security";
  return process === "kernel" ? kernelCategory(message) : "application";
}
