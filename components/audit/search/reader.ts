import type { Filters } from "@/components/audit/filters/address";
import type { Clock } from "@/components/audit/filters/typed-time";
import { applyQuery, type Parsed } from "./query-text";

/** What reads times and questions: loaded when the user starts typing. */
export const loadReader = () => import("./read-line");

/** readLine of what is typed; where it cannot be loaded, after an update of the server, qualifiers and words still count. */
export const readTyped = (view: Partial<Filters>, typed: string, clock: Clock): Promise<Parsed> =>
  loadReader().then(
    ({ readLine }) => readLine(view, typed, clock),
    () => applyQuery(view, typed),
  );
