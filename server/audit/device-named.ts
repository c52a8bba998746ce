/** Members of details in which an entry names a device (db: audit_devices_named). */
const MEMBERS = ["device", "deviceName", "hostname"] as const;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** The devices that an entry's details name, by hostname. Isomorphic. */
export function devicesNamed(details: Record<string, unknown>): string[] {
  const { device } = details;
  const named = [...MEMBERS.map((member) => details[member]), memberOf(device, "name"), memberOf(device, "hostname")];
  return named.map(textOf).filter((text) => text !== null);
}

/** The first of them; null where they name none. */
export const deviceNamed = (details: Record<string, unknown>): string | null => devicesNamed(details)[0] ?? null;
