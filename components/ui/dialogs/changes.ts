/**
 * The members of a form that differ from their initial values; null if none does. Only these are sent, because others
 * may
 * have been changed elsewhere meanwhile.
 */
export function changesOf<V extends Record<string, unknown>>(was: V, is: V): Partial<V> | null {
  const changed: Partial<V> = { ...is };
  for (const name of Object.keys(is)) if (JSON.stringify(is[name]) === JSON.stringify(was[name])) delete changed[name];
  return Object.keys(changed).length > 0 ? changed : null;
}
