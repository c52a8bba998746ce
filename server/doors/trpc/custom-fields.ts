import {
  countUsage,
  createDefinition,
  getDefinition,
  listDefinitions,
  removeDefinition,
} from "@/server/custom-fields/definitions";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { retypeDefinition, updateDefinition } from "@/server/custom-fields/update";
import { listDeviceValues } from "@/server/custom-fields/values";
import { mutation, query, router } from "./init";

export const customFieldsRouter = router({
  list: query(listDefinitions),
  get: query(getDefinition),
  usage: query(countUsage),
  create: mutation(createDefinition),
  update: mutation(updateDefinition),
  retype: mutation(retypeDefinition),
  remove: mutation(removeDefinition),
  ofDevice: query(listDeviceValues),
  setOfDevice: mutation(setDeviceValues),
});
