import { z } from "zod";

export const MANIFEST = "manifest.json";
/** The members of each part. */
export const CLUSTER = "cluster/";
export const DUMP = "database.dump";
export const DATA = "data/";
export const KEYS = "keys.sealed";

const member = z.strictObject({
  name: z.string().min(1),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Position of a chain when the backup started; the backup has at least this much. */
const chainHead = z.strictObject({ orgId: z.guid(), seq: z.int().min(0), checksum: z.string() });
export type ChainHead = z.output<typeof chainHead>;

/** Last member of a backup: contents and origin. */
export const manifest = z.strictObject({
  format: z.literal("trailmark-backup"),
  version: z.literal(1),
  product: z.string(),
  createdAt: z.iso.datetime(),
  /** The files of an embedded cluster, or a dump by pg_dump. */
  kind: z.enum(["cluster", "dump"]),
  postgres: z.strictObject({ version: z.string(), platform: z.string().nullable() }),
  migrations: z.int().min(0),
  /** Date of the newest migration, in ms since 1970 UTC. */
  newestMigration: z.int().min(0),
  heads: z.array(chainHead),
  /** Whether it contains the keys, sealed under a passphrase. */
  hasKeys: z.boolean(),
  members: z.array(member),
});
export type Manifest = z.output<typeof manifest>;
