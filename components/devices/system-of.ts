const NAME: Record<string, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };

/** "Windows 11 24H2", "Ubuntu 24.04 LTS", "macOS 26.1": a device's operating system, without repeating its family. */
export function systemOf({ os, osVersion }: { os: string; osVersion: string | null }): string {
  const name = NAME[os] ?? os;
  if (!osVersion) return name;
  return /^[a-z]{3}/i.test(osVersion) ? osVersion : `${name} ${osVersion}`;
}
