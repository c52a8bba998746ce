import { type Filters, GUID, type View } from "./filters";
import { excludeInput } from "./narrow";
import { presetSpan, type Span } from "./range";

/** The instants that the address asks for: a preset, or two ends of which either may be open. */
export function spanOf(filters: Filters, zone: string, now: Date): Span {
  if (filters.range) return presetSpan(filters.range, zone, now);
  return { from: filters.from ?? undefined, to: filters.to ?? undefined };
}

/** Who is meant by an exact actor: a person, key or agent by its id, or an id that is no UUID as it was recorded. */
const actorInput = (actorId: string | null) =>
  actorId && GUID.test(actorId) ? { actorId } : { rawActorId: actorId ?? undefined };

/** The procedure's input for a view. Counting is left out: the list is paged by cursor. */
export function toListInput(view: View, zone: string, now: Date) {
  const span = spanOf(view, zone, now);
  const input = {
    q: view.q ?? undefined,
    orgId: view.org ?? undefined,
    user: view.actor ?? undefined,
    ...actorInput(view.actorId),
    action: view.action ?? undefined,
    actions: view.actions?.split(",").filter(Boolean),
    resource: view.resource ?? undefined,
    resourceId: view.resourceId ?? undefined,
    resourceType: view.resourceType ?? undefined,
    device: view.device ?? undefined,
    ip: view.ip ?? undefined,
    result: view.result ?? undefined,
    category: view.category ?? undefined,
    actorType: view.type ?? undefined,
    ...excludeInput(view.without),
    from: span.from?.toISOString(),
    to: span.to?.toISOString(),
    cursor: view.cursor ?? undefined,
    skipCount: true,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as typeof input;
}
