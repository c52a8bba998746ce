// Imported first: a command's output is for people and pipes, without log lines.
process.env.LOG_LEVEL ||= "error";

// A reader that closes the pipe early (head, a pager) must not change the exit code.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
