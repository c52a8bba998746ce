// Before anything reads it: the log line of a run would come between the lines of the table.
process.env.LOG_LEVEL ??= "error";

export {};
