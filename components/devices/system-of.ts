const NAME: Record<string, string> = { windows: "Windows", macos: "macOS", linux: "Linux" };

/** "Windows 11 24H2", "Ubuntu 24.04 LTS", "macOS 26.1": what runs on a device, its kind said once. */
export function systemOf({ os, osVersion }: { os: string; osVersion: string | null }): string {
  const name = NAME[os] ?? os;
  if (!osVersion) return name;
  return /^[a-z]{3}/i.test(osVersion) ? osVersion : `${name} ${osVersion}`;
}
