// Preloaded in a launched process: if the launcher is killed, the channel closes, and the process ends as on SIGTERM
// instead of keeping the port.
if (process.channel) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
