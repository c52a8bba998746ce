import type { Permission } from "@/server/ground/permissions";
import { apiKeysRouter } from "./api-keys";
import { auditRouter } from "./audit";
import { authRouter } from "./auth";
import { customFieldsRouter } from "./custom-fields";
import { devicesRouter } from "./devices";
import { enrollmentKeysRouter } from "./enrollment-keys";
import { exportsRouter } from "./exports";
import { importsRouter } from "./imports";
import { type ProcedureMeta, router } from "./init";
import { integrityRouter } from "./integrity";
import { liveEventsRouter } from "./live-events";
import { meRouter } from "./me";
import { deliveriesRouter, notificationsRouter, reportSchedulesRouter, webhooksRouter } from "./notifications";
import { organizationsRouter } from "./organizations";
import { preferencesRouter } from "./preferences";
import { proofsRouter } from "./proofs";
import { retentionRouter } from "./retention";
import { savedViewsRouter } from "./saved-views";
import { scriptsRouter } from "./scripts";
import { setupRouter } from "./setup";
import { usersRouter } from "./users";

/** Every procedure of the tRPC door: one router a domain. */
export const appRouter = router({
  apiKeys: apiKeysRouter,
  audit: auditRouter,
  auth: authRouter,
  customFields: customFieldsRouter,
  deliveries: deliveriesRouter,
  devices: devicesRouter,
  enrollmentKeys: enrollmentKeysRouter,
  exports: exportsRouter,
  integrity: integrityRouter,
  liveEvents: liveEventsRouter,
  imports: importsRouter,
  me: meRouter,
  notifications: notificationsRouter,
  organizations: organizationsRouter,
  preferences: preferencesRouter,
  proofs: proofsRouter,
  reportSchedules: reportSchedulesRouter,
  savedViews: savedViewsRouter,
  scripts: scriptsRouter,
  retention: retentionRouter,
  setup: setupRouter,
  users: usersRouter,
  webhooks: webhooksRouter,
});
export type AppRouter = typeof appRouter;

type Declared = Record<string, { _def: { meta?: ProcedureMeta } } | undefined>;

/** The permission that a procedure requires; undefined where it requires none, or there is no such procedure. */
export const permissionOf = (path: string): Permission | undefined =>
  (appRouter._def.procedures as unknown as Declared)[path]?._def.meta?.permission;
