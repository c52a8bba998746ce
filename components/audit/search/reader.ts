import type { Clock } from "@/components/audit/filters/typed-time";
import type { Filters } from "@/components/audit/state/view";
import { applyQuery, type Parsed } from "./query-text";

/** The parser of times and questions, loaded when the user starts typing. */
export const loadReader = () => import("./read-line");

/** Parses a typed line. If the parser cannot be loaded, as after a server update, qualifiers and words still work. */
export const readTyped = (view: Partial<Filters>, typed: string, clock: Clock): Promise<Parsed> =>
  loadReader().then(
    ({ readLine }) => readLine(view, typed, clock),
    () => applyQuery(view, typed),
  );
