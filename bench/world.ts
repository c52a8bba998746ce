import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { closeDatabase } from "@/db/client";
import { type Embedded, startEmbedded } from "@/db/embedded/embedded";
import { migrate } from "@/db/migrate";
import { stopRecording } from "@/server/audit/record/record";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { narrow } from "@/server/ground/scope";
import { createOrg, createPartner } from "@/testing/factories";
import { advanceIndex, listBacklog } from "@/testing/search/advance-index";
import { SEED } from "@/testing/world/cast";
import { createRandom, type Random } from "@/testing/world/random";
import { fillAudit, type Span } from "./fill";
import { repeatedly } from "./until";

const ORGANIZATIONS = 100;

export type Size = { full: boolean; rows: number };

/** Database of all measurements: safe settings, the product's migrations, one partner. */
export type World = {
  size: Size;
  dir: string;
  embedded: Embedded;
  random: Random;
  /** Pool of the application role with sight of every organization. */
  app: postgres.Sql;
  owner: postgres.Sql;
  partnerId: string;
  orgIds: string[];
  /** A further pool with some connections; ended with the world. */
  connect: (max: number, url?: string) => postgres.Sql;
  ctxOf: (orgId: string) => Ctx;
  partnerCtx: () => Ctx;
  /** Organization with the long history, created on first use. */
  history: () => Promise<string>;
  /** A new organization with its own history. */
  filled: (rows: number, span?: Span) => Promise<string>;
  /** Number of rows without a search index: of a chain, or of the one with the most. */
  backlog: (orgId?: string) => Promise<number>;
  /** Indexes all chains up to their newest rows, as the worker would. */
  index: () => Promise<void>;
  say: (line: string) => void;
  end: () => Promise<void>;
};

/** Environment of the verbs and the server under test. */
function setEnvironment(dir: string, embedded: Embedded): void {
  Object.assign(process.env, {
    DATABASE_URL: embedded.appUrl,
    AUDIT_ADMIN_DATABASE_URL: embedded.adminUrl,
    TRAILMARK_OWNER_DATABASE_URL: embedded.ownerUrl,
    TRAILMARK_DATA_DIR: join(dir, "data"),
    NEXTAUTH_SECRET: "bench-secret-bench-secret-bench-secret",
    NEXTAUTH_URL: "http://127.0.0.1:3000",
    LOG_LEVEL: "error",
    NODE_ENV: "production",
  });
}

type Filled = Pick<World, "size" | "orgIds" | "app" | "owner" | "say"> & { big: string };

async function fillHistory({ big, ...world }: Filled): Promise<string> {
  const others = world.orgIds.slice(1);
  const started = performance.now();
  const fill = async () => {
    await fillAudit(world.app, { orgId: big, rows: world.size.rows });
    const few = Math.max(100, world.size.rows / 2000);
    for (const orgId of others) await fillAudit(world.app, { orgId, rows: few });
  };
  // Indexed in parallel, on another core.
  const stopIndexing = repeatedly(indexAll, 200);
  await fill().finally(stopIndexing);
  await indexAll();
  await world.owner`VACUUM ANALYZE`;
  await world.owner`CHECKPOINT`;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  world.say(`${world.size.rows} rows in one organization of ${others.length + 1}, made in ${seconds} s`);
  return big;
}

const backlogOf = (owner: postgres.Sql, orgId?: string): Promise<number> =>
  owner.begin(async (tx) => {
    await tx`SELECT set_config('trailmark.scope', 'system', true)`;
    const [row] = await tx<{ rows: string | null }[]>`
      SELECT max(rows) AS rows FROM audit_search_backlog() WHERE ${orgId ?? null}::uuid IS NULL OR org_id = ${orgId ?? null}`;
    return Number(row?.rows ?? 0);
  });

async function indexAll(): Promise<void> {
  for (;;) {
    let advanced = 0;
    for (const orgId of await listBacklog()) advanced += (await advanceIndex(orgId)) ?? 0;
    if (advanced === 0) return;
  }
}

/** Starts and migrates a temporary cluster with fsync and synchronous_commit on. */
export async function createWorld(size: Size, say: (line: string) => void): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), "trailmark-bench-"));
  const embedded = await startEmbedded(join(dir, "data"), { settings: { max_connections: "150" } });
  const pools: postgres.Sql[] = [];
  const connect = (max: number, url = embedded.appUrl) => {
    const settings: Record<string, string> = url === embedded.ownerUrl ? {} : { "trailmark.scope": "system" };
    const sql = postgres(url, { max, max_lifetime: null, connection: settings, onnotice: () => {} });
    pools.push(sql);
    return sql;
  };
  let ended: Promise<void> | undefined;
  const end = async () => {
    // Only now: later records of a bench would be lost and reported.
    await stopRecording();
    await Promise.allSettled([...pools.map((sql) => sql.end({ timeout: 2 })), closeDatabase()]);
    await embedded.stop();
    for (const path of [embedded.cluster, dir]) rmSync(path, { recursive: true, force: true });
  };
  setEnvironment(dir, embedded);
  await migrate(embedded);
  const partner = await createPartner({ name: "Bench partner" });
  const orgIds: string[] = [];
  for (let i = 0; i < ORGANIZATIONS; i++)
    orgIds.push((await createOrg({ partnerId: partner.id, name: `Customer ${i}` })).id);
  // Nothing else writes to the organization with the long history, whose rows are counted and searched.
  const { id: big } = await createOrg({ partnerId: partner.id, name: "Long history" });
  const app = connect(4);
  const owner = connect(2, embedded.ownerUrl);
  let history: Promise<string> | undefined;
  const system = systemCtx();
  return {
    size,
    dir,
    embedded,
    random: createRandom(SEED),
    app,
    owner,
    partnerId: partner.id,
    orgIds,
    connect,
    ctxOf: (orgId) => narrow(system, orgId),
    partnerCtx: () => ({
      ...system,
      scope: { kind: "partner", orgIds: [big, ...orgIds.slice(1)], partnerId: partner.id },
    }),
    history: () => (history ??= fillHistory({ big, size, orgIds, app, owner, say })),
    filled: async (rows, span) => {
      const { id: orgId } = await createOrg({ partnerId: partner.id });
      await fillAudit(app, { orgId, rows, ...(span && { span }) });
      return orgId;
    },
    backlog: (orgId) => backlogOf(owner, orgId),
    index: indexAll,
    say,
    end: () => (ended ??= end()),
  };
}
