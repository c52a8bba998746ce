import { bigint, customType, timestamp, uuid } from "drizzle-orm/pg-core";

/** timestamptz(3): milliseconds, so that database, JavaScript and wire agree. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const id = () => uuid("id").primaryKey().defaultRandom();
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();

/** bigint as a number: sequences and sizes. */
export const count = (name: string) => bigint(name, { mode: "number" });

/** A PostgreSQL transaction id (xid8) as text. */
export const xid8 = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * jsonb with a bare text, number or boolean. Drizzle's own jsonb parses values already parsed by the driver, so that
 * the text "42" would become a number and '{"a":1}' an object.
 */
export const jsonScalar = customType<{ data: string | number | boolean; driverData: unknown }>({
  dataType: () => "jsonb",
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => value as string | number | boolean,
});

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
