import { createEnrollmentKey } from "@/server/enrollment-keys/create";
import { listEnrollmentKeys } from "@/server/enrollment-keys/list";
import { revokeEnrollmentKey } from "@/server/enrollment-keys/revoke";
import { createInput, listInput } from "@/server/enrollment-keys/schema";
import { idInput } from "@/server/organizations/schema";
import { procedure, router } from "./init";

const enrolling = procedure("agents:enroll");

export const enrollmentKeysRouter = router({
  list: enrolling.input(listInput).query(({ ctx, input }) => listEnrollmentKeys(ctx.caller, input)),
  create: enrolling.input(createInput).mutation(({ ctx, input }) => createEnrollmentKey(ctx.caller, input)),
  revoke: enrolling.input(idInput).mutation(({ ctx, input }) => revokeEnrollmentKey(ctx.caller, input)),
});
