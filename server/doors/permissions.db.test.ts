import { expect, it } from "vitest";
import { ROLE_PERMISSIONS } from "@/server/ground/permissions";
import { listEndpoints } from "./http/openapi";
import { routes } from "./http/routes.generated";
import type { ProcedureMeta } from "./trpc/init";
import { appRouter } from "./trpc/root";

type Procedure = { _def: { meta?: ProcedureMeta } };
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

/** The matrices of both doors hold every caller to these; a changed one shows here (`-u` writes the file). */
it("every role, REST operation and procedure keeps its permission", async () => {
  const lines = [
    ...Object.entries(ROLE_PERMISSIONS).map(([role, granted]) => `${role}: ${[...granted].sort().join(" ")}`),
    ...listEndpoints(routes).map(
      ({ method, path, spec }) => `${method} ${path}: ${spec.permission ?? "none"} (${spec.auth})`,
    ),
    ...procedures.map(([path, { _def }]) => `${path}: ${_def.meta?.permission ?? "none"}`),
  ];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("permissions.txt");
});
