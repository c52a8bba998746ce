import { readFile } from "node:fs/promises";
import { freemem, hostname, loadavg, platform, release, totalmem, uptime } from "node:os";

const OS_NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "macos", win32: "windows" };

/** What the agent reports about its machine when it enrols. */
export async function describeMachine(): Promise<{ hostname: string; os: string; osVersion: string }> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const pretty = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1];
  return {
    hostname: hostname(),
    os: OS_NAMES[platform()] ?? platform(),
    osVersion: (pretty ?? release()).slice(0, 100),
  };
}

/** What a heartbeat reports. */
export function measureMachine(): Record<string, number> {
  return {
    uptimeSeconds: Math.round(uptime()),
    load1: loadavg()[0] ?? 0,
    memoryTotalBytes: totalmem(),
    memoryFreeBytes: freemem(),
  };
}
