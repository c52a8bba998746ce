// Imported before everything else: a command's output is for people and pipes, not for the server's log lines.
process.env.LOG_LEVEL ||= "error";
