import { getAuditEntry } from "../audit/get";
import { listFullEntries } from "../audit/list";
import { entryIdInput, listInput } from "../audit/schema";
import { procedure, router } from "./init";

export const auditRouter = router({
  list: procedure("audit:read")
    .input(listInput)
    .query(({ ctx, input }) => listFullEntries(ctx.caller, input)),
  get: procedure("audit:read")
    .input(entryIdInput)
    .query(({ ctx, input }) => getAuditEntry(ctx.caller, input)),
});
