import { getInstallers } from "@/server/devices/agents/install/agent-files";
import { createEnrollmentKey } from "@/server/identity/enrollment-keys/create";
import { listEnrollmentKeys } from "@/server/identity/enrollment-keys/list";
import { revokeEnrollmentKey } from "@/server/identity/enrollment-keys/revoke";
import { mutation, query, router } from "./init";

export const enrollmentKeysRouter = router({
  list: query(listEnrollmentKeys),
  create: mutation(createEnrollmentKey),
  revoke: mutation(revokeEnrollmentKey),
  installers: query(getInstallers),
});
