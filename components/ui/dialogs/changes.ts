/**
 * The members of a form that differ from their initial values; null if none does. Only these are sent, because others
 * may have been changed elsewhere meanwhile.
 */
export function changesOf<V extends Record<string, unknown>>(initial: V, current: V): Partial<V> | null {
  const changed: Partial<V> = { ...current };
  for (const name of Object.keys(current))
    if (JSON.stringify(current[name]) === JSON.stringify(initial[name])) delete changed[name];
  return Object.keys(changed).length > 0 ? changed : null;
}
