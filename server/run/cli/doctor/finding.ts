/** ok: as it should be; warn: works, but the operator should know; fail: something does not work. */
export type Finding = { level: "ok" | "warn" | "fail"; about: string; detail: string };
