/** Members of details in which an entry names a device (db: audit_devices_named). */
const MEMBERS = ["device", "deviceName", "hostname"] as const;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? new Map(Object.entries(value)).get(name)
    : undefined;

/** The device that an entry's details name, by its hostname; null where they name none. Isomorphic. */
export function deviceNamed(details: Record<string, unknown>): string | null {
  const { device } = details;
  const named = [...MEMBERS.map((member) => details[member]), memberOf(device, "name"), memberOf(device, "hostname")];
  return named.map(textOf).find((text) => text !== null) ?? null;
}
