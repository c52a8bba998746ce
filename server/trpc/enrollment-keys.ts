import { getInstallers } from "@/server/agents/install/get";
import { createEnrollmentKey } from "@/server/enrollment-keys/create";
import { listEnrollmentKeys } from "@/server/enrollment-keys/list";
import { revokeEnrollmentKey } from "@/server/enrollment-keys/revoke";
import { mutation, query, router } from "./init";

export const enrollmentKeysRouter = router({
  list: query(listEnrollmentKeys),
  create: mutation(createEnrollmentKey),
  revoke: mutation(revokeEnrollmentKey),
  installers: query(getInstallers),
});
