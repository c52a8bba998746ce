import type postgres from "postgres";

/** So often a statement is sent before it is worth a name in every connection. */
const HOT_FROM = 3;
/** Each takes memory in every connection of the pool. */
const MAX_HOT = 256;
const MAX_SEEN = 2_048;
const MAX_CHARS = 16_384;

const seen = new Map<string, number>();
const hot = new Set<string>();

/** Whether a statement is to be prepared: one that is sent again and again, and there is room. */
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
 * A pool whose transactions prepare the statements that they send often. Unprepared, the driver asks the database for the
 * types of a statement's parameters first: another round trip, and another parse each time.
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
