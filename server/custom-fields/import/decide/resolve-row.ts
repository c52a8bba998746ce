import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import { shortName } from "./placeholders";

/** Identifiers of the computer of a row; placeholders are null. */
export type RowIdentity = {
  sourceId: string | null;
  hostname: string | null;
  /** A placeholder in the hostname column. */
  placeholder?: string | null;
  organization: string | null;
  serial: string | null;
};

/** A device in reach. recorded: its ids in this source product. */
export type DeviceFacts = {
  id: string;
  orgId: string;
  hostname: string;
  os: string;
  serial: string | null;
  recorded: readonly string[];
};

export type DeviceIndex = {
  bySourceId: ReadonlyMap<string, readonly DeviceFacts[]>;
  byShortName: ReadonlyMap<string, readonly DeviceFacts[]>;
  /** Organizations in reach by normalized name. */
  orgsByName: ReadonlyMap<string, ReadonlySet<string>>;
  /** False if no column is mapped to the source ID, so that only the hostname identifies devices. */
  hasSourceIds: boolean;
};

export type Match =
  | { kind: "matched_source_id" | "matched_hostname"; device: DeviceFacts }
  | { kind: "ambiguous" | "identity_conflict"; candidates: readonly DeviceFacts[]; reason: string }
  | { kind: "not_found"; reason: string };

const hasDomain = (hostname: string): boolean => shortName(hostname) !== hostname.toLowerCase();

/** True if two hostnames are equal except for case and a domain that only one of them has. */
export const isSameName = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || (shortName(a) === shortName(b) && !(hasDomain(a) && hasDomain(b)));

const exactly = (hostname: string, devices: readonly DeviceFacts[]): readonly DeviceFacts[] =>
  devices.filter((device) => device.hostname.toLowerCase() === hostname.toLowerCase());

/**
 * Devices named by a hostname: exact matches, else the only one equal without domain, unless both have different
 * domains. If several are equal without domain, all are returned as ambiguous.
 */
function named(hostname: string, devices: readonly DeviceFacts[]): readonly DeviceFacts[] {
  const exact = exactly(hostname, devices);
  if (exact.length > 0) return exact;
  const [only, second] = devices;
  return only && !second && hasDomain(hostname) && hasDomain(only.hostname) ? [] : devices;
}

/** Organization and serial number rule devices out but never choose one. An unknown serial rules nothing out. */
function narrow(row: RowIdentity, devices: readonly DeviceFacts[], index: DeviceIndex): readonly DeviceFacts[] {
  const orgs = row.organization === null ? null : index.orgsByName.get(normaliseHeader(row.organization));
  const serial = row.serial?.toLowerCase();
  return devices.filter(
    (device) =>
      (row.organization === null || orgs?.has(device.orgId)) &&
      (!serial || !device.serial || device.serial.toLowerCase() === serial),
  );
}

function bySourceId(row: RowIdentity, device: DeviceFacts, alike: readonly DeviceFacts[]): Match {
  if (row.hostname === null || isSameName(device.hostname, row.hostname)) return { kind: "matched_source_id", device };
  // After a move to another domain the short name still matches; a different full name does not.
  const hasKeptName = shortName(device.hostname) === shortName(row.hostname);
  const others = hasKeptName ? exactly(row.hostname, alike) : named(row.hostname, alike);
  if (others.length === 0) return { kind: "matched_source_id", device };
  return {
    kind: "identity_conflict",
    candidates: [device, ...others],
    reason: `source ID ${row.sourceId} is recorded on ${device.hostname}, but the hostname names ${others.length === 1 ? "another device" : "other devices"}`,
  };
}

/** A reused hostname: its devices are recorded under IDs other than the row's. */
function reusedHostname({ hostname, sourceId }: RowIdentity, devices: readonly DeviceFacts[]): Match {
  const ids = devices.flatMap(({ recorded }) => recorded).join(", ");
  const stated = sourceId === null ? "this row has no source ID" : `this row has the source ID ${sourceId}`;
  return {
    kind: "identity_conflict",
    candidates: devices,
    reason: `${stated}, but the device called ${hostname} is recorded under ${ids}`,
  };
}

function notFound(row: RowIdentity & { hostname: string }, alike: readonly DeviceFacts[], index: DeviceIndex): Match {
  const { hostname } = row;
  const reason = (text: string): Match => ({ kind: "not_found", reason: text });
  const isNamed = (devices: readonly DeviceFacts[]) => named(hostname, devices).length > 0;
  if (!isNamed(alike)) return reason(`no device is called ${hostname}`);
  if (row.organization !== null && !index.orgsByName.has(normaliseHeader(row.organization)))
    return reason(`no organization is called ${row.organization}`);
  if (!isNamed(narrow({ ...row, serial: null }, alike, index)))
    return reason(`a device is called ${hostname}, but not in ${row.organization}`);
  if (!isNamed(narrow(row, alike, index)))
    return reason(`a device is called ${hostname}, but its serial number is not ${row.serial}`);
  return reusedHostname(row, named(hostname, narrow(row, alike, index)));
}

/**
 * Finds the device of a row from this row and the index only, independent of other rows: by its recorded source ID,
 * else by a unique hostname whose device has no recorded source ID.
 */
export function resolveRow(row: RowIdentity, index: DeviceIndex): Match {
  const alike = (row.hostname !== null && index.byShortName.get(shortName(row.hostname))) || [];
  const known = row.sourceId === null ? undefined : index.bySourceId.get(row.sourceId);
  if (known && known.length > 1)
    return {
      kind: "ambiguous",
      candidates: known,
      reason: `source ID ${row.sourceId} is recorded on ${known.length} devices`,
    };
  if (known?.[0]) return bySourceId(row, known[0], alike);
  const { hostname } = row;
  if (hostname === null)
    return {
      kind: "not_found",
      reason: row.placeholder
        ? `${row.placeholder} is a placeholder, not a name, and is never matched`
        : row.sourceId === null
          ? "the row names no computer"
          : `source ID ${row.sourceId} is not known`,
    };
  const found = named(hostname, narrow(row, alike, index));
  const open = index.hasSourceIds ? found.filter((device) => device.recorded.length === 0) : found;
  const [device] = open;
  if (!device) return notFound({ ...row, hostname }, alike, index);
  if (found.length === 1) return { kind: "matched_hostname", device };
  // Even if all others have an ID by now: an ambiguous row must stay so, or a second run would write.
  return { kind: "ambiguous", candidates: open, reason: `${found.length} devices are called ${hostname}` };
}
