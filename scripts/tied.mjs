// Loaded before a process that the launcher starts: when the launcher is killed, its end of the channel closes, and
// the process ends as on SIGTERM instead of keeping the port.
if (process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
