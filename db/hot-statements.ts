import type postgres from "postgres";

/** Repetitions before a statement is worth a name in every connection. */
const HOT_FROM = 3;
/** Each takes memory in every connection of the pool. */
const MAX_HOT = 256;
const MAX_SEEN = 2_048;
const MAX_CHARS = 16_384;

const seen = new Map<string, number>();
const hot = new Set<string>();

/** True if a statement should be prepared: it is repeated often, and there is room. */
function isHot(text: string): boolean {
  if (hot.has(text)) return true;
  if (hot.size >= MAX_HOT || text.length > MAX_CHARS) return false;
  const times = (seen.get(text) ?? 0) + 1;
  if (times < HOT_FROM) {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(text, times);
    return false;
  }
  seen.delete(text);
  hot.add(text);
  return true;
}

type Work = (tx: postgres.TransactionSql) => unknown;

/**
 * A pool whose transactions prepare frequent statements. For unprepared ones the driver first requests the parameter
 * types: another round trip, and another parse each time.
 */
export function preparing(sql: postgres.Sql): postgres.Sql {
  const prepared = (tx: postgres.TransactionSql): postgres.TransactionSql => {
    const { unsafe } = tx;
    const send: typeof unsafe = (text, parameters, options) =>
      unsafe(text, parameters, { ...options, prepare: isHot(text) });
    return Object.assign(tx, { unsafe: send });
  };
  const begin = (work: Work) => sql.begin((tx) => work(prepared(tx)));
  return new Proxy(sql, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
}
