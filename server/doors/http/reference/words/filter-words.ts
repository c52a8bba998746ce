import type { Catalogue, Filter } from "@/server/audit/query/catalogue";
import { mapValues } from "@/server/ground/records";
import type { Words } from "./table";

const hintOf = ({ isId, hint }: Filter): string => hint ?? (isId ? "an id" : "the exact value");

/** What the reference says of each filter of a catalogue, unless its table says more: what the search box says of it. */
export const filterWords = (catalogue: Catalogue): Words =>
  mapValues(catalogue, (filter) => `${filter.label}: ${hintOf(filter)}; any of several values`);
