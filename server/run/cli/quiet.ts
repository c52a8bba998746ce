// Imported before everything else: a command's output is for people and pipes, not for the server's log lines.
process.env.LOG_LEVEL ||= "error";

// A reader that closes the pipe early (head, a pager) has read enough: the exit code stays that of what was found.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
