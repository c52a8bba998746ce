/**
 * One value per process under a name, made on first use. The front's bundle and Next's hold two instances of every
 * module but one globalThis, so whatever must exist once (pools, the spool, the relay) is kept here.
 */
export function shared<T>(name: string, make: () => T): T {
  const key = Symbol.for(`trailmark.${name}`);
  const store = globalThis as unknown as Record<symbol, T | undefined>;
  store[key] ??= make();
  return store[key];
}
