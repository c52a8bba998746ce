import type postgres from "postgres";
import { isConnectionEnd } from "./socket/pool-socket";
import { codeOf } from "./thrown";

type Work = (tx: postgres.TransactionSql) => unknown;

/** Errors after which the socket is closed; sending then throws outside any promise. */
const CLOSING = new Set(["CONNECTION_CLOSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);
/** Errors of a dead connection, which the first statement after its reconnect may still get. */
const STALE = new Set(["57P01", ...CLOSING]);
const MAX_BEGINS = 3;

const lostError = () =>
  Object.assign(new Error("the connection to the database was lost during a transaction"), {
    code: "CONNECTION_CLOSED",
  });

/** A transaction's sql that refuses to send once its connection is lost. */
function refusing(tx: postgres.TransactionSql, isLost: () => boolean): postgres.TransactionSql {
  const guarded = <F extends (...args: never[]) => unknown>(send: F) =>
    ((...args: Parameters<F>) => {
      if (isLost()) throw lostError();
      return send(...args);
    }) as unknown as F;
  return Object.assign(guarded(tx as never), tx, { unsafe: guarded(tx.unsafe as never) }) as postgres.TransactionSql;
}

/**
 * Makes a pool's transactions survive the death of their connection. postgres.js 3.4 sends the ROLLBACK into a closed
 * socket, which throws outside any promise (ending the process) and leaves the connection unusable. Here the
 * transaction's promise rejects and nothing more is sent; a transaction that could not start, because its idle
 * connection had died, is retried. Remove this file when https://github.com/porsager/postgres/issues/1208 and
 * https://github.com/porsager/postgres/issues/1216 are fixed.
 */
export function survivable<T extends postgres.Sql>(sql: T): T {
  const begin = sql.begin.bind(sql) as (options: string, work: Work) => Promise<unknown>;
  const attempt = async (options: string, work: Work, started: () => void): Promise<unknown> => {
    let lost = false;
    let over = false;
    const inner = (tx: postgres.TransactionSql) =>
      new Promise((resolve, reject) => {
        const done = (finish: () => void) =>
          // The connection's end is reported in the same tick as the failure of its query.
          setImmediate(() => {
            if (lost) return;
            over = true;
            finish();
          });
        started();
        Promise.resolve()
          .then(() => work(refusing(tx, () => lost)))
          .then((x) => (Array.isArray(x) ? Promise.all(x) : x))
          .then(
            (value) => {
              if (lost) return;
              over = true;
              resolve(value);
            },
            (error) => {
              if (!CLOSING.has(codeOf(error))) done(() => reject(error));
            },
          );
      });
    try {
      return await begin(options, inner);
    } catch (error) {
      if (!over) lost = true;
      throw error;
    }
  };
  const transaction = async (first: string | Work, second?: Work): Promise<unknown> => {
    const [options, work] = typeof first === "string" ? [first, second as Work] : ["", first];
    for (let tries = 1; ; tries++) {
      let started = false;
      try {
        return await attempt(options, work, () => {
          started = true;
        });
      } catch (error) {
        const isStale = STALE.has(codeOf(error)) || isConnectionEnd(error);
        if (started || tries === MAX_BEGINS || !isStale) throw error;
      }
    }
  };
  return Object.assign(sql, { begin: transaction });
}
