import { createDefinition } from "@/server/custom-fields/create";
import { getDefinition, listDefinitions } from "@/server/custom-fields/list";
import { countUsage, removeDefinition } from "@/server/custom-fields/remove";
import { createInput, listInput, setValuesInput, updateInput } from "@/server/custom-fields/schema";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { updateDefinition } from "@/server/custom-fields/update";
import { listDeviceValues } from "@/server/custom-fields/values";
import { idInput } from "@/server/wire";
import { procedure, router } from "./init";

export const customFieldsRouter = router({
  list: procedure("custom_fields:read")
    .input(listInput)
    .query(({ ctx, input }) => listDefinitions(ctx.caller, input)),
  get: procedure("custom_fields:read")
    .input(idInput)
    .query(({ ctx, input }) => getDefinition(ctx.caller, input)),
  usage: procedure("custom_fields:manage")
    .input(idInput)
    .query(({ ctx, input }) => countUsage(ctx.caller, input)),
  create: procedure("custom_fields:manage")
    .input(createInput)
    .mutation(({ ctx, input }) => createDefinition(ctx.caller, input)),
  update: procedure("custom_fields:manage")
    .input(updateInput)
    .mutation(({ ctx, input }) => updateDefinition(ctx.caller, input)),
  remove: procedure("custom_fields:manage")
    .input(idInput)
    .mutation(({ ctx, input }) => removeDefinition(ctx.caller, input)),
  ofDevice: procedure("custom_fields:read")
    .input(idInput)
    .query(({ ctx, input }) => listDeviceValues(ctx.caller, input)),
  setOfDevice: procedure("custom_fields:manage")
    .input(setValuesInput)
    .mutation(({ ctx, input }) => setDeviceValues(ctx.caller, input)),
});
