import type { View } from "./address";
import { chipsOf } from "./describe-filters";
import { PRESET_LABEL } from "./range";

const MAX_LENGTH = 80;

/** The document title: filters and range first, then the page's name. */
export function titleOf(view: View, names?: ReadonlyMap<string, string>): string {
  const range = view.range ? PRESET_LABEL[view.range] : view.from || view.to ? "Custom range" : null;
  const filters = [
    ...chipsOf(view, names).map(({ name, value }) => (name.startsWith("Without") ? `not ${value}` : value)),
    range,
  ];
  const said = filters.filter(Boolean).join(", ");
  const short = said.length > MAX_LENGTH ? `${said.slice(0, MAX_LENGTH)}…` : said;
  return short ? `${short} · Audit log` : "Audit log";
}
