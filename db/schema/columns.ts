import { customType, timestamp, uuid } from "drizzle-orm/pg-core";

/** timestamptz(3): milliseconds, so that the database, JavaScript and the wire hold one value. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const id = () => uuid("id").primaryKey().defaultRandom();
export const createdAt = () => instant("created_at").notNull().defaultNow();
export const updatedAt = () => instant("updated_at").notNull().defaultNow();

/** A PostgreSQL transaction id (xid8), read and written as text. */
export const xid8 = customType<{ data: string }>({ dataType: () => "xid8" });
