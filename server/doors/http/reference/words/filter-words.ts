import type { Catalogue, Filter } from "@/server/audit/query/catalogue";
import { mapValues } from "@/server/ground/records";
import type { Words } from "./table";

const hintOf = ({ isId, hint }: Filter): string => hint ?? (isId ? "an id" : "the exact value");

/** Reference text of each filter, by default the search box's. */
export const filterWords = (catalogue: Catalogue): Words =>
  mapValues(catalogue, (filter) => `${filter.label}: ${hintOf(filter)}; any of several values`);
