import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt } from "./columns";
import { ofOrganization } from "./organizations";

export const devices = pgTable(
  "devices",
  {
    id: id(),
    orgId: ofOrganization(),
    hostname: text("hostname").notNull(),
    /** Hostname without domain, in lowercase (addresses unchanged), used by imports to match devices. */
    shortName: text("short_name").generatedAlwaysAs(
      sql`CASE WHEN hostname ~ '^[0-9.]+$' THEN hostname ELSE split_part(lower(hostname), '.', 1) END`,
    ),
    os: text("os").notNull(),
    osVersion: text("os_version"),
    serialNumber: text("serial_number"),
    agentVersion: text("agent_version"),
    status: text("status"),
    metrics: jsonb("metrics"),
    lastIp: text("last_ip"),
    lastSeenAt: instant("last_seen_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index("devices_org_hostname_idx").on(t.orgId, t.hostname),
    index("devices_hostname_lower_idx").on(sql`lower(${t.hostname})`),
    index("devices_short_name_idx").on(t.shortName),
  ],
);

/** A row that is deleted with its device. */
export const withDevice = () =>
  uuid("device_id")
    .notNull()
    .references(() => devices.id, { onDelete: "cascade" });

/** The agent on a device. Its id may be any text. */
export const agents = pgTable(
  "agents",
  {
    id: text("id").primaryKey(),
    /** Id in audit entries: a UUID in lowercase, others unchanged. */
    actorId: text("actor_id").generatedAlwaysAs(
      sql`CASE WHEN id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN lower(id) ELSE id END`,
    ),
    deviceId: withDevice(),
    orgId: ofOrganization(),
    tokenHash: text("token_hash").notNull().unique("agents_token_hash_key"),
    revokedAt: instant("revoked_at"),
    /** Until then the id may be enrolled again without its token. */
    releasedUntil: instant("released_until"),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("agents_device_key").on(t.deviceId),
    index("agents_org_idx").on(t.orgId),
    index("agents_actor_idx").on(t.actorId, t.orgId),
  ],
);

/**
 * A device's id in another RMM product, with its partner and organization; an id belongs to one device of the partner.
 */
export const deviceSourceIds = pgTable(
  "device_source_ids",
  {
    partnerId: uuid("partner_id").notNull(),
    source: text("source").notNull(),
    sourceId: text("source_id").notNull(),
    deviceId: withDevice(),
    orgId: uuid("org_id").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "device_source_ids_pkey", columns: [t.partnerId, t.source, t.sourceId] }),
    index("device_source_ids_device_idx").on(t.deviceId),
  ],
);
