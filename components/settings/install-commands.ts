const LOOPBACK = /^http:\/\/(127\.[0-9.]+|localhost|\[::1\])(:\d+)?$/;

/** Whether agents accept the server's URL: https, or plain http on the same machine. */
export const isSafeAddress = (url: string): boolean => url.startsWith("https:") || LOOPBACK.test(url);

/**
 * The commands that install and enroll an agent. The key is never a process argument, which every user of a machine can
 * see: printf and the assignment are shell built-ins, and the installer reads it from standard input or its
 * environment.
 * The leading space keeps the first line out of most shells' history.
 */
export function installCommands(url: string, key: string): { linux: string; windows: string } {
  const isPlain = url.startsWith("http:");
  // Without -L, a redirect counts as success with an empty script.
  const curl = `curl ${isPlain ? "" : "--proto =https "}-fsSL --max-redirs 0 ${url}/agent/install.sh`;
  const script = `irm ${url}/agent/install.ps1`;
  return {
    linux: ` printf %s ${key} | sudo sh -c 's=$(${curl}) && eval "$s"'${isPlain ? " install.sh --allow-loopback-http" : ""}`,
    windows: `$env:TRAILMARK_ENROLLMENT_KEY='${key}'; ${
      isPlain ? `& ([scriptblock]::Create((${script}))) -AllowLoopbackHttp` : `${script} | iex`
    }`,
  };
}
