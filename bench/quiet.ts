// Set first, so that log lines do not mix with the table.
process.env.LOG_LEVEL ??= "error";

export {};
